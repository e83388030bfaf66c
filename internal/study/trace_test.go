package study

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/stream"
)

func TestWithCoverageLevels(t *testing.T) {
	levels := []float64{.8, .99}
	if got := WithCoverageLevels(levels); !slices.Equal(got, []float64{.8, .99, .5, .9, .95}) {
		t.Error(got)
	}
}

// A trace of batches is that of the same steps, weights and forecasts ahead, given by hand: of the chosen horizon, with the
// rows that are scored and labelled, without the steps of a series of other variables.
func TestTracerPassesOnWhatABatchHas(t *testing.T) {
	wide := &stream.Series{Name: "wide", Variables: []string{"x", "y"}}
	other := &stream.Series{Name: "other", Variables: []string{"z"}}
	third := &stream.Series{Name: "third", Variables: wide.Variables}
	even := func(series, row int) bool { return (series+row)%2 == 0 }
	for _, levels := range [][]float64{{.9, .5}, nil} {
		for _, chosen := range []func(series, row int) bool{even, nil} {
			c := report.Config{Model: "m", Horizon: 2, Variables: wide.Variables, Series: wide.Name, Levels: levels}
			got, want := &Tracer{Model: c.Model, Horizon: c.Horizon, Levels: levels, Scored: chosen, Labelled: chosen}, report.NewTrace(c)
			for batch := range 3 {
				b := new(stream.Batch)
				for i := range 4 {
					for k, s := range []*stream.Series{wide, other, third} {
						dim, row := len(s.Variables), 4*batch+i
						at := int64(row) * 1e9
						o := stream.Observation{Series: s, Time: at, Y: numbers(dim, row, k), AnomalyScore: float64(row) / 8}
						if row%3 == 1 {
							o.AnomalyScore = math.NaN()
						}
						b.Observations = append(b.Observations, o)
						step := report.Step{Series: k, Time: at, Y: o.Y, Anomaly: o.AnomalyScore, Scored: chosen == nil || even(k, row), Labelled: chosen != nil && even(k, row)}
						for h := 1; row != 5 && h <= 3; h++ { // row 5 has no forecast
							f := stream.Forecast{Series: s, Origin: at, Time: at + int64(h)*1e9, Horizon: h, Yhat: numbers(dim, row, k, h)}
							if levels != nil {
								f.Lower, f.Upper = numbers(2*dim, row, k, h, -1), numbers(2*dim, row, k, h, 1)
							}
							b.Forecasts = append(b.Forecasts, f)
							if h == 2 {
								step.Forecast, step.Lower, step.Upper = f.Yhat, f.Lower, f.Upper
							}
						}
						if dim == 2 {
							want.Step(step)
						}
						in := stream.Insight{Series: s, Time: at, Experts: []string{"a", "b"}}
						if i%2 == 0 { // others have influences alone
							in.Weights = numbers(2*dim, row, k)
							want.Weights(in.Experts, in.Weights)
						}
						b.Insights = append(b.Insights, in)
					}
				}
				if err := got.Write(t.Context(), b); err != nil {
					t.Fatal(err)
				}
				for _, f := range b.Forecasts { // the engine reuses the memory of a batch
					clear(f.Yhat)
					clear(f.Lower)
				}
			}
			for h := 1; h <= 3; h++ {
				var lower, upper []float64
				if levels != nil {
					lower, upper = numbers(2, 11, 0, h, -1), numbers(2, 11, 0, h, 1)
				}
				want.Future(int64(11+h)*1e9, numbers(2, 11, 0, h), lower, upper)
			}
			if got, want := fmt.Sprintf("%+v", got.Finish()), fmt.Sprintf("%+v", want); got != want {
				t.Errorf("levels %v, got\n%s\nwant\n%s", levels, got, want)
			}
		}
	}
	if trace := new(Tracer).Finish(); trace != nil {
		t.Errorf("%+v without a sample", trace)
	}
}

// numbers returns n numbers that differ for different keys.
func numbers(n int, key ...int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = float64(i)
		for _, k := range key {
			all[i] = 10*all[i] + float64(k)
		}
	}
	return all
}
