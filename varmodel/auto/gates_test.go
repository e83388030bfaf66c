package auto

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// The gates hold the accuracy that the default model has reached on real series, after those of
// TestKnownOptimum, which need no data. Each figure of testdata/gates.csv is the mean
// over three seeds; its spread is the largest minus the smallest of them. A gate fails when a
// figure is worse by more than its spread, which exceeds random effects of a change.
//
// Errors are means of squares in units of the training data, see protocolB, with the published
// scale for the tables of the thesis; coverage is that of the interval of 90 %, and the worse the
// farther from that.
//
//	FORECASTER_DATA=... go test ./varmodel/auto -run TestGates                    compares
//	FORECASTER_DATA=... UPDATE_GATES=1 go test ./varmodel/auto -run TestGates     writes the table
const gatesFile = "testdata/gates.csv"

// gatesHead says in the file what it holds.
const gatesHead = `# Accuracy that the default model has reached, recorded by UPDATE_GATES=1 go test -run TestGates.
# No figure comes from theory: TestKnownOptimum has those. A change of a figure needs a line of
# CHANGELOG.md; one for the worse also needs a gain elsewhere in this table that outweighs it.
`

// gateRounding is a relative change that other processors make by rounding; it bounds the spread from below.
const gateRounding = 1e-3

var gateSeeds = []uint64{1, 2, 3}

// figure is one line of the table.
type figure struct{ mean, spread float64 }

func newFigure(v []float64) figure {
	return figure{mean(v), slices.Max(v) - slices.Min(v)}
}

// gates holds the figures of the table and the present figures. Series are measured in parallel.
type gates struct {
	mu   sync.Mutex
	want map[string]figure
	got  map[string]figure
}

func (g *gates) check(t *testing.T, name string, values []float64) {
	t.Helper()
	f := newFigure(values)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.got[name] = f
	if os.Getenv("UPDATE_GATES") != "" {
		return
	}
	want, ok := g.want[name]
	if !ok {
		t.Errorf("%s has no gate: update %s", name, gatesFile)
		return
	}
	now, was, limit := f.mean, want.mean, max(want.spread, gateRounding*want.mean)
	if filepath.Ext(name) == ".coverage" {
		now, was = math.Abs(now-.9), math.Abs(was-.9)
		limit = max(want.spread, gateRounding)
	}
	if !(now <= was+limit) {
		t.Errorf("%s: %.5g, worse than %.5g by more than %.2g", name, f.mean, want.mean, limit)
	} else if now < was-limit {
		t.Logf("%s: %.5g, better than %.5g by more than %.2g: update %s", name, f.mean, want.mean, limit, gatesFile)
	}
}

func readGates(t *testing.T) *gates {
	g := &gates{want: make(map[string]figure), got: make(map[string]figure)}
	f, err := os.Open(gatesFile)
	if err != nil {
		if os.Getenv("UPDATE_GATES") != "" {
			return g
		}
		t.Fatal(err)
	}
	defer f.Close()
	table := csv.NewReader(f)
	table.Comment = '#'
	rows, err := table.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows[1:] {
		m, err1 := strconv.ParseFloat(r[1], 64)
		s, err2 := strconv.ParseFloat(r[2], 64)
		if err1 != nil || err2 != nil {
			t.Fatalf("%s: %v", gatesFile, r)
		}
		g.want[r[0]] = figure{m, s}
	}
	return g
}

// end compares the names in the table with the measured names, or writes the table.
func (g *gates) end(t *testing.T) {
	if os.Getenv("UPDATE_GATES") == "" {
		for name := range g.want {
			if _, ok := g.got[name]; !ok {
				t.Errorf("%s was not measured", name)
			}
		}
		return
	}
	var names []string
	for name := range g.got {
		names = append(names, name)
	}
	slices.Sort(names)
	text := []byte(gatesHead + "figure,mean,spread\n")
	for _, name := range names {
		text = fmt.Appendf(text, "%s,%.6g,%.2g\n", name, g.got[name].mean, g.got[name].spread)
	}
	if err := os.WriteFile(gatesFile, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// gateHorizon is the largest horizon of the gates.
const gateHorizon = 24

// TestGates measures the default model on all series. It runs where FORECASTER_DATA names the
// folder of the data.
func TestGates(t *testing.T) {
	if os.Getenv("FORECASTER_DATA") == "" {
		t.Skip("FORECASTER_DATA is not set")
	}
	g := readGates(t)
	t.Run("all", func(t *testing.T) {
		for _, name := range append(slices.Clone(modeltest.Nine), "us_climate18_mean") {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				p := modeltest.LoadB(t, name)
				g.series(t, p)
				g.orffvar(t, p, ".1.orffvar")
			})
		}
		t.Run("missing values", func(t *testing.T) {
			t.Parallel()
			g.series(t, modeltest.NewProtocolB("air_quality_uci with gaps", modeltest.ReadSeries(t, "air_quality_uci.csv")))
		})
		for _, c := range thesisTables(t) {
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				var v []float64
				for _, seed := range gateSeeds {
					v = append(v, c.Run(t, newAuto(t, Config{Dim: len(c.Sd), Horizon: 1, Seed: seed}), 1)[0])
				}
				g.check(t, c.Name+".thesis", v)
				g.orffvar(t, c, ".thesis.orffvar")
			})
		}
	})
	g.end(t)
}

