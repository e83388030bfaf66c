// Command mutants measures how many mistakes the tests detect. It makes the changes of mutants.yaml,
// one at a time, and runs the tests of the changed package. With -draw it draws random changes instead.
//
//	go run ./internal/tools/mutants [-only REGEXP] [-run REGEXP] [-workers N] [-timeout D]
//	go run ./internal/tools/mutants -draw N [-seed N] [-since REVISION] [-tests PACKAGES] [-within D] [-least SHARE] [PACKAGE …]
//
// Drawn mutants are small changes. In Go, and in the JavaScript of the page: another operator, boundary, condition or
// return, swapped arguments, or a missing call or assignment. In queries of dashboards and alerts: another function,
// field, operator or number. Tools and packages only for tests have no mutants. Mutants that do not compile do not
// count. The command runs the tests that cover the changed line: first of the package, then of the packages of -tests,
// or of the packages that import it. equivalents.yaml lists survivors that no test can detect.
//
// A change is compiled from an overlay, or its tests run in a copy of the tree, so the tree does not change. A mutant is
// killed if a test fails, panics, computes endlessly, or takes more memory than -memory. If tests only wait endlessly,
// they have detected nothing, and a drawn mutant counts as a time-out. The command fails if a change does not apply or
// compile, if tests fail without a change, if a mutant of mutants.yaml survives without a reason in the list, or if
// too few mutants are killed.
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
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml"
)

//go:embed mutants.yaml
var list []byte

// leastKilled is the smallest share of killed mutants.
const leastKilled = .95

// mutation is one change of one file.
type mutation struct {
	Bug      string // behaviour that the change breaks
	File     string
	Old, New string // old and new text; Old occurs once in the file
	Tests    string // package with the failing tests, "./x"; empty: package of the file
	Run      string // regular expression of the tests, as for go test -run; empty: all
	Survives string // reason why no test can fail; empty: a test must fail
}

// suite names the tests for a mutation.
type suite struct{ pkg, run string }

func (m *mutation) suite() suite {
	if m.Tests != "" {
		return suite{m.Tests, m.Run}
	}
	return suite{"./" + filepath.ToSlash(filepath.Dir(m.File)), m.Run}
}

// apply writes the changed file and its overlay to a folder.
func (m *mutation) apply(dir string) (overlay string, err error) {
	text, err := os.ReadFile(m.File)
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), m.Old); n != 1 || m.Old == "" || m.Old == m.New {
		return "", fmt.Errorf("%s: the old text is there %d times, not once: %q. The code has changed: change the list, too", m.File, n, m.Old)
	}
	return writeOverlay(dir, m.File, bytes.Replace(text, []byte(m.Old), []byte(m.New), 1))
}

