package influx

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/secret"
	"github.com/orffvar/forecaster/internal/tools/testserver"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/event"
)

// TestVictoriaMetrics: names, tags, texts and times arrive as expected, and so does a point that is written twice.
func TestVictoriaMetrics(t *testing.T) {
	db := testserver.StartVictoriaMetrics(t)
	sink := newSink(t, db.URL, func(c *Config) {
		c.Org, c.Token, c.Bucket, c.Encoder.Levels = "", secret.Text{}, "forecasts", []float64{.9}
	})
	for what, f := range map[string]func(context.Context) error{"ping": sink.Ping, "check": sink.Check} {
		if err := f(deadline(t)); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	now := time.Now().Truncate(time.Second)
	s := &stream.Series{Name: "host=web 1", Variables: []string{"cpu", "a b,c"}, Tags: []stream.Tag{{Key: "host", Value: "web 1"}}}
	b := &stream.Batch{
		Observations: []stream.Observation{{
			Series: s, Time: now.Add(-400 * 24 * time.Hour).UnixNano(), Y: []float64{7, 8}, Residual: []float64{0, 0}, VariableScores: []float64{2, 0}, Share: []float64{1, 0}, AnomalyScore: 2, StateScore: math.NaN(), Anomalous: true, LevelSetScore: math.NaN(),
		}},
		Events: []stream.Event{{Series: s.Name, Tags: s.Tags, Kind: event.Gap, Time: now.UnixNano(), Text: "3 samples missing"}},
	}
	for i, ahead := range []time.Duration{time.Minute, 47 * time.Hour, 49 * time.Hour} {
		v := []float64{float64(i), .5}
		b.Forecasts = append(b.Forecasts, stream.Forecast{Series: s, Model: "auto", Horizon: i + 1, Time: now.Add(ahead).UnixNano(), Yhat: v, Lower: v, Upper: v})
	}
	for range 2 {
		if err := sink.Write(deadline(t), b); err != nil {
			t.Fatal(err)
		}
	}
	if st := sink.Stats(); st.Rejected != 0 || st.Written != 2*5 {
		t.Errorf("%+v", st)
	}
	for query, want := range map[string]string{
		`forecast_cpu{host="web 1",horizon="1"}`:                     "0",
		`{__name__="forecast_a b,c_lower",host="web 1",horizon="1"}`: "0.5",
		`count_over_time(forecast_cpu{horizon="1"}[1h])`:             "1", // not 2: it is one point
		`last_over_time(observation_cpu[500d])`:                      "7",
		`last_over_time(observation_is_anomaly[500d])`:               "1",
		`count(last_over_time({__name__=~"observation_.+"}[500d]))`:  "9", // two variables with score and share, and three of the sample
		`last_over_time(forecast_events_text{kind="gap"}[1d])`:       "0", // a text is zero
		`last_over_time(forecast_cpu{horizon="2"}[2d] offset -2d)`:   "1",
		`last_over_time(forecast_cpu{horizon="3"}[1d] offset -3d)`:   "", // more than two days ahead
	} {
		at := now.Add(time.Minute)
		if strings.Contains(query, "offset") || strings.Contains(query, "d]") {
			at = now
		}
		got := ""
		if all := db.Query(query, at, at, 0); len(all) == 1 {
			got = fmt.Sprint(all[0].Value[1])
		} else if len(all) > 1 {
			got = fmt.Sprint(all)
		}
		if got != want {
			t.Errorf("%s is %q, want %q", query, got, want)
		}
	}
}

// TestFault71_AcceptedMeansDurable: VictoriaMetrics accepts points before it keeps them. It is killed
// three times while points come, the last time after the last one, and has all of them in the end. So it has
// when the process that wrote ends each time, too: the next one finds in the checkpoint what to send again.
func TestFault71_AcceptedMeansDurable(t *testing.T) {
	t.Parallel()
	for name, both := range map[string]bool{"the server is killed": false, "server and process are killed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			acceptedMeansDurable(t, both)
		})
	}
}

func acceptedMeansDurable(t *testing.T, both bool) {
	db := testserver.StartVictoriaMetrics(t)
	begin := func() *Sink {
		return newSink(t, db.URL, func(c *Config) { c.Org, c.Token, c.Bucket = "", secret.Text{}, "forecasts" })
	}
	sink := begin()
	const batches, each = 60, 200
	s := &stream.Series{Name: "s", Variables: []string{"cpu"}}
	start := time.Now().Add(-24 * time.Hour).Truncate(time.Second)
	for i := range batches {
		b := &stream.Batch{}
		for j := range each {
			n := i*each + j
			b.Forecasts = append(b.Forecasts, stream.Forecast{Series: s, Model: "m", Horizon: 1, Time: start.Add(time.Duration(n) * time.Second).UnixNano(), Yhat: []float64{float64(n)}})
		}
		if err := sink.Write(deadline(t), b); err != nil {
			t.Fatal(err)
		}
		if i%20 != 19 {
			continue
		}
		saved := checkpoint.Checkpoint{Outputs: sink.Positions()}
		db.Kill()
		if both {
			sink.Close()
			var b bytes.Buffer
			if err := saved.Encode(&b); err != nil {
				t.Fatal(err)
			}
			list, _, err := checkpoint.Parse(bytes.NewReader(b.Bytes()), int64(b.Len()))
			if err != nil {
				t.Fatal(err)
			}
			sink = begin()
			if err := sink.Resume(list[0].Outputs); err != nil {
				t.Fatal(err)
			}
		}
	}
	eventually(t, "all points are settled", func() bool { return sink.Stats().Unsettled == 0 })
	seen := ""
	eventually(t, "all points are there", func() bool {
		now := time.Now()
		if all := db.Query(`sum(count_over_time({__name__=~"forecast_.*"}[100y]))`, now, now, 0); len(all) == 1 {
			seen = fmt.Sprint(all[0].Value[1])
		}
		return seen == fmt.Sprint(batches*each)
	})
}
