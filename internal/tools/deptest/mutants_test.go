package deptest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// Each change of the list of internal/tools/mutants still has its place, once, and a package with
// tests: who moves code finds out here, not at night.
func TestMutantsHaveTheirPlace(t *testing.T) {
	list, err := os.ReadFile("../mutants/mutants.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []struct{ Bug, File, Old, New, Tests, Run, Survives string }
	if err := yaml.UnmarshalWithOptions(list, &all, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	if len(all) < 100 {
		t.Errorf("%d changes", len(all))
	}
	for _, m := range all {
		text, err := os.ReadFile(filepath.Join("../../..", m.File))
		if err != nil {
			t.Errorf("%s: %v", m.Bug, err)
		} else if n := strings.Count(string(text), m.Old); n != 1 || m.Old == "" || m.Old == m.New {
			t.Errorf("%s: %s: the old text is there %d times, not once: %q", m.Bug, m.File, n, m.Old)
		}
	}
}
