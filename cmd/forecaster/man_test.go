package main

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra/doc"
)

// TestManPages makes a man page of every command: in the folder MAN_PAGES for a release, else in one that
// is removed.
func TestManPages(t *testing.T) {
	dir := cmp.Or(os.Getenv("MAN_PAGES"), t.TempDir())
	root := (&app{}).root()
	root.DisableAutoGenTag = true
	if err := doc.GenManTree(root, &doc.GenManHeader{Title: "FORECASTER", Section: "1", Source: "forecaster", Manual: "forecaster"}, dir); err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "forecaster*.1"))
	if err != nil || len(pages) < len(root.Commands()) {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, page := range pages {
		if text := string(readFile(t, page)); !strings.HasPrefix(text, ".nh\n.TH") || !strings.Contains(text, ".SH SYNOPSIS") {
			t.Errorf("%s is no man page", page)
		}
	}
}
