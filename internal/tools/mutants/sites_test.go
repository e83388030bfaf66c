package main

import (
	"errors"
	"slices"
	"testing"
	"time"
)

func checkSites(t *testing.T, text string, sites []site, want ...string) {
	t.Helper()
	var got []string
	for _, s := range sites {
		got = append(got, text[s.from:s.to]+" → "+s.text)
	}
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("no mutant %q among %q", w, got)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d mutants, want %d: %q", len(got), len(want), got)
	}
}

func TestSitesOfGo(t *testing.T) {
	const text = `package p

const limit = 3

func f(a, b int) (bool, error) {
	x := "a" + name
	if a < b {
		a -= 1
		x.y = g(a, b)
	}
	h(a...)
	switch {
	case max(a, b) != a, slices.Equal(a, b), vec.Dot(a, b):
	}
	return a == b, io.EOF
}

func n() (int, error) {
	if ok {
		return 7, nil
	}
	return 8, io.EOF
}

func m() (int, bool) {
	if ok {
		return 9, true
	}
	return 9, false
}

func k() []func() int {
	return []func() int{
		func() int {
			return 10
		},
		one(11),
	}
}

func i() float64 {
	low = math.Inf(-1)
	return math.NaN()
}
`
	sites, err := sitesOfGo("p.go", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	checkSites(t, text, sites,
		"a < b → !(a < b)", "< → <=", "< → >=", "-= → +=", "1 → 2",
		"x.y → _", "a, b → b, a", "h(a...) → ", "!= → ==",
		"== → !=", "a == b → !(a == b)", "io.EOF → nil",
		"ok → !(ok)", "7 → 8", "7 → -(7)", "io.EOF → nil",
		"ok → !(ok)", "9 → 10", "9 → -(9)", "true → !(true)", "false → !(false)",
		"10 → 11", "10 → -(10)", "11 → 12",
		"low → _")
	for _, s := range sites {
		want := s.line
		switch s.line {
		case 13: // a case, of the switch
			want = 12
		case 37: // an element behind a function, of the return
			want = 33
		}
		if s.runs != want {
			t.Errorf("line %d runs with line %d, want %d", s.line, s.runs, want)
		}
	}
}

func TestSitesOfJavaScript(t *testing.T) {
	const text = `import {a} from "./a.js"; // a < b
if (x < y) {
	this.draw(a, f(b, 2));
}
const r = s.replace(/a+b<c/, "<") + ' x';
const z = -Math.max(x, y) / 4, ok = true;
class C { move(a, b) { } }
`
	sites, err := sitesOfJS([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	checkSites(t, text, sites,
		"x < y → !(x < y)", "< → <=", "< → >=", "a, f(b, 2) → f(b, 2), a", "b, 2 → 2, b", "2 → 3",
		"this.draw(a, f(b, 2)) → ", "/a+b<c/, \"<\" → \"<\", /a+b<c/", "/ → *", "4 → 5", "true → false")
}

func TestSitesOfQueries(t *testing.T) {
	const text = `{
 "title": "mean of 2",
 "query": "from(bucket: b)\n  |\u003e filter(fn: (r) =\u003e r.kind != \"drift\" and r.v \u003e 1.5)\n  |\u003e mean()",
 "expr": "a_total[5m] * 3",
 "query": "WHERE $timeFilter AND a AND b",
groups:
      - expr: b > 2
        for: 3m
        query: |
          last(x)
            / 4
        title: last
            - evaluator: {type: gt, params: [10]}
`
	checkSites(t, text, sitesOfQueries([]byte(text)),
		"!= → ==", "drift → season", "and → or", `\u003e → \u003c`, "1.5 → 3", "mean → max", "5 → 6", "AND → OR", "* → /", "3 → 4",
		"> → <", "2 → 3", "last → first", "/ → *", "4 → 5", "gt → lt", "10 → 11")
}

func TestKillerOf(t *testing.T) {
	const limit = time.Minute
	for _, c := range []struct {
		out       string
		processor time.Duration
		want      string
	}{
		{"=== RUN TestA\n    --- FAIL: TestA/b (0.0s)\npanic: x", time.Second, "TestA/b"},
		{"panic: index out of range\n", 59 * time.Second, "panic: index out of range"},
		{"fatal error: runtime: out of memory\n", time.Second, "fatal error: runtime: out of memory"},
		{"panic: test timed out after 1m0s\n--- FAIL: TestA", 13 * time.Second, endless},
		{"panic: test timed out after 1m0s\n--- FAIL: TestA", 11 * time.Second, timedOut},
		{"--- FAIL: TestA\npanic: test timed out after 1m0s\n--- FAIL: TestB", time.Second, "TestA"},
		{"", 0, "signal: killed"},
	} {
		if got := killerOf([]byte(c.out), "signal: killed", c.processor, limit); got != c.want {
			t.Errorf("%q after %v: %q, want %q", c.out, c.processor, got, c.want)
		}
	}
	var s score
	for _, killer := range []string{"TestA", "", timedOut, endless, "panic: x"} {
		s.add(killer)
	}
	if want := (score{tried: 5, killed: 3, endless: 1, timedOut: 1}); s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
}

// A package without test files kills no mutant.
func TestNoTestsKillNothing(t *testing.T) {
	r := &runner{timeout: time.Minute, memory: 4000}
	killer, err := r.test(t.Context(), suite{"../isatest", "."}, t.TempDir(), "", ".")
	if !errors.Is(err, errNoTests) || killer != "" {
		t.Errorf("killer %q, error %v", killer, err)
	}
}
