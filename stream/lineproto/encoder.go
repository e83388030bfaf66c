package lineproto

import (
	"bytes"
	"slices"

	"github.com/orffvar/forecaster/stream"
)

// Parts of a batch for Encoder.Include.
const (
	Forecasts    = "forecasts"
	Bounds       = "bounds" // bounds of the forecasts
	Observations = "observations"
	Anomalies    = "anomalies" // scores and details, in the points of the observations
	Metrics      = "metrics"
	Experts      = "experts"
	Events       = "events"
)

// Encoder encodes points as lines with times in nanoseconds. The only newline in a line is its last byte, so lines
// can be split again.
type Encoder struct {
	// Levels are engine.Config.Levels. With several levels, a forecast becomes one line per level, with the tag
	// level.
	Levels []float64

	// Long writes one line per variable. Its name is the tag target, and the field names are the same for all
	// variables: yhat, y and so on.
	Long bool

	// Include lists the parts that are written; nil = all.
	Include []string

	// Every writes all horizons of each Every-th sample of a series, and only the first step of the others. 0 and
	// 1: all horizons of all samples.
	Every int

	// AtOrigin writes forecasts at the time of their origin, for databases that reject times in the future.
	AtOrigin bool

	// Exact writes the fewest digits that read back as the same float64; otherwise values have Digits digits.
	Exact bool
}

// Digits is the number of significant digits of a value that is not an integer.
const Digits = 9

// AppendHeader appends nothing: the format has no header.
func (e Encoder) AppendHeader(dst []byte) []byte { return dst }

// has reports whether a part is written.
func (e *Encoder) has(part string) bool { return e.Include == nil || slices.Contains(e.Include, part) }

// AppendBatch appends all points of b but the dead letters.
func (e Encoder) AppendBatch(dst []byte, b *stream.Batch) []byte {
	l := line{dst: dst, exact: e.Exact}
	if e.has(Forecasts) {
		if !e.has(Bounds) {
			e.Levels = nil
		}
		for i := range b.Forecasts {
			if f := &b.Forecasts[i]; f.Horizon == 1 || e.Every < 2 || f.Row%int64(e.Every) == 0 {
				e.forecast(&l, f)
			}
		}
	}
	values, anomalies := e.has(Observations), e.has(Anomalies)
	for i := range b.Observations {
		if o := &b.Observations[i]; e.Long {
			longObservation(&l, o, values, anomalies)
		} else {
			wideObservation(&l, o, values, anomalies)
		}
	}
	if e.has(Metrics) {
		for i := range b.Metrics {
			metric(&l, &b.Metrics[i])
		}
	}
	if e.has(Experts) {
		for i := range b.Insights {
			e.experts(&l, &b.Insights[i])
		}
	}
	if e.has(Events) {
		for i := range b.Events {
			ev := &b.Events[i]
			l.begin("forecast_events", ev.Series, ev.Tags, tag{name: "kind", value: ev.Kind})
			l.text("text", ev.Text)
			l.end(ev.Time)
		}
	}
	return l.dst
}

// AppendForecast appends the lines of a forecast to dst, without newlines, and the end of each line to ends.
func (e Encoder) AppendForecast(dst []byte, ends []int, f *stream.Forecast) ([]byte, []int) {
	l := line{dst: dst, exact: e.Exact}
	from := len(dst)
	e.forecast(&l, f)
	out := l.dst[:from]
	for text := range bytes.Lines(l.dst[from:]) {
		out = append(out, text[:len(text)-1]...)
		ends = append(ends, len(out))
	}
	return out, ends
}

// forecast appends the lines of a forecast.
func (e *Encoder) forecast(l *line, f *stream.Forecast) {
	when := f.Time
	if e.AtOrigin {
		when = f.Origin
	}
	for k := range max(1, len(e.Levels)) {
		own := append(make([]tag, 0, 4), tag{name: "horizon", number: float64(f.Horizon)})
		if len(e.Levels) > 1 {
			own = append(own, tag{name: "level", number: e.Levels[k]})
		}
		own = append(own, tag{name: "model", value: f.Model})
		if !e.Long {
			l.begin("forecast", f.Series.Name, f.Series.Tags, own...)
			for j, variable := range f.Series.Variables {
				e.fields(l, f, j, k, wideNames, variable)
			}
			l.end(when)
			continue
		}
		for j, variable := range f.Series.Variables {
			l.begin("forecast", f.Series.Name, f.Series.Tags, append(own, tag{name: "target", value: variable})...)
			e.fields(l, f, j, k, longNames, "")
			l.end(when)
		}
	}
}

// names holds the field names of a forecast; with Long they stand alone, otherwise behind the name of the variable.
type names struct{ yhat, lower, upper, jointLower, jointUpper, reach string }