// writeOverlay writes a changed text, and an overlay that replaces the file name by this text.
func writeOverlay(dir, name string, text []byte) (overlay string, err error) {
	changed := filepath.Join(dir, "changed"+filepath.Ext(name))
	if err := os.WriteFile(changed, text, 0o600); err != nil {
		return "", err
	}
	file, err := filepath.Abs(name)
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

var (
	errCompile = errors.New("does not compile")
	errNoTests = errors.New("there are no tests")
)

// runner runs tests with limits of time and memory.
type runner struct {
	timeout time.Duration
	memory  int // memory limit of each process, in MB
	mu      sync.Mutex
	sound   map[suite]func() error // results of tests without a change
}

var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)|^(panic: .*|fatal error: .*)`)

// Killers of a mutant with endless tests: the tests compute, or they wait.
const (
	endless  = "endless loop"
	timedOut = "time-out"
)

// killerOf returns the killer from the output of failed tests and their processor time. An endless loop uses a whole
// processor, or a part of a busy one; waiting tests use almost no processor time. A test that failed before the time-out
// is the killer, although others waited after it.
func killerOf(out []byte, exit string, processor, timeout time.Duration) string {
	before, _, late := bytes.Cut(out, []byte("panic: test timed out after "))
	switch m := failed.FindSubmatch(before); {
	case m != nil:
		return string(m[1]) + string(m[2])
	case late && processor > timeout/5:
		return endless
	case late:
		return timedOut
	}
	return exit
}

// test builds tests and runs them in a tree. killer describes the failure; "": no failure.
func (r *runner) test(ctx context.Context, s suite, dir, overlay, tree string) (killer string, err error) {
	binary := filepath.Join(dir, "tests")
	build := exec.CommandContext(ctx, "go", "test", "-c", "-o", binary, "-overlay", overlay, s.pkg)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %w\n%s", errCompile, err, out)
	}
	if _, err := os.Stat(binary); err != nil { // the package has no test files
		return "", fmt.Errorf("%s: %w", s.pkg, errNoTests)
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", `ulimit -d "$0"; exec "$@"`, strconv.Itoa(r.memory<<10),
		binary, "-test.failfast", "-test.timeout", r.timeout.String(), "-test.run", s.run)
	cmd.Dir = filepath.Join(tree, s.pkg)
	if overlay != "" { // for tests that build programs
		cmd.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+overlay)
	}
	cmd.WaitDelay = r.timeout
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err == nil {
		if bytes.Contains(out, []byte("no tests to run")) {
			return "", fmt.Errorf("%s: %w for %s", s.pkg, errNoTests, s.run)
		}
		return "", nil
	}
	exit := (*exec.ExitError)(nil)
	if !errors.As(err, &exit) {
		return "", err
	}
	return killerOf(out, err.Error(), exit.UserTime()+exit.SystemTime(), r.timeout), nil
}

// check runs a suite without a change, once for all mutations.
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
			if killer, err := r.test(ctx, s, dir, "", "."); err != nil || killer != "" {
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
	return r.test(ctx, m.suite(), dir, overlay, ".")
}

// list runs the mutations of mutants.yaml.
func (r *runner) list(ctx context.Context, only *regexp.Regexp, tests string, workers int) error {
	var all []*mutation
	if err := yaml.UnmarshalWithOptions(list, &all, yaml.Strict()); err != nil {
		return err
	}

	var (
		mu                              sync.Mutex
		wg                              sync.WaitGroup
		tried, killed, unexplained, bad int
	)
	work := make(chan *mutation)
	for range workers {
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
		if tests != "" {
			m.Run = tests
		}
		if ctx.Err() == nil && (only.MatchString(m.File) || only.MatchString(m.Bug)) {
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
		return fmt.Errorf("no mutation matches %q", only)
	case bad > 0:
		return fmt.Errorf("%d mutations could not be tried", bad)
	case unexplained > 0:
		return fmt.Errorf("%d mutants survived; write a test, or say in the list why none can fail", unexplained)
	case float64(killed) < leastKilled*float64(tried):
		return fmt.Errorf("fewer than %.0f %% of the mutants were killed", 100*leastKilled)
	}
	return nil
}

func run() error {
	only := flag.String("only", "", "mutations of the list whose file or description, or drawn ones whose file, matches this regular expression")
	tests := flag.String("run", "", "tests to run, in the place of those of the list or of those that cover the line")
	workers := flag.Int("workers", 1, "mutations of the list at a time")
	timeout := flag.Duration("timeout", 5*time.Minute, "time for the tests of a mutation")
	memory := flag.Int("memory", 6000, "MB of data of each process of the tests")
	count := flag.Int("draw", 0, "number of mutants to draw, in the place of the list")
	seed := flag.Uint64("seed", 1, "seed of the drawing")
	since := flag.String("since", "", "draw in packages that differ from this revision")
	also := flag.String("tests", "", "packages whose tests are run beside those of the changed one, with commas between them; empty: those that import it; none")
	within := flag.Duration("within", 0, "time after which no mutant is drawn")
	least := flag.Float64("least", .85, "share of the drawn mutants that tests have to kill")
	flag.Parse()
	choice, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r := &runner{timeout: *timeout, memory: *memory, sound: make(map[suite]func() error)}
	if *count == 0 {
		return r.list(ctx, choice, *tests, *workers)
	}
	d := drawing{count: *count, only: choice, tests: *tests, seed: *seed, packages: flag.Args(), within: *within, least: *least, coverage: newCoverage(*timeout)}
	if *also != "" {
		d.also = strings.Split(*also, ",")
	}
	drawing, err := newDrawing(ctx, d, *since)
	if err != nil {
		return err
	}
	return drawing.run(ctx, r)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}
