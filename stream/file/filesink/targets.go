package filesink

import (
	"context"
	"errors"
	"slices"

	"github.com/orffvar/forecaster/stream"
)

// AwaitTargets returns a sink that holds each forecast until its target is observed or can no
// longer be, then passes the forecast on to next. Forecast.Y is the sample Horizon places after
// Origin, counting missing samples of a grid: the one that the forecast is scored by. Its time is
// Forecast.Time only where samples come at their times. Forecasts of a series leave in the order
// of their targets; forecasts of one target keep their order. Close passes on the rest.
//
// Waiting forecasts are in memory alone, so a job with checkpoints would lose them.
func AwaitTargets(next stream.Sink) stream.Sink {
	return &targets{next: next, series: make(map[string]*waiting)}
}

type targets struct {
	next   stream.Sink
	series map[string]*waiting
	order  []*waiting // series in order of first appearance
	out    stream.Batch
}

// waiting are the forecasts of a series by the place of their target.
type waiting struct {
	made      []stream.Forecast // forecasts whose origin is still to come, in the order of origins
	place     int64             // number of samples so far, with missing ones
	places    []int64           // ascending, the keys of forecasts
	forecasts map[int64][]stream.Forecast
}

// Write implements stream.Sink.
func (t *targets) Write(ctx context.Context, b *stream.Batch) error {
	for i := range b.Forecasts {
		w := t.of(b.Forecasts[i].Series.Name)
		w.made = append(w.made, copyOf(&b.Forecasts[i]))
	}
	t.out.Forecasts = t.out.Forecasts[:0]
	for i := range b.Observations {
		o := &b.Observations[i]
		w := t.of(o.Series.Name)
		w.place += o.Missing + 1
		for len(w.places) > 0 && w.places[0] <= w.place {
			seen := w.places[0] == w.place
			for _, f := range w.next() {
				// After a correction of the clock, a sample may be earlier than the origin.
				if seen && o.Time > f.Origin && slices.Equal(f.Series.Variables, o.Series.Variables) {
					f.Y = o.Y
				}
				t.out.Forecasts = append(t.out.Forecasts, f)
			}
		}
		for len(w.made) > 0 && w.made[0].Origin == o.Time {
			w.add(w.made[0])
			w.made = w.made[1:]
		}
	}
	return t.next.Write(ctx, &t.out)
}

func (t *targets) of(series string) *waiting {
	w := t.series[series]
	if w == nil {
		w = &waiting{forecasts: make(map[int64][]stream.Forecast)}
		t.series[series], t.order = w, append(t.order, w)
	}
	return w
}

// copyOf returns a copy of a forecast with vectors of its own: the vectors of f belong to its batch.
func copyOf(f *stream.Forecast) stream.Forecast {
	c := *f
	c.Yhat, c.Lower, c.Upper = slices.Clone(f.Yhat), slices.Clone(f.Lower), slices.Clone(f.Upper)
	c.Reach = slices.Clone(f.Reach)
	c.JointLower, c.JointUpper = slices.Clone(f.JointLower), slices.Clone(f.JointUpper)
	return c
}

// add holds f, whose origin is the last sample.
func (w *waiting) add(f stream.Forecast) {
	target := w.place + int64(f.Horizon)
	if at, found := slices.BinarySearch(w.places, target); !found {
		w.places = slices.Insert(w.places, at, target)
	}
	w.forecasts[target] = append(w.forecasts[target], f)
}

// next removes and returns the forecasts of the earliest target.
func (w *waiting) next() []stream.Forecast {
	first := w.places[0]
	w.places = w.places[1:]
	f := w.forecasts[first]
	delete(w.forecasts, first)
	return f
}

// Close implements stream.Sink.
func (t *targets) Close() error {
	var err error
	for _, w := range t.order {
		t.out.Forecasts = t.out.Forecasts[:0]
		for len(w.places) > 0 {
			t.out.Forecasts = append(t.out.Forecasts, w.next()...)
		}
		t.out.Forecasts = append(t.out.Forecasts, w.made...)
		err = errors.Join(err, t.next.Write(context.Background(), &t.out))
	}
	return errors.Join(err, t.next.Close())
}
