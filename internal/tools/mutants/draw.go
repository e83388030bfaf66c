package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
)

//go:embed equivalents.yaml
var equivalentList []byte

// equivalent is a drawn mutant that no test can detect, identified by its lines.
type equivalent struct {
	File, Old, New string
	Why            string
}

// source is a package for mutants.
type source struct {
	ImportPath, Dir     string
	GoFiles, EmbedFiles []string

	Imports, TestImports, XTestImports []string
}

// drawing draws mutants. All lines with a site are equally likely.
type drawing struct {
	count       int
	seed        uint64
	packages    []string
	also        []string       // packages with additional tests beside the changed package; nil: packages that import it
	only        *regexp.Regexp // regular expression of the files; nil: all
	tests       string         // regular expression of the tests; "": tests that cover the line
	within      time.Duration
	least       float64
	module      string    // path of the module
	sources     []*source // all packages of the module
	equivalents []equivalent
	coverage    *coverage
	random      *rand.Rand
	tree        string // copy of the module for changed queries; "": none yet
}

// drawn is a drawn mutant.
type drawn struct {
	mutation
	pkg  *source
	site site
}

// newDrawing returns a drawing for the given packages, or for packages with files that differ from the git revision
// since.
func newDrawing(ctx context.Context, d drawing, since string) (*drawing, error) {
	if err := yaml.UnmarshalWithOptions(equivalentList, &d.equivalents, yaml.Strict()); err != nil {
		return nil, err
	}
	module, err := output(ctx, "go", "list", "-m")
	if err != nil {
		return nil, err
	}
	d.module = strings.TrimSpace(string(module))
	if d.sources, err = listPackages(ctx, []string{"./..."}); err != nil {
		return nil, err
	}
	if since != "" {
		if d.packages, err = changedPackages(ctx, since); err != nil {
			return nil, err
		}
	}
	if len(d.packages) == 0 {
		d.packages = []string{"./..."}
	}
	d.random = rand.New(rand.NewPCG(d.seed, 0))
	return &d, nil
}

func output(ctx context.Context, name string, args ...string) ([]byte, error) {
	out, err := exec.CommandContext(ctx, name, args...).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("%s %s: %w\n%s", name, args[0], err, exit.Stderr)
	}
	return out, err
}

func changedPackages(ctx context.Context, since string) (dirs []string, err error) {
	out, err := output(ctx, "git", "diff", "--name-only", "--diff-filter=d", since, "--", "*.go", "*.js")
	if err != nil {
		return nil, err
	}
	for name := range strings.Lines(string(out)) {
		dir, _, _ := strings.Cut(filepath.ToSlash(filepath.Dir(strings.TrimSpace(name))), "/assets")
		if !slices.Contains(dirs, "./"+dir) && !strings.HasSuffix(strings.TrimSpace(name), "_test.go") {
			dirs = append(dirs, "./"+dir)
		}
	}
	if len(dirs) == 0 {
		return nil, fmt.Errorf("no package differs from %s", since)
	}
	return dirs, nil
}

// lines holds the lines of a file with sites.
type lines struct {
	pkg   *source
	file  string
	sites []site // sites of one line
}

