package study

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval/anomaly"
	"github.com/orffvar/forecaster/eval/simulate"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
)

// The anomalies of a file are those of the events that a live job writes: the same beginning, end,
// score, cause and variables; and the same samples are marked.
func TestAnomaliesOfAFileAreThoseOfTheEvents(t *testing.T) {
	data := simulate.Collect("odd", newUnchanging("white noise", 3), 4000)
	rows := data.Series[0].Rows
	for i := range 12 {
		rows[1500+i][0] += 10 // jumps back
	}
	for i := range 40 {
		rows[2200+i][0] = rows[2199][0]
	}
	for i := range 60 {
		rows[2600+i][0] += 3
		rows[3200+i][0] *= 5
	}
	rows[3500][0] = 20
	for i := range 5 {
		rows[3995+i][0] += 9 // goes on at the end of the file
	}
	records := recordsOf(data)
	c := config.Default()
	c.Evaluate.Interval, c.Model.Horizon = 0, 3
	samples, err := records.Samples(t.Context(), c, 0)
	if err != nil {
		t.Fatal(err)
	}
	report := &AnomalyReport{}
	var scored []RowScore
	scores := &Anomalies{See: func(_ *scoredSeries, r RowScore) { scored = append(scored, r) }}
	if err := AnomaliesOf(t.Context(), c, records, samples, scores, new(atomic.Int64)); err != nil {
		t.Fatal(err)
	}
	report.List(scores)

	e, err := wire.NewEngine(c, stream.AllSeries)
	if err != nil {
		t.Fatal(err)
	}
	marked := make(map[string]bool)
	ended, open := make(map[string]event.AnomalyPhase), make(map[string]bool)
	if err = records.teach(t.Context(), &learner{engine: e, see: func(b *stream.Batch, _ int) {
		for i := range b.Observations {
			marked[rowTime(b.Observations[i].Time)] = b.Observations[i].Anomalous
		}
		for _, e := range b.Events {
			if e.Kind != event.Anomaly {
				continue
			}
			begin := rowTime(e.Anomaly.Begin)
			open[begin] = e.Anomaly.Phase != event.End
			if e.Anomaly.Phase == event.End {
				ended[begin] = *e.Anomaly
			}
		}
	}}); err != nil {
		t.Fatal(err)
	}
	if n := len(open); n != len(report.Stretches) || n < 6 {
		t.Fatalf("%d anomalies, and events of %d", len(report.Stretches), n)
	}
	for _, r := range scored {
		if at := rowTime(r.time); r.anomalous != marked[at] {
			t.Errorf("%s: is_anomaly is %v, that of the sample %v", at, r.anomalous, marked[at])
		}
	}
	for _, s := range report.Stretches {
		a, ok := ended[s.From]
		if !ok {
			if !open[s.From] || s.From < rowTime(samples.Series[0].Times[3995]) {
				t.Errorf("anomaly from %s to %s: no event of its end", s.From, s.To)
			}
			continue
		}
		if s.To != rowTime(a.End) || int64(s.Rows) != a.Samples || float64(s.Score) != a.Score || s.View != a.Cause.String() || s.Normal != a.Normal ||
			len(s.Variables) != 1 || float64(s.Variables[0].Share) != a.Shares[0] {
			t.Errorf("anomaly %+v, its event %+v", s, a)
		}
	}
}

// The row that describes an anomaly is that in which its variable is furthest from its forecast.
func TestAnAnomalyIsDescribedByItsFurthestRow(t *testing.T) {
	series := &stream.Series{Name: "s", Variables: []string{"a", "b"}}
	event := func(end int64) *anomaly.Event {
		return &anomaly.Event{Begin: 1, End: end, Samples: end, Score: 2, Shares: []float64{.7, .3}}
	}
	b := &stream.Batch{}
	for i, residual := range [][]float64{{1, 0}, {-4, 1}, {3, 5}} {
		at := int64(i + 1)
		width := 1 + float64(i%2) // the row with the error -4 has wide intervals
		b.Forecasts = append(b.Forecasts, stream.Forecast{
			Series: series, Time: at, Horizon: 1, Yhat: []float64{0, 0}, Lower: []float64{-width, -width}, Upper: []float64{width, width},
		})
		b.Observations = append(b.Observations, stream.Observation{
			Series: series, Time: at, Y: residual, Residual: residual, AnomalyScore: 1, Share: []float64{.7, .3}, Anomalous: true, Anomaly: event(at),
		})
	}
	scores := new(Anomalies)
	scores.Add(b)
	r := &AnomalyReport{}
	r.List(scores)
	if len(r.Stretches) != 1 || r.Stretches[0].Rows != 3 {
		t.Fatalf("anomalies %+v", r.Stretches)
	}
	for i, want := range []float64{3, 5} {
		if v := r.Stretches[0].Variables[i]; float64(v.Observed) != want || v.Time != rowTime(3) {
			t.Errorf("%+v: is described by another row than that of %v", v, want)
		}
	}
}

// An anomaly that begins in the history is listed from the first row behind it on.
func TestAnomalyThatBeginsInTheHistory(t *testing.T) {
	const skip = 450 // in the odd stretch of the plant, rows 447 … 452
	data, _ := plant(t)
	c, records := readFile(t, data)
	c.Pipeline.Interval, c.Model.Type, c.Model.Order = config.Interval(time.Hour), "var2", 2
	samples, err := records.Samples(t.Context(), c, 0)
	if err != nil {
		t.Fatal(err)
	}
	scores := &Anomalies{Skip: skip}
	if err := AnomaliesOf(t.Context(), c, records, samples, scores, new(atomic.Int64)); err != nil {
		t.Fatal(err)
	}
	var r AnomalyReport
	r.List(scores)
	begin := rowTime(samples.Series[0].Times[skip])
	i := slices.IndexFunc(r.Stretches, func(s stretch) bool { return s.first == 0 })
	if i < 0 || r.Stretches[i].From != begin || r.Stretches[i].Rows > 4 || r.Stretches[i].To < begin {
		t.Errorf("%+v, want one from %s on", r.Stretches, begin)
	}
}
