package auto

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// timedSeries is a series with the times of its rows and the rows that are scored.
type timedSeries struct {
	name       string
	x          [][]float64
	times      []int64 // ns; nil: row numbers
	begin, end int
	skip       int // column that is not scored; -1: none
}

// readTimed reads a CSV file with its times; a missing value is the one before. The last three
// quarters of its rows are scored.
func readTimed(t testing.TB, name string) *timedSeries {
	x := modeltest.ReadSeries(t, name)
	modeltest.FillForward(x)
	s := &timedSeries{name: name, x: x, begin: len(x) - int(.75*float64(len(x))), end: len(x), skip: -1}
	for _, r := range modeltest.ReadRows(t, name) {
		at, err := time.Parse(time.RFC3339, r[0])
		if err != nil {
			if at, err = time.Parse(time.DateTime, r[0]); err != nil {
				return s
			}
		}
		s.times = append(s.times, at.UnixNano())
	}
	return s
}

// errors returns the mean squared errors of m at the horizons 1 … horizon, horizon x variables, and
// those of the last value.
func (s *timedSeries) errors(t testing.TB, m eval.Model, horizon int) (ours, naive []float64) {
	t.Helper()
	d := len(s.x[0])
	ours, naive = make([]float64, horizon*d), make([]float64, horizon*d)
	f, forecast := m.NewSeries(), make([]float64, horizon*d)
	clock, _ := eval.As[eval.Clocked](f)
	for i, row := range s.x {
		if s.times != nil && clock != nil {
			clock.SetTime(s.times[i])
		}
		if err := f.Observe(row); err != nil {
			t.Fatal(err)
		}
		f.ForecastTo(forecast)
		for h := range horizon {
			to := i + h + 1
			if to < s.begin || to >= s.end {
				continue
			}
			n := float64(s.end - max(s.begin, h+1))
			for j, y := range s.x[to] {
				e, last := forecast[h*d+j]-y, row[j]-y
				ours[h*d+j] += e * e / n
				naive[h*d+j] += last * last / n
			}
		}
	}
	return ours, naive
}

// relativeTo returns the mean squared error of m over the horizons 1 to n, for each n up to horizon,
// in units of the last value's; variables have the weight of their inverse variance in the first fifth.
func (s *timedSeries) relativeTo(t testing.TB, m eval.Model, horizon int) []float64 {
	t.Helper()
	ours, naive := s.errors(t, m, horizon)
	d, out := len(s.x[0]), make([]float64, horizon)
	var sum, base float64
	for h := range out {
		for j := range d {
			v := modeltest.ColumnSD(s.x[:len(s.x)/5], j)
			if v < 1e-9 {
				v = modeltest.ColumnSD(s.x[s.begin:s.end], j)
			}
			if v >= 1e-9 && j != s.skip {
				sum += ours[h*d+j] / (v * v)
				base += naive[h*d+j] / (v * v)
			}
		}
		out[h] = sum / base
	}
	return out
}

// at returns the values of the horizons hs, as far as v has them.
func at(v []float64, hs ...int) (some []float64) {
	for _, h := range hs {
		if h <= len(v) {
			some = append(some, v[h-1])
		}
	}
	return some
}

// lull is the column of ETT that makes most of the error: its standard deviation grows after the
// rows of the scale.
const lull = 5

// ettFile is a file of ETT with the rows of its scale and of its targets.
type ettFile struct {
	file              string
	scale, begin, end int
}

var ettFiles = []ettFile{{"ETTh2.csv", 2880, 3600, 14400}, {"ETTm2_first30000.csv", 6000, 7500, 30000}}

func (c ettFile) read(t testing.TB) *timedSeries {
	s := readTimed(t, c.file)
	s.x, s.times, s.begin, s.end = s.x[:c.end], s.times[:c.end], c.begin, c.end
	return s
}

// acrossLargestStep returns the errors of the last value, horizon x variables as those of errors, of
// the forecasts that are made before the largest step of variable j among the scored rows and whose
// target lies behind it: no forecast from the past knows of it.
func (s *timedSeries) acrossLargestStep(j, horizon int) []float64 {
	d, at := len(s.x[0]), s.begin
	for i := s.begin; i < s.end; i++ {
		if math.Abs(s.x[i][j]-s.x[i-1][j]) > math.Abs(s.x[at][j]-s.x[at-1][j]) {
			at = i
		}
	}
	errs := make([]float64, horizon*d)
	for h := range horizon {
		for to := at; to <= min(at+h, s.end-1); to++ {
			e := s.x[to][j] - s.x[to-h-1][j]
			errs[h*d+j] += e * e / float64(s.end-s.begin)
		}
	}
	return errs
}