func listPackages(ctx context.Context, names []string) (all []*source, err error) {
	out, err := output(ctx, "go", append([]string{"list", "-json=ImportPath,Dir,GoFiles,EmbedFiles,Imports,TestImports,XTestImports"}, names...)...)
	if err != nil {
		return nil, err
	}
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		p := new(source)
		if err := decoder.Decode(p); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// places finds the sites in all handwritten files of the packages.
func (d *drawing) places(ctx context.Context) (all []lines, err error) {
	packages, err := listPackages(ctx, d.packages)
	if err != nil {
		return nil, err
	}
	for _, p := range packages {
		if d.isForTests(p) {
			continue
		}
		queries, err := queryFiles(p)
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Concat(p.GoFiles, p.EmbedFiles, queries) {
			part, err := placesOf(p, name)
			if err != nil {
				return nil, err
			}
			if len(part) > 0 && d.only.MatchString(part[0].file) {
				all = append(all, part...)
			}
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%v have no place for a mutant", d.packages)
	}
	return all, nil
}

// isForTests reports whether a package is only for tests. Such a package has functions with a testing.T, or is internal
// and imported only by tests.
func (d *drawing) isForTests(p *source) bool {
	return slices.Contains(p.Imports, "testing") || strings.Contains(p.ImportPath, "/internal/") && !slices.ContainsFunc(d.sources, func(q *source) bool {
		return slices.Contains(q.Imports, p.ImportPath) && !strings.Contains(q.ImportPath, "/internal/tools/")
	})
}

func placesOf(p *source, name string) (all []lines, err error) {
	path := filepath.Join(p.Dir, name)
	script := filepath.Ext(path) == ".js" && !strings.Contains(filepath.ToSlash(path), "/vendor/")
	if filepath.Ext(path) != ".go" && !script && !isQueries(path) {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var sites []site
	switch {
	case script:
		sites, err = sitesOfJS(text)
	case isQueries(path):
		sites = sitesOfQueries(text)
	case !bytes.Contains(text, []byte("// Code generated ")):
		sites, err = sitesOfGo(path, text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if path, err = filepath.Rel(here, path); err != nil {
		return nil, err
	}
	slices.SortStableFunc(sites, func(a, b site) int { return a.line - b.line })
	for _, s := range sites {
		if n := len(all); n == 0 || all[n-1].sites[0].line != s.line {
			all = append(all, lines{pkg: p, file: filepath.ToSlash(path)})
		}
		all[len(all)-1].sites = append(all[len(all)-1].sites, s)
	}
	return all, nil
}

// mutant makes a mutant of a line: the lines before and after the change.
func (d *drawing) mutant(l lines) (*drawn, error) {
	s := l.sites[d.random.IntN(len(l.sites))]
	text, err := os.ReadFile(l.file)
	if err != nil {
		return nil, err
	}
	begin := bytes.LastIndexByte(text[:s.from], '\n') + 1
	end := len(text)
	if n := bytes.IndexByte(text[s.to:], '\n'); n >= 0 {
		end = s.to + n
	}
	changed := string(text[begin:s.from]) + s.text + string(text[s.to:end])
	return &drawn{
		mutation: mutation{Bug: fmt.Sprintf("line %d: %s", s.line, s.kind), File: l.file, Old: string(text[begin:end]), New: changed},
		pkg:      l.pkg, site: s,
	}, nil
}

// why returns the reason for the equivalence of a mutant; "": not known to be equivalent.
func (d *drawing) why(m *drawn) string {
	for _, e := range d.equivalents {
		if e.File == m.File && strings.TrimSpace(e.Old) == strings.TrimSpace(m.Old) && strings.TrimSpace(e.New) == strings.TrimSpace(m.New) {
			return e.Why
		}
	}
	return ""
}

// run draws mutants, runs their tests, and reports the survivors.
func (d *drawing) run(ctx context.Context, r *runner) error {
	all, err := d.places(ctx)
	if err != nil {
		return err
	}
	begun := time.Now()
	defer func() { _ = os.RemoveAll(d.tree) }()
	tally := &tally{packages: map[string]*score{}}
	order := d.random.Perm(len(all))
	for _, i := range order {
		if tally.tried == d.count || d.within > 0 && time.Since(begun) > d.within || ctx.Err() != nil {
			break
		}
		m, err := d.mutant(all[i])
		if err != nil {
			return err
		}
		if why := d.why(m); why != "" {
			tally.equivalent++
			fmt.Printf("equivalent %s, %s: %s\n", m.File, m.Bug, why)
			continue
		}
		killer, err := d.try(ctx, r, m)
		if errors.Is(err, errCompile) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s, %s: %w", m.File, m.Bug, err)
		}
		tally.add(m, killer)
	}
	return tally.end(d)
}

// try runs the tests that cover the line of a mutant, first the tests of its package.
func (d *drawing) try(ctx context.Context, r *runner, m *drawn) (killer string, err error) {
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	if isQueries(m.File) {
		return d.tryQuery(ctx, r, m, dir)
	}
	overlay, err := m.overlay(dir)
	if err != nil {
		return "", err
	}
	compiled := false
	for i, pkg := range d.suites(m.pkg) {
		tests, what := cmp.Or(d.tests, "."), "./..."
		if i == 0 {
			what = pkg
		}
		if filepath.Ext(m.File) == ".go" && d.tests == "" {
			file := m.pkg.ImportPath + "/" + filepath.Base(m.File)
			if tests, err = d.coverage.of(ctx, what, pkg, file, m.site.runs); err != nil {
				return "", err
			}
		}
		if tests == "" {
			continue
		}
		killer, err = r.test(ctx, suite{pkg, tests}, dir, overlay, ".")
		if errors.Is(err, errNoTests) {
			continue
		}
		if err != nil || killer != "" {
			return killer, err
		}
		compiled = true
	}
	if !compiled {
		if out, err := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, m.pkg.ImportPath).CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w\n%s", errCompile, out)
		}
	}
	return "", nil
}

// tryQuery runs the tests of a changed query in a copy of the tree.
func (d *drawing) tryQuery(ctx context.Context, r *runner, m *drawn, dir string) (killer string, err error) {
	if d.tree == "" {
		if d.tree, err = os.MkdirTemp("", "mutants"); err != nil {
			return "", err
		}
		if err := copyTree(d.tree); err != nil {
			return "", err
		}
	}
	text, err := os.ReadFile(m.File)
	if err != nil {
		return "", err
	}
	changed := filepath.Join(d.tree, m.File)
	if err := os.WriteFile(changed, m.changed(text), 0o600); err != nil {
		return "", err
	}
	for _, pkg := range d.suites(m.pkg) {
		if killer, err = r.test(ctx, suite{pkg, cmp.Or(d.tests, queryTests)}, dir, "", d.tree); err != nil || killer != "" {
			break
		}
	}
	return killer, errors.Join(err, os.WriteFile(changed, text, 0o600))
}

// suites returns the packages with tests to run, the changed package first.
func (d *drawing) suites(p *source) []string {
	folder := func(path string) string { return "." + strings.TrimPrefix(path, d.module) }
	all := []string{folder(p.ImportPath)}
	for _, q := range d.sources {
		imports := slices.Contains(q.Imports, p.ImportPath) || slices.Contains(q.TestImports, p.ImportPath) || slices.Contains(q.XTestImports, p.ImportPath)
		if name := folder(q.ImportPath); q.ImportPath != p.ImportPath && slices.Contains(d.also, name) || imports && d.also == nil {
			all = append(all, name)
		}
	}
	return all
}

// overlay writes the changed file and an overlay to dir. Unlike mutation.apply, the old text may occur several times.
func (m *drawn) overlay(dir string) (string, error) {
	text, err := os.ReadFile(m.File)
	if err != nil {
		return "", err
	}
	return writeOverlay(dir, m.File, m.changed(text))
}

func (m *drawn) changed(text []byte) []byte {
	return slices.Concat(text[:m.site.from], []byte(m.site.text), text[m.site.to:])
}
