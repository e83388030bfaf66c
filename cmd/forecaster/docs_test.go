//go:build !race

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// pages are all pages in Markdown, by their path from the root of the repository.
func pages(t *testing.T) map[string]string {
	t.Helper()
	root := filepath.Join("..", "..")
	all := make(map[string]string)
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "configs/*/*.md"} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			rel, err := filepath.Rel(root, name)
			if err != nil {
				t.Fatal(err)
			}
			all[filepath.ToSlash(rel)] = string(readFile(t, name))
		}
	}
	if len(all) < 10 {
		t.Fatalf("found %d pages", len(all))
	}
	return all
}

var (
	fence   = regexp.MustCompile("(?ms)^```.*?^```$")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	noWord  = regexp.MustCompile(`[^\p{L}\p{N} _-]+`)
)

// anchors are the ids that GitHub gives the headings of a page.
func anchors(text string) []string {
	var ids []string
	for _, h := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		id := strings.ReplaceAll(noWord.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")
		ids = append(ids, id)
	}
	return ids
}

// TestLinks: every link of a page inside the repository has a target.
func TestLinks(t *testing.T) {
	all := pages(t)
	for name, text := range all {
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			to := m[1] + m[2]
			if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
				continue
			}
			path, anchor, _ := strings.Cut(to, "#")
			target := name
			if path != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(name), path))
				if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(target))); err != nil {
					t.Errorf("%s: %s is not there", name, to)
					continue
				}
			}
			if page, ok := all[target]; ok && anchor != "" && !slices.Contains(anchors(page), anchor) {
				t.Errorf("%s: %s has no heading %q", name, target, anchor)
			}
		}
	}
}

// TestEveryPageIsInTheIndex: docs/README.md leads to every page of the
// documentation.
func TestEveryPageIsInTheIndex(t *testing.T) {
	all := pages(t)
	index := all["docs/README.md"]
	for name := range all {
		if rel, ok := strings.CutPrefix(name, "docs/"); ok && rel != "README.md" && !strings.Contains(index, "("+rel+")") {
			t.Errorf("docs/README.md has no link to %s", rel)
		}
	}
}

// TestComparisonHasTheFigureOfReadme: the error of auto on ETTh2 equals the figure in README.md.
func TestComparisonHasTheFigureOfReadme(t *testing.T) {
	row := regexp.MustCompile(`│ auto +│ +1 │ 10,800 │ +(0\.[0-9]+) │`).FindSubmatch(readFile(t, "../../README.md"))
	if row == nil {
		t.Fatal("README.md has no score of auto on ETTh2")
	}
	mse, err := strconv.ParseFloat(string(row[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("mean squared error of `auto` is %.3f;", mse); !strings.Contains(string(readFile(t, "../../docs/comparison.md")), want) {
		t.Errorf("docs/comparison.md has not: %s", want)
	}
}
