// Command mutants measures what the tests notice: it makes the changes of mutants.yaml, one
// at a time, and runs the tests of the package that each of them breaks.
//
//	go run ./internal/tools/mutants [-only REGEXP] [-run REGEXP] [-workers N] [-timeout D]
//
// A change is compiled from an overlay, so the tree stays as it is. A mutant is killed when a
// test fails, panics or does not end. The command fails when a change does not apply or does
// not compile, when tests fail without a change, when a mutant survives that the list does not
// explain, and when fewer than 95 % are killed.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml"
)

//go:embed mutants.yaml
var list []byte

// leastKilled is the share of the mutants that tests have to kill.
const leastKilled = .95

// mutation is one change of one file.
type mutation struct {
	Bug      string // what the change breaks
	File     string
	Old, New string // Old is in the file once
	Tests    string // package whose tests shall fail, "./x"; empty: the package of the file
	Run      string // tests that are run, as go test -run takes them; empty: all
	Survives string // why no test can fail; empty: one must
}

// suite is the tests that a mutation is run against.
type suite struct{ pkg, run string }

func (m *mutation) suite() suite {
	if m.Tests != "" {
		return suite{m.Tests, m.Run}
	}
	return suite{"./" + filepath.ToSlash(filepath.Dir(m.File)), m.Run}
}

// apply writes the changed file and an overlay with it into a folder.
func (m *mutation) apply(dir string) (overlay string, err error) {
	text, err := os.ReadFile(m.File)
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), m.Old); n != 1 || m.Old == "" || m.Old == m.New {
		return "", fmt.Errorf("%s: the old text is there %d times, not once: %q. The code has changed: change the list, too", m.File, n, m.Old)
	}
	changed := filepath.Join(dir, "changed.go")
	if err := os.WriteFile(changed, bytes.Replace(text, []byte(m.Old), []byte(m.New), 1), 0o600); err != nil {
		return "", err
	}
	file, err := filepath.Abs(m.File)
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, b, 0o600)
}

// runner runs tests, each for a limited time.
type runner struct {
	timeout time.Duration
	mu      sync.Mutex
	sound   map[suite]func() error // tests without a change
}

var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)|^(panic: .*)`)

// test builds and runs tests; killer is what failed, "" if nothing did.
func (r *runner) test(ctx context.Context, s suite, dir, overlay string) (killer string, err error) {
	binary := filepath.Join(dir, "tests")
	build := exec.CommandContext(ctx, "go", "test", "-c", "-o", binary, "-overlay", overlay, s.pkg)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("does not compile: %w\n%s", err, out)
	}
	args := []string{"-test.failfast", "-test.timeout", r.timeout.String(), "-test.run", s.run}
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = s.pkg
	cmd.WaitDelay = r.timeout
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err == nil {
		if bytes.Contains(out, []byte("no tests to run")) {
			return "", fmt.Errorf("%s has no test %s", s.pkg, s.run)
		}
		return "", nil
	}
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
		return "", err
	}
	killer = err.Error()
	if m := failed.FindSubmatch(out); m != nil {
		killer = string(m[1]) + string(m[2])
	}
	return killer, nil
}

// check runs tests without a change, once for all mutations.
func (r *runner) check(ctx context.Context, s suite) error {
	r.mu.Lock()
	f, ok := r.sound[s]
	if !ok {
		f = sync.OnceValue(func() error {
			dir, err := os.MkdirTemp("", "mutants")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			if killer, err := r.test(ctx, s, dir, ""); err != nil || killer != "" {
				return fmt.Errorf("%s fails without a change: %s %w", s.pkg, killer, err)
			}
			return nil
		})
		r.sound[s] = f
	}
	r.mu.Unlock()
	return f()
}

func (r *runner) try(ctx context.Context, m *mutation) (killer string, err error) {
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	overlay, err := m.apply(dir)
	if err != nil {
		return "", err
	}
	if err := r.check(ctx, m.suite()); err != nil {
		return "", err
	}
	return r.test(ctx, m.suite(), dir, overlay)
}

func run() error {
	only := flag.String("only", "", "mutations whose file or description matches this regular expression")
	tests := flag.String("run", "", "tests to run, in the place of those of the list")
	workers := flag.Int("workers", 1, "mutations at a time")
	timeout := flag.Duration("timeout", 5*time.Minute, "time for the tests of a mutation")
	flag.Parse()
	choice, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var all []*mutation
	if err := yaml.UnmarshalWithOptions(list, &all, yaml.Strict()); err != nil {
		return err
	}

	r := &runner{timeout: *timeout, sound: make(map[suite]func() error)}
	var (
		mu                              sync.Mutex
		wg                              sync.WaitGroup
		tried, killed, unexplained, bad int
	)
	work := make(chan *mutation)
	for range *workers {
		wg.Go(func() {
			for m := range work {
				killer, err := r.try(ctx, m)
				mu.Lock()
				tried++
				switch {
				case err != nil:
					bad++
					fmt.Printf("ERROR     %s: %s: %v\n", m.File, m.Bug, err)
				case killer != "":
					killed++
					fmt.Printf("killed    %s: %s (%s)\n", m.File, m.Bug, killer)
				case m.Survives != "":
					fmt.Printf("survived  %s: %s: %s\n", m.File, m.Bug, m.Survives)
				default:
					unexplained++
					fmt.Printf("SURVIVED  %s: %s\n", m.File, m.Bug)
				}
				mu.Unlock()
			}
		})
	}
	for _, m := range all {
		if *tests != "" {
			m.Run = *tests
		}
		if ctx.Err() == nil && (choice.MatchString(m.File) || choice.MatchString(m.Bug)) {
			work <- m
		}
	}
	close(work)
	wg.Wait()
	fmt.Printf("%d mutants: %d killed, %d survived, %d could not be tried\n", tried, killed, tried-killed-bad, bad)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case tried == 0:
		return fmt.Errorf("no mutation matches %q", *only)
	case bad > 0:
		return fmt.Errorf("%d mutations could not be tried", bad)
	case unexplained > 0:
		return fmt.Errorf("%d mutants survived; write a test, or say in the list why none can fail", unexplained)
	case float64(killed) < leastKilled*float64(tried):
		return fmt.Errorf("fewer than %.0f %% of the mutants were killed", 100*leastKilled)
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}
