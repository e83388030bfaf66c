package lineproto_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/eval/anomaly"
	"github.com/orffvar/forecaster/eval/scoring"

	lp "github.com/influxdata/line-protocol"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
	"github.com/orffvar/forecaster/stream/lineproto"
	"github.com/orffvar/forecaster/stream/streamtest"
)

func ExampleEncoder() {
	s := &stream.Series{Name: "host=web1", Variables: []string{"cpu", "mem"}, Tags: []stream.Tag{{Key: "host", Value: "web1"}}}
	b := &stream.Batch{
		Forecasts: []stream.Forecast{{
			Series: s, Model: "orffvar", Time: 2e9, Horizon: 1,
			Yhat: []float64{.5, 70.12345678901}, Lower: []float64{.25, math.NaN()}, Upper: []float64{.75, math.NaN()},
		}},
		Observations: []stream.Observation{{
			Series: s, Time: 1e9, Y: []float64{1, math.NaN()}, Residual: []float64{.5, math.NaN()}, VariableScores: []float64{2, math.NaN()},
			AnomalyScore: 1.5, StateScore: .5, Share: []float64{1, 0}, Cause: anomaly.Jump, Anomalous: true, LevelSetScore: math.NaN(),
			Reach: []float64{.25, math.NaN()}, TimeToLimit: []float64{60, math.NaN()},
		}},
		Insights: []stream.Insight{{
			Series: s, Model: "auto", Time: 1e9, Experts: []string{"ar6", "orff3"}, Weights: []float64{.5, .5, .25, .75},
		}},
		Events: []stream.Event{{Series: s.Name, Tags: s.Tags, Time: 1e9, Kind: event.Gap, Text: "3 samples missing"}},
	}
	e := lineproto.Encoder{Levels: []float64{.9}}
	fmt.Printf("%s\n", e.AppendBatch(nil, b))
	e.Long = true
	fmt.Printf("%s", e.AppendBatch(nil, b))
	// Output:
	// forecast,horizon=1,host=web1,model=orffvar cpu=0.5,cpu_lower=0.25,cpu_upper=0.75,mem=70.1234568 2000000000
	// observation,host=web1 cpu=1,cpu_limit_probability=0.25,cpu_time_to_limit=60,cpu_score=2,cpu_share=1,mem_share=0,anomaly_score=1.5,state_score=0.5,is_anomaly=true,cause="jump" 1000000000
	// forecast_experts,host=web1,model=auto ar6=0.375,orff3=0.625 1000000000
	// forecast_events,host=web1,kind=gap text="3 samples missing" 1000000000
	//
	// forecast,horizon=1,host=web1,model=orffvar,target=cpu yhat=0.5,yhat_lower=0.25,yhat_upper=0.75 2000000000
	// forecast,horizon=1,host=web1,model=orffvar,target=mem yhat=70.1234568 2000000000
	// observation,host=web1,target=cpu y=1,residual=0.5,limit_probability=0.25,time_to_limit=60,anomaly_score=2,anomaly_share=1 1000000000
	// observation,host=web1,target=mem anomaly_share=0 1000000000
	// observation,host=web1,target=_all anomaly_score=1.5,state_score=0.5,is_anomaly=true,cause="jump" 1000000000
	// forecast_experts,expert=ar6,host=web1,model=auto weight=0.375 1000000000
	// forecast_experts,expert=orff3,host=web1,model=auto weight=0.625 1000000000
	// forecast_events,host=web1,kind=gap text="3 samples missing" 1000000000
}

