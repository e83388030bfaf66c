package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/streamtest"
	"github.com/orffvar/forecaster/varmodel/auto"
)

// grouped gives the records to an engine, which settles and scores after every few. Text
// and state are those at the end.
func grouped(t *testing.T, c engine.Config, records []stream.Record, every int) (points string, state []byte) {
	t.Helper()
	e := streamtest.NewEngine(t, c)
	var b engine.Results
	streamtest.LearnGrouped(t, e, &b, records, every)
	return textOf(&b, c.Levels), streamtest.Snapshot(e)
}

// TestSeriesBySeries: samples that are learnt series by series give the points of samples that
// are learnt one by one, in the same order, and the same state, however many wait.
func TestSeriesBySeries(t *testing.T) {
	drift := streamtest.DriftConfig()
	drift.Interval, drift.MaxGap, drift.SchemaChangeAfter, drift.MetricsEvery, drift.Pool = 1e9, 2, 2, 5, stream.AllSeries
	monthly := drift
	monthly.Interval, monthly.Months = 0, 2
	shared := drift
	shared.Scope = engine.Shared
	fleet, records := scarceFleet()
	for _, c := range []struct {
		name    string
		config  engine.Config
		records []stream.Record
		has     string // text of an event that the case is about
	}{
		{"gaps, new variables and refusals", drift, streamtest.Records(600, 7), "a new model of"},
		{"ends of months", monthly, monthEnds(100), "a new model of"},
		{"shared weights", shared, streamtest.Records(600, 7), "samples missing"},
		{"growth, a gap and inputs", growingConfig(""), growing(60), "missing"},
		{"growth until memory is short", fleet, records, "to save memory"},
		{"heirs", heirConfig(true), family(), "begins with the seasons of older series"},
	} {
		want, state := grouped(t, c.config, c.records, 1)
		if !strings.Contains(want, c.has) {
			t.Errorf("%s: the points do not tell of %q", c.name, c.has)
		}
		for _, every := range []int{2, 17, 100, len(c.records)} {
			got, gotState := grouped(t, c.config, c.records, every)
			if got != want {
				t.Errorf("%s, %d records at a time: other points, or in another order", c.name, every)
			}
			if !bytes.Equal(gotState, state) {
				t.Errorf("%s, %d records at a time: another state", c.name, every)
			}
		}
	}
}

// monthEnds are records of two series at the last days of months, whose variables change between
// days that have forecasts for the same ends of months.
func monthEnds(n int) (list []stream.Record) {
	for i := range n {
		names := []string{"a", "b"}
		if i/5%2 == 1 {
			names = []string{"a", "c"}
		}
		for s := range 2 {
			list = append(list, stream.Record{
				Message: &stream.Message{Topic: "in", Offset: int64(len(list))}, Series: fmt.Sprint("s", s),
				Time:  time.Date(2020, time.Month(1+2*(i/4)), 28+i%4, 0, 0, 0, 0, time.UTC).UnixNano(),
				Names: names, Values: []float64{math.Sin(float64(i)), math.Cos(float64(i * s))},
			})
		}
	}
	return list
}

// scarceFleet is ten series and memory for some of them to grow. The first five send fewer
// rows and grow later than the others.
func scarceFleet() (engine.Config, []stream.Record) {
	build := func(tier auto.Tier) func(int) (eval.Model, error) {
		return func(dim int) (eval.Model, error) {
			return auto.New(auto.Config{Dim: dim, Horizon: 1, Seed: 1, Tier: tier})
		}
	}
	c := engine.Config{
		Model: "auto", NewModel: build(auto.TierFull), Horizon: 1, Memory: 5 << 20, MetricsEvery: 10, GrowAfter: 24,
		Lighter: []engine.LighterModel{{Name: "young", New: build(auto.TierYoung)}},
	}
	var records []stream.Record
	for i := range 150 {
		for s := range 10 {
			if s < 5 && i%(5-s) > 0 {
				continue
			}
			records = append(records, stream.Record{
				Message: &stream.Message{Topic: "in", Offset: int64(len(records))}, Series: fmt.Sprint("s", s), Time: int64(i+1) * 60e9,
				Values: []float64{math.Sin(float64(i * (s + 1))), math.Cos(float64(i*i + s))},
			})
		}
	}
	return c, records
}

// fixed is the record of a message.
type fixed stream.Record

func (f fixed) Decode(r *stream.Record, _ *stream.Message) error {
	*r = stream.Record(f)
	return nil
}

// TestEstimatedSize: the estimated size of waiting samples and of their results is that of the points after Score, the
// number exactly and the bytes within a factor of two, for any number of levels and horizons.
func TestEstimatedSize(t *testing.T) {
	for _, levels := range [][]float64{nil, {.8}, {.8, .5, .3}} {
		for _, horizon := range []int{1, 4, 40} {
			c := streamtest.DriftConfig()
			c.Levels, c.Horizon, c.Emit, c.MetricsEvery, c.Evaluation.NoAnomalies = levels, horizon, nil, 4, true
			c.NewModel = func(dim int) (eval.Model, error) { return streamtest.NewDrift(dim, horizon, len(levels)), nil }
			e := streamtest.NewEngine(t, c)
			var b engine.Results
			for i := range 68 {
				if i == 60 { // the first ones make the series, its intervals and scores
					if err := errors.Join(e.Settle(&b), e.Score(&b)); err != nil {
						t.Fatal(err)
					}
					b.Reset()
				}
				var d engine.Decoded
				m := &stream.Message{Topic: "in", Offset: int64(i)}
				d.Decode(fixed{Message: m, Series: "s", Time: int64(i+1) * 1e9, Values: []float64{float64(i), math.Sin(float64(i)), 1}}, m)
				if err := e.LearnMessage(&b, &d, 0); err != nil {
					t.Fatal(err)
				}
			}
			points, bytes := b.Points(), b.Bytes()
			if err := errors.Join(e.Settle(&b), e.Score(&b)); err != nil {
				t.Fatal(err)
			}
			if b.Points() != points || bytes < b.Bytes()/2 || bytes > 2*b.Bytes() {
				t.Errorf("levels %v, %d horizons: %d points and %d bytes are estimated, there are %d and %d", levels, horizon, points, bytes, b.Points(), b.Bytes())
			}
		}
	}
}
