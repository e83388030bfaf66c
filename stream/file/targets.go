package file

import (
	"context"
	"errors"
	"slices"

	"github.com/orffvar/forecaster/stream"
)

// AwaitTargets returns a sink that holds each forecast until its target time is over, then
// passes it on to next, with Forecast.Y set if the target was observed. Close passes on the
// rest. Forecasts leave in the order of their target times; forecasts with one target time
// keep their order.
//
// Waiting forecasts are in memory alone, so a job with checkpoints would lose them.
func AwaitTargets(next stream.Sink) stream.Sink {
	return &targets{next: next, series: make(map[string]*waiting)}
}

type targets struct {
	next   stream.Sink
	series map[string]*waiting
	order  []*waiting // of first appearance
	out    stream.Batch
}

// waiting are the forecasts of a series by their target time.
type waiting struct {
	times     []int64 // ascending, the keys of forecasts
	forecasts map[int64][]stream.Forecast
}

// Write implements stream.Sink.
func (t *targets) Write(ctx context.Context, b *stream.Batch) error {
	for i := range b.Forecasts {
		t.of(b.Forecasts[i].Series.Name).add(&b.Forecasts[i])
	}
	t.out.Forecasts = t.out.Forecasts[:0]
	for i := range b.Observations {
		o := &b.Observations[i]
		w := t.of(o.Series.Name)
		for len(w.times) > 0 && w.times[0] <= o.Time {
			for _, f := range w.next() {
				if f.Time == o.Time && slices.Equal(f.Series.Variables, o.Series.Variables) {
					f.Y = slices.Clone(o.Y)
				}
				t.out.Forecasts = append(t.out.Forecasts, f)
			}
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

// add keeps a copy of a forecast, whose vectors belong to its batch.
func (w *waiting) add(f *stream.Forecast) {
	c := *f
	c.Yhat, c.Lower, c.Upper = slices.Clone(f.Yhat), slices.Clone(f.Lower), slices.Clone(f.Upper)
	c.JointLower, c.JointUpper = slices.Clone(f.JointLower), slices.Clone(f.JointUpper)
	if at, found := slices.BinarySearch(w.times, f.Time); !found {
		w.times = slices.Insert(w.times, at, f.Time)
	}
	w.forecasts[f.Time] = append(w.forecasts[f.Time], c)
}

// next removes and returns the forecasts of the earliest target time.
func (w *waiting) next() []stream.Forecast {
	first := w.times[0]
	w.times = w.times[1:]
	f := w.forecasts[first]
	delete(w.forecasts, first)
	return f
}

// Close implements stream.Sink.
func (t *targets) Close() error {
	var err error
	for _, w := range t.order {
		t.out.Forecasts = t.out.Forecasts[:0]
		for len(w.times) > 0 {
			t.out.Forecasts = append(t.out.Forecasts, w.next()...)
		}
		err = errors.Join(err, t.next.Write(context.Background(), &t.out))
	}
	return errors.Join(err, t.next.Close())
}
