package auto

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/interval"
)

// busy is the load of a server at a sample of its day: .1 at night, up to 1 by day.
func busy(t, day int) float64 {
	hour := 24 * float64(t%day) / float64(day)
	if hour < 7 || hour > 20 {
		return .1
	}
	return .1 + .9*math.Sin(math.Pi*(hour-7)/13)
}

// busyServer is the load of a server whose noise is in proportion to it, or is always the same.
func busyServer(day int, keep float64, proportional bool) func(r *rand.Rand, t int, rest *float64) float64 {
	return func(r *rand.Rand, t int, rest *float64) float64 {
		load, noise := busy(t, day), 1.
		if proportional {
			noise = load
		}
		*rest = keep**rest + noise*r.NormFloat64()
		return 10*load + *rest
	}
}

// Coverage of the 90 % interval in each phase of the day or the hour, the smallest and the largest, and
// interval score (Winkler 1972; geometric mean over the variables) with error profiles over without,
// after a quarter of the rows.
func TestProtocolPhases(t *testing.T) {
	modeltest.Measuring(t)
	type measured struct {
		*timedSeries
		period int // whose phases are looked at; 0: none
	}
	var all []measured
	for _, s := range []struct {
		name      string
		n, period int
		spacing   int64
		make      func(r *rand.Rand, t int, rest *float64) float64
	}{
		{"hourly job, 5 minutes", 288 * 21, 12, 300e9, modeltest.HourlyJob(12)},
		{"hourly job, 1 minute", 1440 * 8, 60, 60e9, modeltest.HourlyJob(60)},
		{"server, 1 hour", 24 * 90, 24, 3600e9, busyServer(24, .5, true)},
		{"server, 15 minutes", 96 * 56, 96, 900e9, busyServer(96, .9, true)},
		{"server, 5 minutes", 288 * 28, 288, 300e9, busyServer(288, .5, true)},
		{"equal noise, 1 hour", 24 * 90, 24, 3600e9, busyServer(24, .5, false)},
		{"equal noise, 5 minutes", 288 * 28, 288, 300e9, busyServer(288, .5, false)},
	} {
		rng, rest := rand.New(rand.NewPCG(7, 8)), make([]float64, 3)
		m := measured{&timedSeries{name: s.name, begin: s.n / 4, end: s.n}, s.period}
		for i := range s.n {
			row := make([]float64, len(rest))
			for j := range row {
				row[j] = s.make(rng, i, &rest[j])
			}
			m.x, m.times = append(m.x, row), append(m.times, modeltest.FirstOf2026+int64(i)*s.spacing)
		}
		all = append(all, m)
	}
	for i, c := range ettFiles {
		all = append(all, measured{c.read(t), []int{24, 96}[i]})
	}
	all = append(all, measured{readTimed(t, "air_quality_uci.csv"), 24})
	for _, m := range all {
		m.phases(t, m.period)
	}
	for _, group := range [][]string{modeltest.Nine, nabFiles(t)} {
		var mean [len(phaseHorizons)]float64
		for _, name := range group {
			for k, v := range readTimed(t, name+".csv").phases(t, 0) {
				mean[k] += math.Log(v) / float64(len(group))
			}
		}
		for k, h := range phaseHorizons {
			t.Logf("%d files, h=%-2d interval score %.4f", len(group), h, math.Exp(mean[k]))
		}
	}
}

var phaseHorizons = [...]int{1, 6, 24, 48}

func nabFiles(t *testing.T) (names []string) {
	files, err := filepath.Glob(filepath.Join(modeltest.DataDir(t), "nab", "*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		names = append(names, "nab/"+filepath.Base(f[:len(f)-len(".csv")]))
	}
	return names
}

// phaseCount counts the targets and those inside.
type phaseCount struct{ in, n float64 }

// phases measures the intervals of the default model, and returns the interval scores with profiles
// over without, of each of phaseHorizons.
func (s *timedSeries) phases(t *testing.T, period int) (ratios [len(phaseHorizons)]float64) {
	const H = 48
	d := len(s.x[0])
	f := newAuto(t, Config{Dim: d, Horizon: H}).NewSeries()
	var intervals [2]*interval.Intervals // without and with profiles
	for i := range intervals {
		var err error
		if intervals[i], err = interval.NewIntervals(interval.Config{Dim: d, Horizon: H, Levels: []float64{.9}}); err != nil {
			t.Fatal(err)
		}
	}
	var scores [2][len(phaseHorizons)][]float64
	var counts [2][len(phaseHorizons)][]phaseCount
	for i := range counts {
		for k := range phaseHorizons {
			scores[i][k], counts[i][k] = make([]float64, d), make([]phaseCount, min(max(period, 1), 60))
		}
	}
	forecast, lower, upper := make([]float64, H*d), make([]float64, H*d), make([]float64, H*d)
	for i, row := range s.x {
		if s.times != nil {
			modeltest.As[eval.Clocked](t, f).SetTime(s.times[i])
		}
		if err := f.Observe(row); err != nil {
			t.Fatal(err)
		}
		f.ForecastTo(forecast)
		intervals[1].SetPhases(modeltest.As[eval.Seasonal](t, f).Phases())
		for which, v := range intervals {
			v.Observe(row)
			v.Issue(forecast)
			if !v.BoundsTo(lower, upper) {
				continue
			}
			for k, h := range phaseHorizons {
				to := i + h
				if to < s.begin || to >= s.end {
					continue
				}
				c := &counts[which][k][to%max(period, 1)*len(counts[which][k])/max(period, 1)]
				for j, y := range s.x[to] {
					low, high := lower[(h-1)*d+j], upper[(h-1)*d+j]
					if low != low {
						continue
					}
					if slack := 1e-9 * math.Abs(y); low-slack <= y && y <= high+slack {
						c.in++
					}
					c.n++
					scores[which][k][j] += high - low + 20*(max(low-y, 0)+max(y-high, 0))
				}
			}
		}
	}
	for k, h := range phaseHorizons {
		var log, n float64
		for j := range d {
			if without, with := scores[0][k][j], scores[1][k][j]; without > 0 && with > 0 {
				log, n = log+math.Log(with/without), n+1
			}
		}
		ratios[k] = math.Exp(log / max(n, 1))
		if period == 0 {
			continue
		}
		var text [2]struct{ low, high, all float64 }
		for i := range text {
			var all phaseCount
			text[i].low = 1
			for _, c := range counts[i][k] {
				all.in, all.n = all.in+c.in, all.n+c.n
				text[i].low, text[i].high = min(text[i].low, c.in/c.n), max(text[i].high, c.in/c.n)
			}
			text[i].all = all.in / all.n
		}
		t.Logf("%-22s h=%-2d interval score %.3f, coverage %.3f to %.3f, by phase %.2f … %.2f to %.2f … %.2f",
			s.name, h, ratios[k], text[0].all, text[1].all, text[0].low, text[0].high, text[1].low, text[1].high)
	}
	return ratios
}