// series measures errors of one step and of up to gateHorizon steps, and the coverage at one and
// twelve steps.
func (g *gates) series(t *testing.T, p *modeltest.ProtocolB) {
	d := len(p.Sd)
	var one, twelve, all, near, far []float64
	hs := make([]int, gateHorizon)
	for h := range hs {
		hs[h] = h + 1
	}
	for _, seed := range gateSeeds {
		c := &coverage{d: d, x: p.X, begin: p.Begin, end: p.End}
		m := intervalsAround(t, newAuto(t, Config{Dim: d, Horizon: gateHorizon, Seed: seed}), d, gateHorizon, []float64{.9})
		mse := p.Run(t, covered{m, c}, gateHorizon, hs...)
		one, twelve, all = append(one, mse[0]), append(twelve, mean(mse[:12])), append(all, mean(mse))
		near, far = append(near, c.share(0)), append(far, c.share(11))
	}
	g.check(t, p.Name+".1", one)
	g.check(t, p.Name+".1-12", twelve)
	g.check(t, p.Name+".1-24", all)
	g.check(t, p.Name+".1.coverage", near)
	g.check(t, p.Name+".12.coverage", far)
}

// orffvar measures the error of one step of ORFFVAR alone.
func (g *gates) orffvar(t *testing.T, p *modeltest.ProtocolB, suffix string) {
	var v []float64
	for _, seed := range gateSeeds {
		m, err := NewORFFVAR(ORFFVARConfig{Dim: len(p.Sd), Order: 3, Horizon: 1, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		v = append(v, p.Run(t, m, 1)[0])
	}
	g.check(t, p.Name+suffix, v)
}

// coverage counts the targets inside of the intervals of a model, after the first fifth of the
// rows.
type coverage struct {
	d          int
	x          [][]float64
	begin, end int
	row        int
	inside, n  [gateHorizon]float64
}

func (c *coverage) share(k int) float64 { return c.inside[k] / c.n[k] }

// covered is a model whose intervals are counted.
type covered struct {
	eval.Model
	c *coverage
}

func (m covered) NewSeries() eval.Forecaster { return &coveredSeries{m.Model.NewSeries(), m.c} }

type coveredSeries struct {
	eval.Forecaster
	c *coverage
}

func (s *coveredSeries) Observe(y []float64) error {
	if err := s.Forecaster.Observe(y); err != nil {
		return err
	}
	c := s.c
	i := c.row
	c.row++
	lower, upper := make([]float64, gateHorizon*c.d), make([]float64, gateHorizon*c.d)
	if b, ok := eval.As[eval.Bounder](s.Forecaster); !ok || !b.BoundsTo(lower, upper) {
		return nil
	}
	for _, h := range []int{1, 12} {
		if target := i + h; target >= len(c.x)/5 && target < c.end {
			for j, y := range c.x[target] {
				k := (h-1)*c.d + j
				if math.IsNaN(y) || math.IsNaN(lower[k]) { // a horizon without bounds yet
					continue
				}
				c.n[h-1]++
				if lower[k] <= y && y <= upper[k] {
					c.inside[h-1]++
				}
			}
		}
	}
	return nil
}

// thesisTables returns the series of the tables 8.1 to 8.3 of Brault 2017, in the units of these tables.
func thesisTables(t *testing.T) (all []*modeltest.ProtocolB) {
	for _, c := range []struct {
		name   string
		x      [][]float64
		window int
	}{
		{"linear white", modeltest.ReadSeries(t, "paper/table8_1_lin_white.csv"), 500},
		{"linear Toeplitz", modeltest.ReadSeries(t, "paper/table8_1_lin_toep.csv"), 500},
		{"exponential white", modeltest.ReadSeries(t, "paper/table8_1_exp_white.csv"), 500},
		{"exponential Toeplitz", modeltest.ReadSeries(t, "paper/table8_1_exp_toep.csv"), 500},
		{"sine white", modeltest.ReadSeries(t, "paper/table8_1_sine_white.csv"), 500},
		{"sine Toeplitz", modeltest.ReadSeries(t, "paper/table8_1_sine_toep.csv"), 500},
		{"table 8.2", modeltest.ReadSeries(t, "paper/table8_2_exp_white.csv"), 5000},
		{"Macrodata", columns(modeltest.ReadSeries(t, "macrodata.csv"), 2, 3, 5, 6, 7, 8, 10, 11), 50},
		{"Gesture 1", standardise(columns(modeltest.ReadSeries(t, "gesture_a1.csv"), from(1, 32)...)), 200},
		{"Gesture 4", standardise(columns(modeltest.ReadSeries(t, "gesture_b1.csv"), from(1, 32)...)), 200},
		{"Heart", standardise(modeltest.ReadSeries(t, "santafe_b1.csv")[1:]), 240},
	} {
		p := &modeltest.ProtocolB{Name: c.name, X: c.x, Begin: c.window, End: len(c.x)}
		for range c.x[0] {
			p.Sd = append(p.Sd, 1)
		}
		all = append(all, p)
	}
	return all
}
