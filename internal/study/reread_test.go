package study

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
)

// countedSource counts one source less when it is closed.
type countedSource struct {
	stream.Source
	left *int
}

func (s *countedSource) Close() error {
	*s.left--
	return s.Source.Close()
}

// A file that is gone at any of the times when it is read again ends each analysis with the error: figures of a part of
// its rows would look like those of all.
func TestFilesThatGoAwayBetweenReadings(t *testing.T) {
	data, labels := plant(t)
	c, _ := readFile(t, data)
	c.Pipeline.Interval, c.Model.Horizon, c.Model.Limits = config.Interval(3600e9), 2, []string{"level <= 104"}
	gone := errors.New("the file is gone")
	opened, bad, left := 0, 0, 0
	records, err := countRecords(t.Context(), data, func() (stream.Source, stream.Decoder, error) {
		if opened++; opened == bad {
			return nil, nil, gone
		}
		src, err := wire.OpenFile(c)
		if err != nil {
			return nil, nil, err
		}
		left++
		return &countedSource{src, &left}, src.Decoder(), nil
	}, 0)
	if err != nil {
		t.Fatal(err)
	}
	samples, err := records.Outline(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	marks, _, err := ReadWindows(c, labels, samples, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	model := *c
	model.Model.Type, model.Model.Season = "var1", 24
	o := Options{Horizons: []int{1, 2}, From: 100, ScaleRows: 50, Pooled: true, Seeds: 1, Labels: marks}
	past := RecordsOf(&scoring.Dataset{Name: "past", Variables: []string{"load", "level"}, Series: []scoring.Series{{Name: "p", Rows: [][]float64{{1, 2}, {3, 4}}}}})
	for what, c := range map[string]struct {
		readings int
		run      func() error
	}{
		"samples": {1, func() error { _, err := records.Samples(t.Context(), c, 0); return err }},
		"history": {2, func() error { _, _, _, err := records.After(t.Context(), past, c); return err }},
		"each":    {1, func() error { return records.Each(t.Context(), func(*stream.Record) {}) }},

		"models": {3, func() error {
			_, err := EvaluateModel(t.Context(), &model, records, samples, o, new(atomic.Int64))
			return err
		}},
		"baselines": {4, func() error {
			e := &Evaluation{Limits: []LimitScore{{Model: "var1"}}}
			return e.EvaluateBaselines(t.Context(), c, records, samples, o)
		}},
		"anomalies": {1, func() error {
			return AnomaliesOf(t.Context(), &model, records, samples, new(Anomalies), new(atomic.Int64))
		}},
		"description": {1, func() error { _, err := DescribeRecords(t.Context(), c, records); return err }},
	} {
		records.spreads = nil
		opened, bad = 0, 0
		if err := c.run(); err != nil || opened != c.readings {
			t.Errorf("%s: %d readings, want %d; %v", what, opened, c.readings, err)
		}
		for k := range opened {
			records.spreads = nil
			opened, bad = 0, k+1
			if err := c.run(); !errors.Is(err, gone) {
				t.Errorf("%s: reading %d fails: %v", what, bad, err)
			}
		}
		if left != 0 {
			t.Errorf("%s: %d files are left open", what, left)
		}
	}
}
