package engine_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/streamtest"
	"github.com/orffvar/forecaster/varmodel/auto"
)

const (
	eldersFor = 100 // rows before the heir begins
	heirFor   = 40  // rows of the heir
)

// heirConfig is the default model, with or without growth.
func heirConfig(grow bool) engine.Config {
	build := func(tier auto.Tier) func(int) (eval.Model, error) {
		return func(dim int) (eval.Model, error) {
			return auto.New(auto.Config{Dim: dim, Horizon: 6, Seed: 1, Tier: tier})
		}
	}
	c := engine.Config{Model: "auto", NewModel: build(auto.TierFull), Horizon: 6}
	c.SchemaChangeAfter = 2
	if grow {
		c.Lighter, c.GrowAfter = []engine.LighterModel{{Name: "young", New: build(auto.TierYoung)}}, 24
	}
	return c
}

// heirRecord is row i, an hour, of series k, whose amplitude is k+1. Its days have two peaks.
func heirRecord(k, i int, names ...string) stream.Record {
	day := 2 * math.Pi * float64(i%24) / 24
	noise := math.Sin(float64(i*i+k)) / 5
	return stream.Record{
		Series: fmt.Sprint("s", k), Time: time.Date(2026, 3, 2, i, 0, 0, 0, time.UTC).UnixNano(),
		Names: names, Values: []float64{float64(k+1) * (math.Sin(day) + .6*math.Cos(2*day) + noise)},
	}
}

// family is the records of three elders, of an heir, and of a series that takes the elders' variable in the place of another
// one when the heir begins.
func family() (list []stream.Record) {
	for i := range eldersFor + heirFor {
		for k := range 5 {
			name := "load"
			switch {
			case k == 3 && i < eldersFor:
				continue
			case k == 4 && i < eldersFor:
				name = "other"
			}
			list = append(list, heirRecord(k, i, name))
		}
	}
	return numbered(list)
}

func numbered(list []stream.Record) []stream.Record {
	for i := range list {
		list[i].Message = &stream.Message{Topic: "in", Offset: int64(i)}
	}
	return list
}

// TestNewSeriesBeginWithElders: a new series, and one with new variables, begins with the season of the series that have
// these variables, and forecasts otherwise than alone. A restart at any record changes nothing.
func TestNewSeriesBeginWithElders(t *testing.T) {
	full := forecastsOf(t, heirConfig(false), family(), nil)
	for _, grow := range []bool{false, true} {
		records := family()
		got := forecastsOf(t, heirConfig(grow), records, nil)
		if last := heirFor - 1; got["s3"][last] != full["s3"][last] {
			t.Error("the full tier begins otherwise after growth")
		}
		for _, name := range []string{"s3", "s4"} {
			var alone []stream.Record
			for _, r := range records {
				if r.Series == name {
					alone = append(alone, r)
				}
			}
			n := len(got[name])
			if own := forecastsOf(t, heirConfig(grow), numbered(alone), nil)[name]; len(own) != n || own[n-heirFor+20] == got[name][n-heirFor+20] {
				t.Errorf("growth %v, series %s: the elders change nothing", grow, name)
			}
		}
		again := forecastsOf(t, heirConfig(grow), family(), func(i int, e *engine.Engine) *engine.Engine {
			if i < 4*eldersFor-5 && i%100 > 0 {
				return e
			}
			restored := streamtest.NewEngine(t, heirConfig(grow))
			if err := streamtest.Restore(restored, streamtest.Snapshot(e)); err != nil {
				t.Fatal(err)
			}
			return restored
		})
		for s := range got {
			if !slices.Equal(got[s], again[s]) {
				t.Errorf("growth %v: restarts have changed the forecasts of series %s", grow, s)
			}
		}
	}
}

// TestEldersDoNotKnowTheFuture: a series whose first record comes after later records of the others, as in a file that
// lists one series after the other, forecasts as if it were alone.
func TestEldersDoNotKnowTheFuture(t *testing.T) {
	var list, alone []stream.Record
	for k := range 3 {
		for i := range eldersFor {
			list = append(list, heirRecord(k, i, "load"))
		}
	}
	alone = slices.Clone(list[2*eldersFor:])
	got, want := forecastsOf(t, heirConfig(true), numbered(list), nil), forecastsOf(t, heirConfig(true), numbered(alone), nil)
	if !slices.Equal(got["s2"], want["s2"]) {
		t.Error("the elders change forecasts of times before their last sample")
	}
}