var (
	wideNames = &names{"", "_lower", "_upper", "_lower_joint", "_upper_joint", "_limit_probability"}
	longNames = &names{"yhat", "yhat_lower", "yhat_upper", "yhat_joint_lower", "yhat_joint_upper", "limit_probability"}
)

// fields appends the j-th variable of f at the k-th level.
func (e *Encoder) fields(l *line, f *stream.Forecast, j, k int, n *names, variable string) {
	l.of(variable, n.yhat, f.Yhat[j])
	if f.Reach != nil && k == 0 {
		l.of(variable, n.reach, f.Reach[j])
	}
	if len(e.Levels) > 0 {
		l.of(variable, n.lower, f.Lower[k*len(f.Yhat)+j])
		l.of(variable, n.upper, f.Upper[k*len(f.Yhat)+j])
		if f.JointLower != nil && k == 0 {
			l.of(variable, n.jointLower, f.JointLower[j])
			l.of(variable, n.jointUpper, f.JointUpper[j])
		}
	}
}

func wideObservation(l *line, o *stream.Observation, values, anomalies bool) {
	l.begin("observation", o.Series.Name, o.Series.Tags)
	for j, variable := range o.Series.Variables {
		if values {
			l.of(variable, "", o.Y[j])
		}
		if o.Reach != nil {
			l.of(variable, "_limit_probability", o.Reach[j])
			l.of(variable, "_time_to_limit", o.TimeToLimit[j])
		}
		if anomalies && o.Anomalous {
			l.of(variable, "_score", o.VariableScores[j])
			if o.Share != nil {
				l.of(variable, "_share", o.Share[j])
			}
		}
	}
	if anomalies {
		sampleAnomaly(l, o)
	}
	l.end(o.Time)
}

func longObservation(l *line, o *stream.Observation, values, anomalies bool) {
	for j, variable := range o.Series.Variables {
		l.begin("observation", o.Series.Name, o.Series.Tags, tag{name: "target", value: variable})
		if values {
			l.float("y", o.Y[j])
			l.float("residual", o.Residual[j])
		}
		if o.Reach != nil {
			l.float("limit_probability", o.Reach[j])
			l.float("time_to_limit", o.TimeToLimit[j])
		}
		if anomalies && o.Anomalous {
			l.float("anomaly_score", o.VariableScores[j])
			if o.Share != nil {
				l.float("anomaly_share", o.Share[j])
			}
		}
		l.end(o.Time)
	}
	if anomalies {
		l.begin("observation", o.Series.Name, o.Series.Tags, tag{name: "target", value: stream.AllTargets})
		sampleAnomaly(l, o)
		l.end(o.Time)
	}
}

// sampleAnomaly appends the anomaly fields of the whole sample.
func sampleAnomaly(l *line, o *stream.Observation) {
	l.float("anomaly_score", o.AnomalyScore)
	l.float("state_score", o.StateScore)
	if o.Anomalous {
		l.flag("is_anomaly")
		l.text("cause", o.Cause.String())
	}
	l.float("levelset_score", o.LevelSetScore)
}

func metric(l *line, m *stream.Metric) {
	l.begin("forecast_metrics", m.Series.Name, m.Series.Tags,
		tag{name: "horizon", number: float64(m.Horizon)}, tag{name: "model", value: m.Model}, tag{name: "target", value: m.Target})
	s := &m.Score
	l.float("scv_mse", s.SCVMSE)
	l.float("scv_mse_se", s.SCVSE)
	l.float("mse", s.MSE)
	l.float("rmse", s.RMSE)
	l.float("mae", s.MAE)
	l.float("mase", s.MASE)
	l.float("nmse", s.NMSE)
	l.float("skill_vs_var", s.SkillVsVAR)
	l.float("skill_vs_persistence", s.SkillVsNaive)
	l.float("coverage", s.Coverage)
	l.float("joint_coverage", s.Joint)
	l.float("width", s.Width)
	l.float("pinball", s.Pinball)
	l.int("n", s.N)
	l.end(m.Time)
}

// experts appends the expert weights of a model, averaged over the variables.
func (e *Encoder) experts(l *line, in *stream.Insight) {
	if len(in.Experts) == 0 {
		return
	}
	weight := func(k int) float64 {
		n := len(in.Experts)
		var sum float64
		for i := k; i < len(in.Weights); i += n {
			sum += in.Weights[i]
		}
		return sum / float64(len(in.Weights)/n)
	}
	model := tag{name: "model", value: in.Model}
	if e.Long {
		for k, expert := range in.Experts {
			l.begin("forecast_experts", in.Series.Name, in.Series.Tags, tag{name: "expert", value: expert}, model)
			l.float("weight", weight(k))
			l.end(in.Time)
		}
		return
	}
	l.begin("forecast_experts", in.Series.Name, in.Series.Tags, model)
	for k, expert := range in.Experts {
		l.of(expert, "", weight(k))
	}
	l.end(in.Time)
}
