package auto

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

func TestTierErrors(t *testing.T) {
	if _, err := New(Config{Dim: 1, Horizon: 1, Tier: "huge"}); err == nil || !strings.Contains(err.Error(), "Tier") {
		t.Errorf("an unknown tier: error %v", err)
	}
	if _, err := New(Config{Dim: 1, Horizon: 1, Tier: TierTiny, Experts: []string{"orff1-mean"}}); err == nil {
		t.Error("an expert of another tier was accepted")
	}
}

// heapOf returns the bytes that a series of the tier holds after x, in the mean over
// several.
func heapOf(t testing.TB, tier Tier, x [][]float64) float64 {
	const series = 4
	heap := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	keep := make([]eval.Forecaster, 0, series)
	before := heap()
	for range series {
		f := newAuto(t, Config{Dim: len(x[0]), Horizon: 1, Tier: tier}).NewSeries()
		for _, y := range x {
			if err := f.Observe(y); err != nil {
				t.Fatal(err)
			}
		}
		keep = append(keep, f)
	}
	after := heap()
	runtime.KeepAlive(keep)
	runtime.KeepAlive(x)
	return (after - before) / series
}

// The tiers are ordered by the memory of a series.
func TestTiersTakeLess(t *testing.T) {
	x := modeltest.RandomSeries(rand.New(rand.NewPCG(31, 32)), 600, 5, 0)
	last := math.Inf(1)
	for _, tier := range Tiers {
		got := heapOf(t, tier, x)
		if !(got < last) {
			t.Errorf("%s holds %.0f bytes, the tier before %.0f", tier, got, last)
		}
		last = got
	}
}

// cost returns the microseconds that a sample takes once the tier has settled: the
// fastest of several passes over each dozen of the last 600 samples. longest is the most that
// one sample took from the first to the last.
func cost(t testing.TB, tier Tier, x [][]float64) (mean, longest float64) {
	const dozen, passes = 12, 7
	settled := len(x) - 600
	fastest, single := make([]float64, (len(x)-settled)/dozen), make([]float64, len(x))
	for pass := range passes {
		f := newAuto(t, Config{Dim: len(x[0]), Horizon: 1, Tier: tier}).NewSeries()
		start := time.Now()
		for i, y := range x {
			begin := time.Now()
			if err := f.Observe(y); err != nil {
				t.Fatal(err)
			}
			now := time.Now()
			if e := now.Sub(begin).Seconds() * 1e6; pass == 0 || e < single[i] {
				single[i] = e
			}
			if k := (i - settled) / dozen; i >= settled && (i-settled)%dozen == dozen-1 && k < len(fastest) {
				if e := now.Sub(start).Seconds() * 1e6 / dozen; pass == 0 || e < fastest[k] {
					fastest[k] = e
				}
				start = now
			} else if i == settled-1 {
				start = now
			}
		}
	}
	for _, v := range fastest {
		mean += v / float64(len(fastest))
	}
	return mean, slices.Max(single)
}

// The table of the tiers: microseconds a sample and kilobytes a series at several
// dimensions, and the geometric mean of Protocol B. A lighter tier is less accurate, or it would
// take the place of the other; and better than persistence.
func TestProtocolTiers(t *testing.T) {
	modeltest.Measuring(t)
	sets := modeltest.LoadNine(t)
	t.Log("tier | µs at d=5, 7, 31 | longest sample at d=7 | KB after 600 and 10,000 samples at d=5, 7, 31 | Protocol B | ETTh2 | per series")
	var heavier float64
	for _, tier := range Tiers {
		var times, sizes []string
		var longest float64
		for _, d := range []int{5, 7, 31} {
			x := modeltest.RandomSeries(rand.New(rand.NewPCG(33, 34)), 10_000, d, 0) // all experts have been handed over
			mean, most := cost(t, tier, x)
			if d == 7 {
				longest = most
			}
			times, sizes = append(times, fmt.Sprintf("%.2f", mean)), append(sizes, fmt.Sprintf("%.0f and %.0f", heapOf(t, tier, x[:600])/1e3, heapOf(t, tier, x)/1e3))
		}
		v, mean := modeltest.Relative(t, sets, persistence, func(d int) (eval.Model, error) { return New(Config{Dim: d, Horizon: 1, Tier: tier}) })
		t.Logf("%s | %s | %.0f | %s | %.4f | %.4f | %.4f", tier, strings.Join(times, ", "), longest, strings.Join(sizes, ", "), mean, v[0], v)
		if !(mean > heavier && mean < 1) {
			t.Errorf("%s has the mean %.4f of persistence, the tier above %.4f", tier, mean, heavier)
		}
		heavier = mean
	}
}
