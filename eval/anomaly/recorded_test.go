package anomaly

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/tools/recorded"
)

// scenario is a series with every kind of incident that its number of variables allows.
type scenario struct {
	name  string
	c     Config
	rows  int
	step  int64 // ns
	daily bool  // the level follows the hour and the weekday
}

// next sets y to row i, and yhat to its forecast; nil: there is none.
func (s *scenario) next(r *rand.Rand, i int, y, yhat []float64) []float64 {
	factor := r.NormFloat64()
	at := float64(int64(i)*s.step) / (24 * 60 * minute) // days
	level := 0.
	if s.daily {
		level = 5 * math.Sin(2*math.Pi*at)
		if int(at)%7 > 4 {
			level /= 2
		}
	}
	within := func(from, n int) bool { return i >= from*s.rows/100 && i < from*s.rows/100+n }
	forecast := level
	for j := range y {
		x := level + .5*factor + r.NormFloat64()
		switch {
		case within(30, 1):
			x += 30 / float64(j+1) // a spike, which the next forecast repeats
		case within(35, 60) && j == 0:
			x += 4 // a shift that ends
		case within(42, 80) && j <= 1:
			x = level + 6*(x-level) // noise
		case within(48, 70) && j == len(y)-1:
			x = 3 // stuck
		case within(52, 90) && j == 1:
			x = level - 3*factor // a contradiction to the others
		case within(60, 1), within(61, 1), within(63, 1), within(66, 1):
			x = -999 // a sentinel
		case within(68, 3) && j == 0:
			x = math.NaN()
		case within(72, 1) && j == 0:
			x -= 20
		case within(72, 500) && j == 0:
			x -= 8 // a shift that becomes normal
		case within(90, 12) && i%2 == 0:
			x += 7 // comes and goes
		case i > 95*s.rows/100 && j == 0:
			x *= .1 // less noise
		}
		if j%3 == 2 {
			x = math.Round(4*x) / 4 // a coarse sensor
		}
		y[j], yhat[j] = x, forecast
		if within(30, 2) && !within(30, 1) {
			yhat[j] += 10
		}
	}
	if within(20, 1) {
		return nil
	}
	return yhat
}

// record writes the scores of a scenario: each event, and the sums of all results of the scorer. A restart in every 97th
// row, and after the beginning of each event, replaces the scorer by one with its state.
func (s *scenario) record(restarts bool) (lines []string) {
	r := rand.New(rand.NewPCG(uint64(s.rows), uint64(s.c.Dim)))
	scorer := NewScorer(s.c)
	y, yhat, variables := make([]float64, s.c.Dim), make([]float64, s.c.Dim), make([]float64, s.c.Dim)
	sums := make(map[string]float64)
	add := func(what string, v float64) {
		if v == v {
			sums[what] += min(max(v, -1000), 1000)
		}
	}
	event := func(what string, e Event) {
		lines = append(lines, fmt.Sprintf("%s: %s rows %d to %d, %d samples, peak %d, score %.10g, state %.10g, %.10g a day, %v of %v, normal %v; variable %d is %.10g, expected %.10g in %.10g to %.10g",
			s.name, what, e.Begin/s.step, e.End/s.step, e.Samples, e.Peak/s.step, e.Score, e.StateScore, e.FalsePerDay, e.Cause, e.Blamed(), e.Normal, e.Seen.Variable, e.Seen.Observed, e.Seen.Expected, e.Seen.Lower, e.Seen.Upper))
	}
	for i := range s.rows {
		if restarts && (i%97 == 96 || scorer.Begins()) {
			fresh := NewScorer(s.c)
			from := snapshot.NewEncoder(nil)
			scorer.State(from)
			to := snapshot.NewDecoder(from.Bytes())
			fresh.State(to)
			if err := to.Finish(); err != nil {
				panic(err) // the state was written here
			}
			scorer = fresh
		}
		at := int64(i) * s.step
		if i > s.rows/4 {
			at += 3600 * s.step // a gap
		}
		score, ok := scorer.Observe(at, y, s.next(r, i, y, yhat))
		if !ok {
			continue
		}
		add("score", score)
		state, _ := scorer.StateScore()
		add("state", state)
		scorer.VariablesTo(variables)
		for j, v := range variables {
			add("variables", v*float64(j+1))
		}
		for v, x := range scorer.scores {
			add(View(v).String(), x)
		}
		if score > 1 {
			sums["cause "+scorer.Cause().String()]++
			for j, v := range scorer.Shares() {
				add("shares", v*float64(j+1))
			}
		}
		if scorer.Anomalous() {
			sums["anomalous"]++
		}
		if scorer.Begins() {
			e := scorer.Event()
			sums["begun"]++
			add("begun scores", e.Score)
			add("begun values", e.Seen.Observed-e.Seen.Expected)
		}
		if scorer.BecameNormal() {
			event("became normal", scorer.Event())
		}
		if e, ended := scorer.Ended(); ended {
			event("ended", e)
		}
	}
	for _, what := range []string{"score", "state", "variables", "level", "noise", "jump", "correlation", "flat", "cause level", "cause noise", "cause jump", "cause correlation", "cause flat", "cause state", "shares", "anomalous", "begun", "begun scores", "begun values"} {
		lines = append(lines, fmt.Sprintf("%s: sum of %s %.10g", s.name, what, sums[what]))
	}
	return lines
}

// TestRecordedScores: events and scores of series with all kinds of incidents are those on record, also
// with restarts. After an intended change, write the record with UPDATE_GATES=1 and read the differences.
func TestRecordedScores(t *testing.T) {
	interval := func(j int) (lower, upper float64) { return -2, 2 + float64(j) }
	rules := []Rule{{MinDeviation: 5}, {Direction: Above}, {MinRelative: .5}}
	var got []string
	for _, s := range []scenario{
		{"one", Config{Dim: 1}, 6000, minute, false},
		{"four", Config{Dim: 4, FalseAlarms: 1e-2}, 6000, minute, false},
		{"daily", Config{Dim: 2, NormalAfter: 200, Interval: interval}, 8000, 10 * minute, true},
		{"budget", Config{Dim: 3, AlarmsPerDay: 4, MinDuration: 3}, 8000, 5 * minute, true},
		{"rules", Config{Dim: 3, Rules: rules}, 6000, minute, false},
		{"twenty", Config{Dim: 20}, 2500, minute, false},
		{"many", Config{Dim: othersMost + 2}, 1500, minute, false},
	} {
		lines := s.record(false)
		for i, line := range s.record(true) {
			if i >= len(lines) || line != lines[i] {
				t.Fatalf("with restarts: got\n%s\nwant\n%s", line, lines[min(i, len(lines)-1)])
			}
		}
		got = append(got, lines...)
	}
	recorded.Check(t, filepath.Join("testdata", "scores.txt"), strings.Join(got, "\n")+"\n")
}
