package interval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// moodySeries is AR(1) whose noise is the larger, and the more skewed, the larger
// the last value is.
func moodySeries(rng *rand.Rand, n int) [][]float64 {
	rows := make([][]float64, n)
	x := 0.0
	for i := range rows {
		scale := .2 + .8/(1+math.Exp(-3*x))
		x = .5*x + scale*(rng.ExpFloat64()-1)
		rows[i] = []float64{x}
	}
	return rows
}

// Coverage of 8000 targets has a standard error of .005 at most; the levels move
// with the stream, so three points are allowed. The width has to follow the
// state: the noise is up to five times as large on one side as on the other.
func TestQuantilesCover(t *testing.T) {
	rows := moodySeries(rand.New(rand.NewPCG(51, 52)), 10_000)
	m, err := varmodel.NewVAR(varmodel.VARConfig{Dim: 1, Order: 1, Horizon: 2})
	if err != nil {
		t.Fatal(err)
	}
	levels := []float64{.9, .5, .98}
	if m, err = NewQuantiles(m, QuantilesConfig{Dim: 1, Order: 1, Horizon: 2, Levels: levels, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	f := m.NewSeries()
	bounder := modeltest.As[eval.Bounder](t, f)
	lower, upper := make([]float64, 6), make([]float64, 6)
	var hits [6]float64
	var wide, narrow, wides, narrows, n float64
	for i, row := range rows {
		if i < len(rows)-2 && i > 2000 {
			if !bounder.BoundsTo(lower, upper) {
				t.Fatal("no bounds")
			}
			n++
			for l := range levels {
				for h := range 2 {
					if y := rows[i+h][0]; lower[2*l+h] <= y && y <= upper[2*l+h] {
						hits[2*l+h]++
					}
					if !(lower[2*l+h] <= upper[2*l+h]) || !(lower[h] <= lower[2+h]) || !(upper[h] >= upper[2+h]) || !(lower[4+h] <= lower[h]) {
						t.Fatalf("intervals are not nested: %v %v", lower, upper)
					}
				}
			}
			if last := rows[i-1][0]; last > 1 {
				wide, wides = wide+upper[0]-lower[0], wides+1
			} else if last < -.5 {
				narrow, narrows = narrow+upper[0]-lower[0], narrows+1
			}
		}
		if err := f.Observe(row); err != nil {
			t.Fatal(err)
		}
	}
	for l, p := range levels {
		for h := range 2 {
			got := hits[2*l+h] / n
			t.Logf("level %g, horizon %d: coverage %.3f", p, h+1, got)
			if !(math.Abs(got-p) <= .03) {
				t.Errorf("level %g, horizon %d: coverage %.3f", p, h+1, got)
			}
		}
	}
	ratio := wide / wides / (narrow / narrows)
	t.Logf("intervals are %.2f times as wide where the noise is", ratio)
	if !(ratio >= 1.5) {
		t.Errorf("intervals are only %.2f times as wide where the noise is", ratio)
	}
}

// Quantiles of neighbouring levels on a grid of 99 hardly ever cross (the spec asks
// for less than 1 % of a batch fit).
func TestQuantilesHardlyCross(t *testing.T) {
	rows := moodySeries(rand.New(rand.NewPCG(53, 54)), 6000)
	linear, err := varmodel.NewVAR(varmodel.VARConfig{Dim: 1, Horizon: 1, Order: 3})
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewQuantiles(linear, QuantilesConfig{Dim: 1, Order: 1, Horizon: 1, Levels: []float64{.9}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	q := m.(*quantiles)
	f := m.NewSeries().(*quantileSeries)
	grid, values := q.taus.Features(evenly(99)), make([]float64, 99)
	crossings, pairs := 0, 0
	for i, row := range rows {
		if err := f.Observe(row); err != nil {
			t.Fatal(err)
		}
		if i > 2000 {
			q.l[0].PredictTo(values, f.phi, grid)
			for k := 1; k < len(values); k++ {
				if values[k] < values[k-1] {
					crossings++
				}
			}
			pairs += 98
		}
	}
	rate := float64(crossings) / float64(pairs)
	t.Logf("crossing rate %.4f", rate)
	if !(rate <= .01) {
		t.Errorf("crossing rate %.4f", rate)
	}
}

func ExampleNewQuantiles() {
	m, err := varmodel.NewVAR(varmodel.VARConfig{Dim: 1, Order: 1, Horizon: 1})
	if err != nil {
		panic(err)
	}
	m, err = NewQuantiles(m, QuantilesConfig{Dim: 1, Order: 1, Horizon: 1, Levels: []float64{.8}})
	if err != nil {
		panic(err)
	}
	f := m.NewSeries()
	bounder, _ := eval.As[eval.Bounder](f)
	rng := rand.New(rand.NewPCG(1, 2))
	lower, upper := make([]float64, 1), make([]float64, 1)
	var inside, n float64
	for range 5000 {
		y := rng.NormFloat64()
		if bounder.BoundsTo(lower, upper) {
			n++
			if lower[0] <= y && y <= upper[0] {
				inside++
			}
		}
		if err := f.Observe([]float64{y}); err != nil {
			panic(err)
		}
	}
	fmt.Printf("%.1f of the values inside\n", inside/n)
	// Output: 0.8 of the values inside
}

// The score of a distance is the share of smaller ones among the last, in which equal ones count by half.
func TestLevelSetScoreIsARank(t *testing.T) {
	s := levelSetSeries{ring: make([]float64, rankedAmong)}
	for i, d := range []float64{1, 2} {
		for range scoredAfter / 2 {
			s.rank(d)
			if s.known {
				t.Fatalf("a score after %d distances", i)
			}
		}
	}
	for i, c := range []struct{ distance, want float64 }{{2, .75}, {1, 25. / 101}, {3, 1}, {0, 0}} {
		if s.rank(c.distance); s.score != c.want || !s.known {
			t.Errorf("distance %d: score %v, want %v", i, s.score, c.want)
		}
	}
}

// Either value is usual, only not together.
func ExampleNewLevelSets() {
	m, err := varmodel.NewPersistence(varmodel.PersistenceConfig{Dim: 2, Horizon: 1})
	if err != nil {
		panic(err)
	}
	if m, err = NewLevelSets(m, LevelSetConfig{Dim: 2, Order: 1}); err != nil {
		panic(err)
	}
	f := m.NewSeries()
	detector, _ := eval.As[eval.Detector](f)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		side := float64(2*rng.IntN(2) - 1)
		if err := f.Observe([]float64{side + .2*rng.NormFloat64(), side + .2*rng.NormFloat64()}); err != nil {
			panic(err)
		}
	}
	for _, row := range [][]float64{{1, 1}, {1, -1}} {
		if err := f.Observe(row); err != nil {
			panic(err)
		}
		score, _ := detector.Anomaly()
		fmt.Println(row, "above .95:", score > .95)
	}
	// Output:
	// [1 1] above .95: false
	// [1 -1] above .95: true
}
