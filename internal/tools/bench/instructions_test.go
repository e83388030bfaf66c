package main

import (
	"os/exec"
	"testing"
)

// Two counts differ by less than the thousandth that instructions promises, and a program that cannot run has an error.
func TestInstructions(t *testing.T) {
	if _, err := exec.LookPath(counter); err != nil {
		t.Skip(counter + " is not installed")
	}
	var counts [2]float64
	for i := range counts {
		n, err := instructions("ls", []string{"--version"})
		if err != nil {
			t.Fatal(err)
		}
		counts[i] = n
	}
	if r := counts[1] / counts[0]; !(r > .999 && r < 1.001) || counts[0] < 1e4 {
		t.Errorf("counts %v", counts)
	}
	if n, err := instructions("/nowhere/program", nil); err == nil {
		t.Errorf("a program that is not there has %v instructions", n)
	}
}
