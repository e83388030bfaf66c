package modeltest

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/drift"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/tools/recorded"
)

// HostileDim is the number of variables of HostileRows, and HostileBreak the row before which Restarts makes a break.
const (
	HostileDim   = 3
	HostileBreak = 90
)

// HostileRows is a series with what makes state: a start with missing values and one that does not move, a value that sticks, a spike, a level that
// jumps far beyond any earlier step, rows without any value, and noise that grows after row 300.
func HostileRows(n int) [][]float64 {
	rng := rand.New(rand.NewPCG(31, 32))
	rows := make([][]float64, n)
	var a, b float64
	for i := range rows {
		size := 1.
		if i >= 300 {
			size = 3
		}
		a, b = .8*a+size*rng.NormFloat64(), .5*b+math.Sin(a)+.3*size*rng.NormFloat64()
		y := []float64{a, b, math.Sin(2*math.Pi*float64(i)/6) + .1*size*rng.NormFloat64()}
		if i >= 70 {
			y[0] += 400 // a novelty
		}
		switch {
		case i < 3:
			y[1], y[2] = math.NaN(), 7
		case i < 12:
			y[2] = 7
		case i >= 20 && i < 45:
			y[1] = 1.5
		case i == 55:
			y[2] = 1e4
		case i == 80 || i == 81:
			y = []float64{math.NaN(), math.NaN(), math.NaN()}
		}
		rows[i] = y
	}
	return rows
}

// Said returns all that a forecaster of HostileDim variables says after a sample: its forecasts of the given number of
// horizons, bounds of the given number of levels and of the joint region as distances from them, score, drift and influences;
// nil without a forecast.
func Said(f eval.Forecaster, horizon, levels int) []float64 {
	n := horizon * HostileDim
	forecast := make([]float64, n)
	if !f.ForecastTo(forecast) {
		return nil
	}
	out := forecast[:n:n]
	pair := func(n int, ask func(lower, upper []float64) bool) {
		all := slices.Repeat([]float64{math.NaN()}, 2*n) // NaN: horizons without bounds
		if ask(all[:n], all[n:]) {
			for i := range all {
				all[i] -= forecast[i%len(forecast)]
			}
			out = append(out, all...)
		}
	}
	if b, ok := eval.As[eval.Bounder](f); ok {
		pair(levels*n, b.BoundsTo)
	}
	if b, ok := eval.As[eval.JointBounder](f); ok {
		pair(n, b.JointTo)
	}
	if d, ok := eval.As[eval.Detector](f); ok {
		if score, ok := d.Anomaly(); ok {
			out = append(out, score)
		}
	}
	if d, ok := eval.As[drift.Detector](f); ok {
		if c, ok := d.Drift(); ok {
			out = append(out, float64(c.Since), float64(c.Variable), float64(len(c.Action)))
			if c.Bias {
				out = append(out, 1)
			}
		}
	}
	if in, ok := eval.As[eval.Influencer](f); ok {
		if all := make([]float64, HostileDim*HostileDim); in.InfluenceTo(all) {
			out = append(out, all...)
		}
	}
	return out
}

// Restarts runs a model over rows, and one that is saved and restored before every sample. It returns what the first says
// after each sample, and the bytes of the state at the end; the test fails unless the second says the same bits, and refuses
// bad samples without a change. A model with a clock gets samples of every hour.
func Restarts(t *testing.T, build func() (eval.Model, error), rows [][]float64, horizon, levels int) (said [][]float64, state int) {
	t.Helper()
	create := func() (eval.Model, eval.Forecaster) {
		m, err := build()
		if err != nil {
			t.Fatal(err)
		}
		return m, m.NewSeries()
	}
	_, never := create()
	m, again := create()
	for i, y := range rows {
		saved := SaveState(m, again)
		m, again = create()
		c := snapshot.NewDecoder(saved)
		m.State(c)
		again.State(c)
		if err := c.Finish(); err != nil {
			t.Fatalf("before sample %d: %v", i, err)
		}
		if i > 0 {
			if err := Same(said[i-1:i], [][]float64{Said(again, horizon, levels)}); err != nil {
				t.Fatalf("restored before sample %d: %v", i, err)
			}
		}
		for _, f := range []eval.Forecaster{never, again} {
			if r, ok := eval.As[eval.LagResetter](f); ok && i == HostileBreak {
				r.ResetLags()
			}
			if c, ok := eval.As[eval.Clocked](f); ok {
				c.SetTime(FirstOf2026 + int64(i)*int64(time.Hour))
			}
			if err := f.Observe(y); err != nil {
				t.Fatal(err)
			}
		}
		said = append(said, Said(never, horizon, levels))
		if err := Same(said[i:], [][]float64{Said(again, horizon, levels)}); err != nil {
			t.Fatalf("after sample %d: %v", i, err)
		}
	}
	before := SaveState(m, again)
	for _, bad := range [][]float64{{1}, make([]float64, HostileDim+1), {math.Inf(1), 1, 1}, {math.NaN(), 1, math.Inf(-1)}} {
		if err := again.Observe(bad); err == nil {
			t.Errorf("the sample %v was accepted", bad)
		}
	}
	if !bytes.Equal(SaveState(m, again), before) {
		t.Error("a refused sample changed the state")
	}
	return said, len(before)
}

// Builds are constructors of models by their names.
type Builds map[string]func() (eval.Model, error)

// CheckRecorded runs Restarts over n rows of each model, and compares what they say, forecasts as distances from the sample,
// and the sizes of their states with a file.
func CheckRecorded(t *testing.T, path string, horizon, levels, n int, models Builds) {
	t.Helper()
	const each = 40 // rows of a line
	rows := HostileRows(n)
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(models)) {
		said, state := Restarts(t, models[name], rows, horizon, levels)
		for from := 0; from < n; from += each {
			var all []float64
			for row, out := range said[from : from+each] {
				for i, v := range out {
					if i < HostileDim*horizon {
						v -= rows[from+row][i%HostileDim]
					}
					all = append(all, v)
				}
			}
			fmt.Fprintf(&text, "%s, rows from %d on: %s\n", name, from, recorded.Digest(all))
		}
		fmt.Fprintf(&text, "%s, state: %d bytes\n", name, state)
	}
	recorded.Check(t, path, text.String())
}
