package isa

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	if got, err := choose(""); got != Best() || err != nil {
		t.Errorf("without a name %v and %v, want %v", got, err, Best())
	}
	for s := Portable; s <= AVX512; s++ {
		if got, err := choose(s.String()); (err != nil) != (s > Best()) || err == nil && got != s {
			t.Errorf("%v gives %v and %v", s, got, err)
		}
	}
	for _, name := range []string{"sse9", "AVX2", " "} {
		if _, err := choose(name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%q gives the error %v", name, err)
		}
	}
}

// Fault 82: a process with an unknown set ended in a panic and a stack.
func TestForcedStopsInOneLine(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "FORECASTER_VEC=foo")
	out, err := cmd.CombinedOutput()
	want := "forecaster: FORECASTER_VEC=foo: no such instruction set; want portable, avx2 or avx512\n"
	if cmd.ProcessState.ExitCode() != 2 || string(out) != want {
		t.Errorf("ended with %v and %q, want exit status 2 and %q", err, out, want)
	}
}
