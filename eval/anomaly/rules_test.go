package anomaly

import (
	"testing"

	"github.com/orffvar/forecaster/internal/tools/testseries"
)

// Rules keep alarms back, but a variable without one raises them.
func TestAnomalyRules(t *testing.T) {
	jump := func(c Config, variable int, size float64, length int) int {
		c.Dim = 2
		rows := testseries.Normals(8, 3100, 2)
		for i := range length {
			rows[3000+i][variable] = size
		}
		return alarms(anomalyScores(NewScorer(c), rows)[3000:3020])
	}
	if jump(Config{}, 0, 50, 1) == 0 || jump(Config{}, 0, -50, 1) == 0 {
		t.Fatal("no alarm without rules")
	}
	for _, rule := range []Rule{{MinDeviation: 60}, {Direction: Below}} {
		c := Config{Rules: []Rule{rule, {}}}
		if n := jump(c, 0, 50, 1); n != 0 {
			t.Errorf("%+v: %d alarms", rule, n)
		}
		if n := jump(c, 0, -70, 1); n == 0 {
			t.Errorf("%+v: no alarm for -70", rule)
		}
		if n := jump(c, 1, 50, 1); n == 0 {
			t.Errorf("%+v: no alarm of the other variable", rule)
		}
	}
	if !(Rule{MinRelative: .1}).admits(100, 11) || (Rule{MinRelative: .1}).admits(100, -9) {
		t.Error("relative deviation")
	}
	if rootPart(1, 4) != .5 || rootPart(5, 4) != 1 || rootPart(0, 0) != 0 {
		t.Error("part of a distance")
	}
	if n := jump(Config{MinDuration: 3}, 0, 50, 1); n != 0 {
		t.Errorf("%d alarms of one sample where three are asked for", n)
	}
}

// A sample without a forecast has no deviation from it, whatever that of the sample before was.
func TestNoDeviationWithoutAForecast(t *testing.T) {
	s := NewScorer(Config{Dim: 1, Rules: []Rule{{MinDeviation: 10}}})
	for i := range 100 {
		s.Observe(int64(i)*minute, []float64{float64(i % 2)}, []float64{0})
	}
	s.Observe(100*minute, []float64{50}, []float64{0})
	if s.suppressed(Jump, 0, []float64{50}) {
		t.Error("an error of 50 is suppressed")
	}
	s.Observe(101*minute, []float64{0}, nil)
	if !s.suppressed(Jump, 0, []float64{0}) {
		t.Error("an error without a forecast")
	}
}

// An alarm needs variables that are odd enough for it without those that a rule suppresses, in
// every view, and they alone are to blame.
func TestAnomalyRulesLookAtTheOtherVariablesAlone(t *testing.T) {
	const at = 3000
	quiet := Rule{MinDeviation: 1e9}
	for _, c := range []struct {
		name   string
		rules  []Rule
		change func(y []float64, i int)
		blamed int // -1: there is no alarm
	}{
		{"jump beside a suppressed one", []Rule{quiet, {}, {}}, func(y []float64, i int) {
			if i == 0 {
				y[0], y[2] = y[0]+1000, 40
			}
		}, 2},
		{"odd, but no jump, beside a suppressed one", []Rule{quiet, {}, {}}, func(y []float64, i int) {
			if i == 0 {
				y[0], y[2] = y[0]+25, 3
			}
		}, -1},
		{"shift beside a suppressed one", []Rule{quiet, {}, {}}, func(y []float64, _ int) {
			y[0] += 400
			y[2] += 4
		}, 2},
		{"suppressed shift that contradicts a variable", []Rule{quiet, {}, {}}, func(y []float64, _ int) { y[0] -= 9 }, -1},
		{"shift that contradicts a suppressed variable", []Rule{{}, quiet, {}}, func(y []float64, _ int) { y[0] -= 9 }, 0},
		{"all suppressed", []Rule{quiet, quiet, quiet}, func(y []float64, _ int) { y[0] += 30; y[2] += 30 }, -1},
	} {
		rows := testseries.Normals(14, at+30, 3)
		for i, y := range rows {
			y[0] *= 3
			y[1] = y[0] + .3*y[1]
			if i >= at {
				c.change(y, i-at)
			}
		}
		s := NewScorer(Config{Dim: 3, Rules: c.rules})
		for i, y := range rows {
			score, _ := s.Observe(int64(i)*minute, y, make([]float64, 3))
			if i < at {
				continue
			}
			if score > 1 && c.blamed < 0 {
				t.Errorf("%s: row %d has the score %.2f by %v, shares %.2f", c.name, i-at, score, s.Cause(), s.Shares())
			}
			for j, share := range s.Shares() {
				if score > 1 && c.rules[j] == quiet && share > 0 {
					t.Errorf("%s: row %d: variable %d is suppressed, shares %.2f", c.name, i-at, j, s.Shares())
				}
			}
		}
		if e := s.Event(); c.blamed >= 0 && (!(e.Begin >= at*minute) || !(e.Shares[c.blamed] > .9)) {
			t.Errorf("%s: %+v", c.name, e)
		}
	}
}
