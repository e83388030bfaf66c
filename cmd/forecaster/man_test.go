package main

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra/doc"
)

// TestManPages makes a man page of every command, and the completions of the shells: in the folder MAN_PAGES for a
// release, else in one that is removed. .ci/release-files compiles this file without the other tests, so it uses
// nothing of them.
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
		text, err := os.ReadFile(page)
		if err != nil || !strings.HasPrefix(string(text), ".nh\n.TH") || !strings.Contains(string(text), ".SH SYNOPSIS") {
			t.Errorf("%s is no man page: %v", page, err)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		var script, errs bytes.Buffer
		if code := execute(t.Context(), []string{"completion", shell}, strings.NewReader(""), &script, &errs); code != 0 || !strings.Contains(script.String(), "__complete") {
			t.Errorf("completion %s: code %d, %s%.100s", shell, code, errs.String(), script.String())
		}
		if err := os.WriteFile(filepath.Join(dir, "forecaster."+shell), script.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
