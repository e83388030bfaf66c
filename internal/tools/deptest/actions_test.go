package deptest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestActionsArePinned: a workflow names its actions by their hash, for a tag can be moved to other code.
func TestActionsArePinned(t *testing.T) {
	files, err := filepath.Glob("../../../.github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no workflows, %v", err)
	}
	uses := regexp.MustCompile(`(?m)^.*\buses: *(.*)$`)
	hash := regexp.MustCompile(`^[\w-]+/[\w/-]+@[0-9a-f]{40} # v`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, use := range uses.FindAllSubmatch(text, -1) {
			if !hash.Match(use[1]) {
				t.Errorf("%s: %s has no hash: OWNER/NAME@HASH # vVERSION", filepath.Base(file), use[1])
			}
		}
	}
}