func TestMetricLine(t *testing.T) {
	nan := math.NaN()
	b := &stream.Batch{Metrics: []stream.Metric{{
		Series: &stream.Series{Name: "s"}, Target: stream.AllTargets, Horizon: 24, Model: "m", Time: 5,
		Score: scoring.Score{N: 12, MSE: 4, RMSE: 2, MAE: 1.5, NMSE: .5, MASE: nan, SkillVsNaive: .25, SkillVsVAR: math.Inf(-1), SCVMSE: 4, SCVSE: .5, Coverage: .9, Joint: nan, Width: 2, Pinball: .1},
	}, {
		Series: &stream.Series{Name: "s"}, Target: "a", Horizon: 1, Model: "m", Time: 6,
		Score: scoring.Score{MASE: .75, SkillVsVAR: .125, Joint: .8},
	}}}
	const want = "forecast_metrics,horizon=24,id=s,model=m,target=_all " +
		"scv_mse=4,scv_mse_se=0.5,mse=4,rmse=2,mae=1.5,nmse=0.5,skill_vs_persistence=0.25,coverage=0.9,width=2,pinball=0.1,n=12i 5\n" +
		"forecast_metrics,horizon=1,id=s,model=m,target=a scv_mse=0,scv_mse_se=0,mse=0,rmse=0,mae=0,mase=0.75,nmse=0," +
		"skill_vs_var=0.125,skill_vs_persistence=0,coverage=0,joint_coverage=0.8,width=0,pinball=0,n=0i 6\n"
	if got := string(lineproto.Encoder{}.AppendBatch(nil, b)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// parsed are the points in text, read by the parser of the database's makers: measurement,
// time and tags with the fields.
func parsed(t *testing.T, text []byte) []lp.Metric {
	t.Helper()
	handler := lp.NewMetricHandler()
	metrics, err := lp.NewParser(handler).Parse(text)
	if err != nil || len(metrics) != strings.Count(string(text), "\n") {
		t.Fatalf("%d metrics, %v\n%s", len(metrics), err, text)
	}
	return metrics
}

// TestLinesParse: every line is read, with the name of the series that went in, and has the
// values of the batch under names of which no two are alike.
func TestLinesParse(t *testing.T) {
	for levels := range 3 {
		for _, long := range []bool{false, true} {
			e := lineproto.Encoder{Levels: []float64{.9, .5}[:levels], Long: long}
			for i := range 8 {
				b := streamtest.Batch(i, levels)
				d := len(b.Forecasts[0].Series.Variables)
				lines, values := max(1, levels)+1+3, 0
				if long {
					observed := d - 1 // the first has no value
					if i%2 == 1 {
						observed = d // but a share
					}
					lines = d*max(1, levels) + observed + 1 + 1 + d + 1
				}
				metrics := parsed(t, e.AppendBatch(nil, b))
				if len(metrics) != lines {
					t.Errorf("levels %d, long %v, batch %d: %d lines, want %d", levels, long, i, len(metrics), lines)
				}
				for _, m := range metrics {
					for _, tag := range m.TagList() {
						if tag.Key == "id" {
							if got, err := decodeTag(tag.Value); err != nil || got != b.Forecasts[0].Series.Name {
								t.Errorf("the series %q is stored as %q and read as %q, %v", b.Forecasts[0].Series.Name, tag.Value, got, err)
							}
						}
					}
					names := make(map[string]bool)
					for _, f := range m.FieldList() {
						if names[f.Key] {
							t.Errorf("%s has %q twice", m.Name(), f.Key)
						}
						names[f.Key] = true
						if _, ok := f.Value.(float64); ok && m.Name() == "forecast" {
							values++
						}
					}
				}
				if want := d * (max(1, levels) + 2*levels); values != want {
					t.Errorf("%d values of forecasts, want %d", values, want)
				}
			}
		}
	}
}

// TestNamesOfOthers: tags and variables that have the names of the output's own, and those
// made of them, stay apart.
func TestNamesOfOthers(t *testing.T) {
	s := &stream.Series{Name: "s", Variables: []string{"cpu", "cpu_lower", "cpu_lower_", "cpu_joint", "time", "time_", "cause", "cpu_lower__x", "a_"}}
	for _, key := range []string{"_field", "horizon", "horizon_", "id", "model", "time"} {
		s.Tags = append(s.Tags, stream.Tag{Key: key, Value: "_all"})
	}
	v := make([]float64, len(s.Variables))
	for i := range v {
		v[i] = float64(i)
	}
	b := &stream.Batch{
		Forecasts:    []stream.Forecast{{Series: s, Model: "m", Horizon: 3, Time: 1, Yhat: v, Lower: v, Upper: v, JointLower: v, JointUpper: v}},
		Observations: []stream.Observation{{Series: s, Time: 1, Y: v, Residual: v, VariableScores: v, Share: v, AnomalyScore: 1, StateScore: 2, Anomalous: true, LevelSetScore: 1}},
	}
	metrics := parsed(t, lineproto.Encoder{Levels: []float64{.9}}.AppendBatch(nil, b))
	for i, want := range []struct{ tags, fields int }{{8, 5 * len(v)}, {6, 3*len(v) + 5}} {
		tags, fields := make(map[string]string), make(map[string]bool)
		for _, tag := range metrics[i].TagList() {
			tags[tag.Key] = tag.Value
		}
		for _, f := range metrics[i].FieldList() {
			fields[f.Key] = true
		}
		if len(tags) != want.tags || len(fields) != want.fields || tags["id"] != "%5Fall" || tags["model_"] != "_all" || tags["time"] != "" || fields["time"] {
			t.Errorf("%s has %d tags %v and %d fields %v", metrics[i].Name(), len(tags), tags, len(fields), fields)
		}
		if i == 0 && (tags["model"] != "m" || tags["horizon"] != "3") {
			t.Errorf("%v", tags)
		}
	}
}

// TestInclude: each part can be left out, and with Every the paths of other samples.
func TestInclude(t *testing.T) {
	s := &stream.Series{Name: "s", Variables: []string{"x"}}
	one := []float64{1}
	b := &stream.Batch{
		Observations: []stream.Observation{{Series: s, Time: 1, Y: one, Residual: one, VariableScores: one, Share: one, AnomalyScore: 1, StateScore: 2, Anomalous: true, LevelSetScore: 1}},
		Metrics:      []stream.Metric{{Series: s, Model: "m", Target: "x", Horizon: 1, Time: 1}},
		Insights:     []stream.Insight{{Series: s, Model: "m", Time: 1, Experts: []string{"e"}, Weights: one}},
		Events:       []stream.Event{{Series: "s", Kind: "gap", Time: 1, Text: "t"}},
	}
	for row := int64(1); row <= 7; row++ {
		for h := 1; h <= 3; h++ {
			b.Forecasts = append(b.Forecasts, stream.Forecast{Series: s, Model: "m", Row: row, Horizon: h, Time: row + int64(h), Yhat: []float64{float64(h)}, Lower: one, Upper: one})
		}
	}
	for _, c := range []struct {
		include string
		every   int
		want    string // number of lines, then the first fields of each measurement
	}{
		{"", 0, "25: forecast x=1,x_lower=1,x_upper=1; observation x=1,x_score=1,x_share=1,anomaly_score=1,state_score=2,is_anomaly=true,cause=\"level\",levelset_score=1; forecast_metrics n=0i; forecast_experts e=1; forecast_events text=\"t\""},
		{"forecasts", 1, "21: forecast x=1"},
		{"forecasts bounds", 2, "13: forecast x=1,x_lower=1,x_upper=1"}, // the first steps of rows 1 to 7, two more of rows 2, 4 and 6
		{"observations", 0, "1: observation x=1"},
		{"anomalies", 0, "1: observation x_score=1,x_share=1,anomaly_score=1,state_score=2,is_anomaly=true,cause=\"level\",levelset_score=1"},
		{"metrics", 0, "1: forecast_metrics n=0i"},
		{"experts", 0, "1: forecast_experts e=1"},
		{"events", 0, "1: forecast_events text=\"t\""},
	} {
		e := lineproto.Encoder{Levels: []float64{.9}, Every: c.every}
		if c.include != "" {
			e.Include = strings.Fields(c.include)
		}
		text := string(e.AppendBatch(nil, b))
		got, last := fmt.Sprint(strings.Count(text, "\n"), ":"), ""
		for line := range strings.Lines(text) {
			parts := strings.Fields(line)
			if name, _, _ := strings.Cut(parts[0], ","); name != last {
				_, fields, _ := strings.Cut(parts[1], "scv") // scores of nothing are zero
				if fields != "" {
					parts[1] = "n=0i"
				}
				if last != "" {
					got += ";"
				}
				got, last = got+" "+name+" "+parts[1], name
			}
		}
		if got != c.want {
			t.Errorf("%q every %d: got\n%s\nwant\n%s", c.include, c.every, got, c.want)
		}
	}
}

// FuzzTag: an encoded tag decodes, in the form written and in that stored, the
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
	for _, long := range []bool{false, true} {
		e := lineproto.Encoder{Levels: []float64{.9, .5}, Long: long}
		buf := e.AppendBatch(nil, b)
		if n := testing.AllocsPerRun(100, func() { buf = e.AppendBatch(buf[:0], b) }); n != 0 {
			t.Errorf("%v allocations per batch, long %v", n, long)
		}
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
