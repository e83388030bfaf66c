package study

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
)

// A series that is made of known parts is described by these.
func TestDescribeRecords(t *testing.T) {
	const n, day, hour = 3000, 24, int64(3600e9)
	rng := rand.New(rand.NewPCG(7, 7))
	r := &Records{Name: "made"}
	counter, lacking := 0., 0
	for i := range n {
		if i == 900 || i == 2100 {
			counter = 0
		}
		counter += 50 + float64(rng.IntN(500))
		if i > 500 && i < 520 {
			lacking++
			continue
		}
		season := 5*math.Sin(2*math.Pi*float64(i)/day) + rng.NormFloat64()
		level := rng.NormFloat64()
		if i >= 1700 {
			level += 8
		}
		trend := .01*float64(i) + rng.NormFloat64()
		values := []float64{counter, season, level, trend, 2*trend + .1*rng.NormFloat64(), 7}
		if i%371 == 5 {
			values[1] = -999
		}
		if i%100 == 50 {
			values[2] = math.NaN()
		}
		r.list = append(r.list, decoded{Record: stream.Record{
			Message: &stream.Message{}, Series: "s", Time: 1700000000e9 + int64(i)*hour,
			Names: []string{"bytes", "season", "level", "trend", "twin", "fixed"}, Values: values,
		}})
	}
	c := config.Default()
	c.Model.Tier = "tiny"
	d, err := DescribeRecords(t.Context(), c, r)
	if err != nil {
		t.Fatal(err)
	}
	s := d.Series[0]
	if d.Rows != n-lacking || s.Spacing != "1h" || s.Gaps != 1 || s.Lacking != int64(lacking) || s.From != "2023-11-14T22:13:20Z" {
		t.Errorf("%d rows, %+v", d.Rows, s)
	}
	if got := strings.Join(d.Proposed, " "); !strings.Contains(got, "pipeline.rate=bytes pipeline.missing=-999") {
		t.Errorf("proposed: %s", got)
	}
	by := make(map[string]*DescribedVariable)
	for j := range s.Variables {
		by[s.Variables[j].Name] = &s.Variables[j]
	}
	if v := by["bytes"]; v.Kind != "counter" || v.Resets != 2 {
		t.Errorf("bytes: %s with %d resets", v.Kind, v.Resets)
	}
	if v := by["season"]; len(v.Sentinels) != 1 || v.Sentinels[0].Value != -999 || v.Sentinels[0].Count < 8 {
		t.Errorf("season: %+v", v)
	}
	if v := by["level"]; len(v.Levels) != 1 || v.Levels[0].Time != rowTime(1700000000e9+1700*hour) || v.Missing != 30 {
		t.Errorf("level: changes %+v, %d missing", v.Levels, v.Missing)
	}
	if v := by["trend"]; !(v.Trend > .95) || len(v.Levels) != 0 {
		t.Errorf("trend: share %v, changes %+v", v.Trend, v.Levels)
	}
	if v := by["fixed"]; v.Kind != "constant" || v.Repeats != 1 || v.Longest != n-lacking {
		t.Errorf("fixed: %+v", v)
	}
	if len(s.Alike) != 1 || s.Alike[0].A != "trend" || s.Alike[0].B != "twin" {
		t.Errorf("correlated: %+v", s.Alike)
	}
	var text strings.Builder
	for _, table := range d.Tables() {
		table.Print(&text, true)
	}
	for _, want := range []string{"resets: 2", "-999 comes", "correlation 1.00 with twin"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the tables do not say %q:\n%s", want, &text)
		}
	}
}

// The share of a season is that of its variance: a sine of the amplitude a has a²/2.
func TestSeasonShare(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	y := make([]float64, 24*500)
	for i := range y {
		y[i] = 2*math.Sin(2*math.Pi*float64(i)/24) + rng.NormFloat64()
	}
	if got := seasonShare(y, rowPlaces(len(y)), 24); math.Abs(got-2./3) > .02 { // two standard errors of 12,000 values
		t.Errorf("share %v, want 2/3", got)
	}
	if got := seasonShare(y, rowPlaces(len(y)), 25); got > .02 {
		t.Errorf("share %v of another period", got)
	}
	for n, known := range map[int]bool{47: false, 48: true} {
		if got := seasonShare(y[:n], rowPlaces(n), 24); math.IsNaN(got) == known {
			t.Errorf("share %v of %d values: two periods are needed", got, n)
		}
	}
	if got := fmt.Sprint(levelChanges(y)); got != "[]" {
		t.Errorf("changes of the level: %s", got)
	}
	steps := slices.Concat(slices.Repeat([]float64{0}, 40), slices.Repeat([]float64{10}, 40), slices.Repeat([]float64{100}, 40))
	if got := fmt.Sprint(levelChanges(steps)); got != "[{40 0 10} {80 10 100}]" {
		t.Errorf("changes between three levels: %s", got)
	}
}

