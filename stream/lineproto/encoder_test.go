package lineproto_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	lp "github.com/influxdata/line-protocol"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/lineproto"
	"github.com/orffvar/forecaster/stream/streamtest"
)

func ExampleEncoder() {
	s := &stream.Series{Name: "host 1", Variables: []string{"cpu", "mem"}}
	b := &stream.Batch{
		Forecasts: []stream.Forecast{{
			Series: s, Model: "orffvar", Time: 2e9, Horizon: 1,
			Yhat: []float64{.5, 70}, Lower: []float64{.25, math.NaN()}, Upper: []float64{.75, math.NaN()},
		}},
		Observations: []stream.Observation{{
			Series: s, Time: 1e9, Y: []float64{1, math.NaN()}, Residual: []float64{.5, math.NaN()}, Anomaly: []float64{2, math.NaN()},
			Score: 1.5, Share: []float64{1, 0}, Cause: eval.Jump, Anomalous: true, Unusual: math.NaN(),
		}},
		Insights: []stream.Insight{{
			Series: s, Model: "auto", Time: 1e9, Experts: []string{"ar6", "orff3"}, Weights: []float64{.5, .5, .25, .75},
		}},
		Events: []stream.Event{{Series: "host 1", Time: 1e9, Kind: stream.EventGap, Text: "3 samples missing"}},
	}
	fmt.Printf("%s", lineproto.Encoder{Levels: []float64{.9}}.AppendBatch(nil, b))
	// Output:
	// forecast,horizon=1,model=orffvar,series=host\ 1,target=cpu yhat=0.5,yhat_lower=0.25,yhat_upper=0.75 2000000000
	// forecast,horizon=1,model=orffvar,series=host\ 1,target=mem yhat=70 2000000000
	// observation,series=host\ 1,target=cpu y=1,residual=0.5,anomaly_score=2,is_anomaly=true,anomaly_share=1 1000000000
	// observation,series=host\ 1,target=_all anomaly_score=1.5,is_anomaly=true,cause="jump" 1000000000
	// forecast_experts,expert=ar6,model=auto,series=host\ 1 weight=0.375 1000000000
	// forecast_experts,expert=orff3,model=auto,series=host\ 1 weight=0.625 1000000000
	// forecast_events,kind=gap,series=host\ 1 text="3 samples missing" 1000000000
}

func TestMetricLine(t *testing.T) {
	nan := math.NaN()
	b := &stream.Batch{Metrics: []stream.Metric{{
		Series: &stream.Series{Name: "s"}, Target: stream.AllTargets, Horizon: 24, Model: "m", Time: 5,
		Score: eval.Score{N: 12, MSE: 4, RMSE: 2, MAE: 1.5, NMSE: .5, MASE: nan, SkillVsNaive: .25, SkillVsVAR: math.Inf(-1), SCVMSE: 4, SCVSD: 3, Coverage: .9, Joint: nan, Width: 2, Pinball: .1},
	}}}
	const want = "forecast_metrics,horizon=24,model=m,series=s,target=_all " +
		"scv_mse=4,scv_mse_var=9,mse=4,rmse=2,mae=1.5,nmse=0.5,skill_vs_persistence=0.25,coverage=0.9,width=2,pinball=0.1,n=12i 5\n"
	if got := string(lineproto.Encoder{}.AppendBatch(nil, b)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestLinesParse: the parser of the database's makers reads every line, and finds
// the names that went in.
func TestLinesParse(t *testing.T) {
	for levels := range 3 {
		e := lineproto.Encoder{Levels: []float64{.9, .5}[:levels]}
		for i := range 8 {
			b := streamtest.Batch(i, levels)
			text := e.AppendBatch(nil, b)
			handler := lp.NewMetricHandler()
			metrics, err := lp.NewParser(handler).Parse(text)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			d := len(b.Forecasts[0].Series.Variables)
			if want := d*max(1, levels) + d - 1 + 3 + d; len(metrics) != want || strings.Count(string(text), "\n") != want {
				t.Fatalf("%d points became %d lines and %d metrics", want, strings.Count(string(text), "\n"), len(metrics))
			}
			for _, m := range metrics {
				for _, tag := range m.TagList() {
					if tag.Key == "series" {
						if got, err := decodeTag(tag.Value); err != nil || got != b.Forecasts[0].Series.Name {
							t.Errorf("the series %q is stored as %q and read as %q, %v", b.Forecasts[0].Series.Name, tag.Value, got, err)
						}
					}
				}
			}
		}
	}
}

// FuzzTag: what is encoded decodes, in the form written and in that stored, the
// encoding is injective because of that, and it breaks no line.
func FuzzTag(f *testing.F) {
	for _, s := range []string{"", "%", "%41", "a b", `a\ b`, "a,b=c", "line\nbreak", `trailing\`, "nul\x00", "\xff", "naïve – 時間 \u202e", "\ufffd", "\u00a0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b := lineproto.AppendTag(nil, s)
		if got, err := decodeTag(string(b)); err != nil || got != s {
			t.Fatalf("%q is encoded %q and decoded %q, %v", s, b, got, err)
		}
		stored := strings.NewReplacer(`\ `, " ", `\,`, ",", `\=`, "=").Replace(string(b))
		if got, err := decodeTag(stored); err != nil || got != s {
			t.Fatalf("%q is stored as %q and decoded %q, %v", s, stored, got, err)
		}
		if len(b) == 0 || strings.ContainsAny(string(b), "\n\r\t\x00") || strings.HasSuffix(string(b), `\`) {
			t.Fatalf("%q is encoded %q", s, b)
		}
	})
}

func TestDecodeTagRefuses(t *testing.T) {
	for _, s := range []string{"%4", "%zz", `a\`, "%%", "a%"} {
		if got, err := decodeTag(s); err == nil {
			t.Errorf("%q became %q", s, got)
		}
	}
}

func TestAppendBatchDoesNotAllocate(t *testing.T) {
	b := streamtest.Batch(1, 2)
	e := lineproto.Encoder{Levels: []float64{.9, .5}}
	buf := e.AppendBatch(nil, b)
	if n := testing.AllocsPerRun(100, func() { buf = e.AppendBatch(buf[:0], b) }); n != 0 {
		t.Errorf("%v allocations a batch", n)
	}
}

func BenchmarkAppendBatch(b *testing.B) {
	s := &stream.Series{Name: "host1", Variables: []string{"cpu", "mem", "disk", "net", "load"}}
	f := stream.Forecast{Series: s, Model: "orffvar", Time: 1767225600e9, Horizon: 1, Yhat: make([]float64, 5), Lower: make([]float64, 5), Upper: make([]float64, 5)}
	for j := range f.Yhat {
		f.Yhat[j], f.Lower[j], f.Upper[j] = math.Sqrt(float64(j+2)), math.Sqrt(float64(j+1)), math.Sqrt(float64(j+3))
	}
	batch := &stream.Batch{}
	for range 200 {
		batch.Forecasts = append(batch.Forecasts, f)
	}
	e := lineproto.Encoder{Levels: []float64{.9}}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = e.AppendBatch(buf[:0], batch)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/point")
}
