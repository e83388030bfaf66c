package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// coverage finds the tests that run a line. Each test is run alone, once. Its coverage is kept in the cache folder of
// the user, under the hash of the test binary.
type coverage struct {
	timeout time.Duration
	known   map[string][]covered
}

func newCoverage(timeout time.Duration) *coverage {
	return &coverage{timeout: timeout, known: make(map[string][]covered)}
}

// covered holds the coverage of a test: for each file, the first and last lines of the blocks that ran.
type covered struct {
	Test   string
	Blocks map[string][][2]int
}

// of returns a regular expression of the tests of a package that run a line of a file; "": none. The file is named by
// its import path. The argument what lists the packages with measured lines.
func (c *coverage) of(ctx context.Context, what, tests, file string, line int) (string, error) {
	all, ok := c.known[tests+" "+what]
	if !ok {
		var err error
		if all, err = c.measure(ctx, what, tests); err != nil {
			return "", err
		}
		c.known[tests+" "+what] = all
	}
	var names []string
	for _, t := range all {
		if slices.ContainsFunc(t.Blocks[file], func(b [2]int) bool { return b[0] <= line && line <= b[1] }) {
			names = append(names, t.Test)
		}
	}
	if len(names) == 0 {
		return "", nil
	}
	return "^(" + strings.Join(names, "|") + ")$", nil
}

func (c *coverage) measure(ctx context.Context, what, tests string) (all []covered, err error) {
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "tests")
	build := exec.CommandContext(ctx, "go", "test", "-c", "-cover", "-coverpkg", what, "-o", binary, tests)
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", tests, err, out)
	}
	b, err := os.ReadFile(binary)
	if err != nil {
		return nil, nil // the package has no tests
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	kept := filepath.Join(cache, "forecaster", "mutants", fmt.Sprintf("%x.json", sha256.Sum256(b)))
	if b, err := os.ReadFile(kept); err == nil && json.Unmarshal(b, &all) == nil {
		return all, nil
	}
	list := exec.CommandContext(ctx, binary, "-test.list", "^(Test|Example|Fuzz)")
	list.Dir = tests
	names, err := list.Output()
	if err != nil {
		return nil, err
	}
	profile, programs := filepath.Join(dir, "profile"), filepath.Join(dir, "programs")
	for _, name := range strings.Fields(string(names)) {
		if err := errors.Join(os.RemoveAll(programs), os.Mkdir(programs, 0o700)); err != nil {
			return nil, err
		}
		run := exec.CommandContext(ctx, binary, "-test.run", "^"+regexp.QuoteMeta(name)+"$", "-test.coverprofile", profile, "-test.timeout", c.timeout.String())
		run.Dir, run.Env = tests, append(os.Environ(), "GOCOVERDIR="+programs)
		if out, err := run.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s fails without a change: %w\n%s", name, err, out)
		}
		blocks := make(map[string][][2]int)
		if err := readProfile(profile, blocks); err != nil {
			return nil, err
		}
		if err := readPrograms(ctx, programs, profile, blocks); err != nil {
			return nil, err
		}
		all = append(all, covered{name, blocks})
	}
	if b, err = json.Marshal(all); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		return nil, err
	}
	return all, os.WriteFile(kept, b, 0o600)
}

var profileLine = regexp.MustCompile(`^(.+):(\d+)\.\d+,(\d+)\.\d+ \d+ (\d+)$`)

// readProfile adds the blocks of a cover profile that ran, by file.
func readProfile(name string, blocks map[string][][2]int) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	for line := range bytes.Lines(text) {
		m := profileLine.FindSubmatch(bytes.TrimSpace(line))
		if m == nil || string(m[4]) == "0" {
			continue
		}
		first, _ := strconv.Atoi(string(m[2])) // only digits, see profileLine
		last, _ := strconv.Atoi(string(m[3]))
		blocks[string(m[1])] = append(blocks[string(m[1])], [2]int{first, last})
	}
	return nil
}

// readPrograms adds the blocks that ran in programs which a test started from its own binary.
func readPrograms(ctx context.Context, dir, profile string, blocks map[string][][2]int) error {
	if files, err := os.ReadDir(dir); err != nil || len(files) == 0 {
		return err
	}
	if out, err := exec.CommandContext(ctx, "go", "tool", "covdata", "textfmt", "-i="+dir, "-o="+profile).CombinedOutput(); err != nil {
		return fmt.Errorf("go tool covdata: %w\n%s", err, out)
	}
	return readProfile(profile, blocks)
}
