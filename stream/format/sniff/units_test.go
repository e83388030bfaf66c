package sniff

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/internal/cells"
)

// TestUnits: the command that a refusal prints makes the cell a number of the same size, and leaves
// times and cells with another unit as they are.
func TestUnits(t *testing.T) {
	if _, err := exec.LookPath("sed"); err != nil {
		t.Skip("sed is not installed")
	}
	for cell, want := range map[string]string{
		"20.2%": "20.2", "-3 %": "-3", "20 MB": "20", "20\u00a0MB": "20", "5km/h": "5", "21.5°C": "21.5", "€20.17": "20.17", "-$ 5": "-5", "$-5": "-5",
		"20,17 €": "20,17", "(2,767)": "-2,767", "(3)": "-3",
	} {
		d, err := format.NewCSV(format.CSVConfig{Header: []string{"time", "a", "b"}, Comma: ';'})
		if err != nil {
			t.Fatal(err)
		}
		line := "2026-01-01T00:00:00Z;" + cell + ";" + cell
		var r stream.Record
		err = d.Decode(&r, &stream.Message{Key: []byte("s"), Value: []byte(line)})
		if err == nil {
			t.Errorf("%q is read as %v", cell, r.Values)
			continue
		}
		_, command, found := strings.Cut(err.Error(), "make it one with  ")
		if !found {
			t.Errorf("%q: %v", cell, err)
			continue
		}
		sh := exec.Command("sh", "-c", strings.TrimSuffix(command, " IN > OUT"))
		sh.Stdin = strings.NewReader(line + "\n2026-01-01T00:00:00Z;7 GB;x\n")
		out, err := sh.CombinedOutput()
		if got := string(out); err != nil || got != "2026-01-01T00:00:00Z;"+want+";"+want+"\n2026-01-01T00:00:00Z;7 GB;x\n" {
			t.Errorf("%q: %s: %v\n%s", cell, command, err, got)
		}
	}
	for _, cell := range []string{"web1", "n.d.", "<1", "12:30", "2026-01-01", "1.2.3x4", "()", "ok", "1e5"} {
		if command := cells.Stripped(cell); command != "" {
			t.Errorf("%q: %s", cell, command)
		}
	}
}

// TestUnitOfColumn: numbers of one unit are read without it, and it is said; those of several are left out.
func TestUnitOfColumn(t *testing.T) {
	s, err := sniff(t, "time,cpu,mem,load\n2026-01-01,NA,1 MB,1\n2026-01-02,20%,2 GB,2\n2026-01-03,21%,3 kB,3\n", format.CSVConfig{})
	if err != nil {
		t.Fatal(err)
	}
	var said string
	for _, a := range s.Assumptions {
		said += a.Text + "; "
	}
	if want := "cpu in %; column mem left out; "; said != want {
		t.Errorf("assumed %q, want %q", said, want)
	}
	for cell, want := range map[string]float64{"12.5 °C": 12.5, "1,200 rpm": 1200, "€3.50": 3.5, "-$4.25": -4.25, "45%": 45, "−7.5": -7.5} {
		text := "time,a\n"
		for i := range 30 {
			text += fmt.Sprintf("2026-01-%02d,\"%s\"\n", 1+i, cell)
		}
		if _, values := readTable(t, text); len(values) != 30 || values[0] != want {
			t.Errorf("%s is read as %v", cell, values)
		}
	}
}