// The tables of ETT: errors in standard deviations of the first rows, mean over the horizons 1 to H
// and at H alone, of all columns and without LULL; and the part of the last value's that the largest step
// of LULL makes.
func TestProtocolETT(t *testing.T) {
	modeltest.Measuring(t)
	const H = 96
	for _, c := range ettFiles {
		s := c.read(t)
		d := len(s.x[0])
		ours, naive := s.errors(t, newAuto(t, Config{Dim: d, Horizon: H}), H)
		for _, row := range []struct {
			name string
			v    []float64
		}{{"auto", ours}, {"last value", naive}, {"step of LULL", s.acrossLargestStep(lull, H)}} {
			var means, without [H]float64
			for h := range H {
				for j := range d {
					sd := modeltest.ColumnSD(s.x[:c.scale], j)
					e := row.v[h*d+j] / (sd * sd)
					means[h] += e / float64(d)
					if j != lull {
						without[h] += e / float64(d-1)
					}
				}
			}
			for _, h := range []int{1, 24, 48, 96} {
				t.Logf("%-20s %-12s H=%-2d  mean over 1 to H %.4f, without LULL %.4f  at H %.3f, without LULL %.3f", c.file, row.name, h,
					mean(means[:h]), mean(without[:h]), means[h-1], without[h-1])
			}
		}
	}
}

// partsFiles are the files of the table of parts: the nine of Protocol B, those of NAB that no
// model forecasts nearly without error, and ETTm2 without the column that makes nine tenths of its error.
func partsFiles(t *testing.T) (nineFiles, nab, ett []*timedSeries) {
	for _, name := range modeltest.Nine {
		s := readTimed(t, name+".csv")
		if name == "ETTh2" {
			s.x, s.begin, s.end = s.x[:14400], 3600, 14400
		}
		nineFiles = append(nineFiles, s)
	}
	files, err := filepath.Glob(filepath.Join(modeltest.DataDir(t), "nab", "*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		s := readTimed(t, filepath.Join("nab", filepath.Base(f)))
		easy := slices.ContainsFunc([]string{"flatline", "no_noise", "perfect_square_wave"}, func(kind string) bool {
			return filepath.Base(f) == "artificialNoAnomaly__art_"+kind+".csv" || filepath.Base(f) == "artificialNoAnomaly__art_daily_"+kind+".csv"
		})
		if !easy {
			nab = append(nab, s)
		}
	}
	s := readTimed(t, "ETTm2_first30000.csv")
	s.skip = lull
	return nineFiles, nab, []*timedSeries{s}
}

// What the parts of the default model are worth beyond one step and on simulated series: errors
// without each, in units of the last value's, geometric means. "-n" is the mean over the horizons 1 to
// n. Simulations with a season are in units of seasonalReference; the simple ones are Mackey-Glass,
// two sines with noise .01 and .1, and the delayed copy.
func TestProtocolParts(t *testing.T) {
	modeltest.Measuring(t)
	nineFiles, nab, ett := partsFiles(t)
	means := func(files []*timedSeries, horizon int, without []Ingredient, upTo ...int) []float64 {
		logs := make([]float64, len(upTo))
		for _, s := range files {
			v := s.relativeTo(t, newAuto(t, Config{Dim: len(s.x[0]), Horizon: horizon, Without: without}), horizon)
			for i, n := range upTo {
				logs[i] += math.Log(v[n-1]) / float64(len(files))
			}
			if len(without) == 0 {
				t.Logf("%-60s %.4f", s.name, at(v, 1, 12, 24, 48))
			}
		}
		for i, v := range logs {
			logs[i] = math.Exp(v)
		}
		return logs
	}
	const rowsOfSimple, H = 4000, 96
	var simple, seasonal []*timedSeries
	var references [][]float64 // squared errors at the horizons 1 … H
	for _, q := range simpleSeries[:4] {
		x := q.make(rand.New(rand.NewPCG(0, 15)), rowsOfSimple)
		simple = append(simple, &timedSeries{name: q.name, x: x, begin: rowsOfSimple / 4, end: rowsOfSimple, skip: -1})
	}
	for _, q := range seasonalSeries {
		rng, rest := rand.New(rand.NewPCG(0, 5)), 0.
		s := &timedSeries{name: q.name, begin: 10 * q.period, end: q.n, skip: -1}
		v := make([]float64, q.n)
		for i := range v {
			v[i] = q.make(rng, i, &rest)
			s.x, s.times = append(s.x, v[i:i+1]), append(s.times, modeltest.FirstOf2026+int64(i)*q.spacing)
		}
		seasonal, references = append(seasonal, s), append(references, seasonalReference(v, q.period, H, s.begin))
	}
	row := func(name string, without ...Ingredient) {
		season := make([]float64, 3)
		for i, s := range seasonal {
			v, _ := s.errors(t, newAuto(t, Config{Dim: 1, Horizon: H, Without: without}), H)
			for k, h := range []int{1, 24, 96} {
				season[k] += math.Log(v[h-1]/references[i][h-1]) / float64(len(seasonal))
			}
		}
		for k, v := range season {
			season[k] = math.Exp(v)
		}
		t.Logf("%-12s nine 1, -24, -48 %.4f  NAB %.4f  ETTm2 1, -24, -96 %.4f  seasons 1, 24, 96 %.3f  simple 1 %.3g", name,
			means(nineFiles, 48, without, 1, 24, 48), means(nab, 48, without, 1, 24, 48), means(ett, H, without, 1, 24, 96), season,
			means(simple, 1, without, 1))
	}
	row("everything")
	for _, w := range []Ingredient{partSeasons, partSeasonStep, partEarly, partHold, partExact, partCross, partOwn, partRounds, partTrend, partCalendar} {
		row("without "+string(w), w)
	}
}