// TestSeasonsAcrossGaps: a gap of ten hours does not change the share of a season of the clock, and
// one without weekends has the share of its rows.
func TestSeasonsAcrossGaps(t *testing.T) {
	const hour = int64(3600e9)
	records := func(n int, at func(i int) (time int64, value float64)) *Records {
		rng := rand.New(rand.NewPCG(3, 3))
		r := &Records{Name: "made"}
		for i := range n {
			time, value := at(i)
			r.list = append(r.list, decoded{Record: stream.Record{
				Message: &stream.Message{}, Series: "s", Time: time, Names: []string{"a"}, Values: []float64{value + rng.NormFloat64()},
			}})
		}
		return r
	}
	for _, c := range []struct {
		name    string
		season  int
		records *Records
	}{
		{"gap", 24, records(1000, func(i int) (int64, float64) {
			if i >= 500 {
				i += 10
			}
			return 1767225600e9 + int64(i)*hour, 2 * math.Sin(2*math.Pi*float64(i)/24)
		})},
		{"workdays", 5, records(1000, func(i int) (int64, float64) {
			return 1767571200e9 + 24*hour*int64(7*(i/5)+i%5), 2 * math.Sqrt2 * []float64{1, 0, -1, 0, 0}[i%5] // variance 16/5
		})},
	} {
		d, err := DescribeRecords(t.Context(), config.Default(), c.records)
		if err != nil {
			t.Fatal(err)
		}
		s := d.Series[0]
		want := 2. / 3 // of a sine with twice the variance of the noise
		if c.season == 5 {
			want = 3.2 / 4.2
		}
		// The standard error of a share of 1,000 values is about .015.
		if len(s.Seasons) == 0 || s.Seasons[0] != c.season || math.Abs(float64(s.Variables[0].Seasons[0])-want) > .05 {
			t.Errorf("%s: seasons %v with the shares %v, want %d with %.2f", c.name, s.Seasons, s.Variables[0].Seasons, c.season, want)
		}
	}
}

// Daily sales of two years have 40 more at the weekend and 200 more on the last day of a month: of their variance, with
// noise of 2, the weekend explains a fifth, the month nearly all the rest. Rates of a counter have the season of the
// rates.
func TestDescribeMonthsAndRates(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	sales, counter := &Records{Name: "sales"}, &Records{Name: "counter"}
	total := 0.
	for i := range 731 {
		day := time.Date(2024, 1, 1+i, 0, 0, 0, 0, time.UTC)
		y := 100 + 2*rng.NormFloat64()
		if w := day.Weekday(); w == time.Saturday || w == time.Sunday {
			y += 40
		}
		if day.AddDate(0, 0, 1).Day() == 1 {
			y += 200
		}
		total += math.Round(50 + 40*math.Sin(2*math.Pi*float64(i)/24) + 8*rng.NormFloat64())
		for r, v := range map[*Records]float64{sales: y, counter: total} {
			at := day.UnixNano()
			if r == counter {
				at = day.Add(-time.Duration(i) * 23 * time.Hour).UnixNano()
			}
			r.list = append(r.list, decoded{Record: stream.Record{Message: &stream.Message{}, Series: "s", Time: at, Names: []string{"y"}, Values: []float64{v}}})
		}
	}
	c := config.Default()
	d, err := DescribeRecords(t.Context(), c, sales)
	if err != nil {
		t.Fatal(err)
	}
	tables := d.Tables()
	if row := tables[0].Rows[0]; row[len(row)-1] != "31 (month), 7" {
		t.Errorf("seasons %q", row[len(row)-1])
	}
	// Of 365 days 12 are last ones: 200^2 12/365 (1 - 12/365) = 1272; of 7 days 2 are of a weekend: 40^2 2/7 5/7 = 327.
	if got := float64(slices.Max(d.Series[0].Variables[0].Seasons)); math.Abs(got-1272./(1272+327+4)) > .04 {
		t.Errorf("share of the month %v", got)
	}
	c.Pipeline.Rate = []string{"y"}
	if d, err = DescribeRecords(t.Context(), c, counter); err != nil {
		t.Fatal(err)
	}
	if got := d.Series[0].Seasons; len(got) == 0 || got[0] != 24 {
		t.Errorf("seasons %v of the rates", got)
	}
}
