package lineproto

import (
	"math"
	"strconv"

	"github.com/orffvar/forecaster/internal/decimal"
	"github.com/orffvar/forecaster/stream"
)

// Encoder appends points as lines with times in nanoseconds. The only newline in a line is
// its last byte, so that lines can be separated again.
type Encoder struct {
	// Levels are those of the engine. With more than one, a forecast becomes a
	// line a level, with the tag level.
	Levels []float64
}

// AppendHeader appends nothing: the format has no header.
func (e Encoder) AppendHeader(dst []byte) []byte { return dst }

// AppendBatch appends all points of b but the dead letters.
func (e Encoder) AppendBatch(dst []byte, b *stream.Batch) []byte {
	for i := range b.Forecasts {
		dst = e.appendForecast(dst, &b.Forecasts[i])
	}
	for i := range b.Observations {
		dst = appendObservation(dst, &b.Observations[i])
	}
	for i := range b.Metrics {
		dst = appendMetric(dst, &b.Metrics[i])
	}
	for i := range b.Insights {
		dst = appendExperts(dst, &b.Insights[i])
	}
	for i := range b.Events {
		e := &b.Events[i]
		l := begin(dst, "forecast_events")
		l.tag("kind", e.Kind)
		l.tag("series", e.Series)
		l.text(",text=", e.Text)
		dst = l.end(e.Time)
	}
	return dst
}

func (e Encoder) appendForecast(dst []byte, f *stream.Forecast) []byte {
	var head, tags, time span
	for j, target := range f.Series.Variables {
		for k := range max(1, len(e.Levels)) {
			l := line{dst: dst, start: len(dst)}
			if !l.repeat(head) {
				l.dst = append(l.dst, "forecast"...)
				l.number("horizon", float64(f.Horizon))
				head = l.since(l.start)
			}
			if len(e.Levels) > 1 {
				l.number("level", e.Levels[k])
			}
			if from := len(l.dst); !l.repeat(tags) {
				l.tag("model", f.Model)
				l.tag("series", f.Series.Name)
				l.dst = append(l.dst, ",target="...)
				tags = l.since(from)
			}
			l.dst = AppendTag(l.dst, target)
			l.float(",yhat=", f.Yhat[j])
			if len(e.Levels) > 0 {
				l.float(",yhat_lower=", f.Lower[k*len(f.Yhat)+j])
				l.float(",yhat_upper=", f.Upper[k*len(f.Yhat)+j])
			}
			if f.JointLower != nil && k == 0 {
				l.float(",yhat_joint_lower=", f.JointLower[j])
				l.float(",yhat_joint_upper=", f.JointUpper[j])
			}
			dst = l.endAgain(&time, f.Time)
			if len(dst) == l.start {
				head, tags = span{}, span{}
			}
		}
	}
	return dst
}

func appendObservation(dst []byte, o *stream.Observation) []byte {
	var head, time span
	begin := func(target string) line {
		l := line{dst: dst, start: len(dst)}
		if !l.repeat(head) {
			l.dst = append(l.dst, "observation"...)
			l.tag("series", o.Series.Name)
			l.dst = append(l.dst, ",target="...)
			head = l.since(l.start)
		}
		l.dst = AppendTag(l.dst, target)
		return l
	}
	end := func(l line) {
		if dst = l.endAgain(&time, o.Time); len(dst) == l.start {
			head = span{}
		}
	}
	for j, target := range o.Series.Variables {
		l := begin(target)
		l.float(",y=", o.Y[j])
		l.float(",residual=", o.Residual[j])
		l.anomaly(o.Anomaly[j], o.Anomalous && o.Anomaly[j] > .5)
		if o.Share != nil && !math.IsNaN(o.Anomaly[j]) {
			l.float(",anomaly_share=", o.Share[j])
		}
		end(l)
	}
	l := begin(stream.AllTargets)
	l.anomaly(o.Score, o.Anomalous)
	if o.Anomalous {
		l.text(",cause=", o.Cause.String())
	}
	l.float(",levelset_score=", o.Unusual)
	end(l)
	return dst
}

// anomaly appends a score and whether the sample is part of an anomaly, unless there is
// none.
func (l *line) anomaly(score float64, anomalous bool) {
	if math.IsNaN(score) {
		return
	}
	l.float(",anomaly_score=", score)
	if anomalous {
		l.field(",is_anomaly=true")
	} else {
		l.field(",is_anomaly=false")
	}
}

func appendMetric(dst []byte, m *stream.Metric) []byte {
	l := begin(dst, "forecast_metrics")
	l.number("horizon", float64(m.Horizon))
	l.tag("model", m.Model)
	l.tag("series", m.Series.Name)
	l.tag("target", m.Target)
	s := &m.Score
	l.float(",scv_mse=", s.SCVMSE)
	l.float(",scv_mse_var=", s.SCVSD*s.SCVSD)
	l.float(",mse=", s.MSE)
	l.float(",rmse=", s.RMSE)
	l.float(",mae=", s.MAE)
	l.float(",mase=", s.MASE)
	l.float(",nmse=", s.NMSE)
	l.float(",skill_vs_var=", s.SkillVsVAR)
	l.float(",skill_vs_persistence=", s.SkillVsNaive)
	l.float(",coverage=", s.Coverage)
	l.float(",joint_coverage=", s.Joint)
	l.float(",width=", s.Width)
	l.float(",pinball=", s.Pinball)
	l.int(",n=", s.N)
	return l.end(m.Time)
}

// appendExperts appends the weights of the experts, means over the variables.
func appendExperts(dst []byte, in *stream.Insight) []byte {
	n := len(in.Experts)
	for k, expert := range in.Experts {
		var sum float64
		for i := k; i < len(in.Weights); i += n {
			sum += in.Weights[i]
		}
		l := begin(dst, "forecast_experts")
		l.tag("expert", expert)
		l.tag("model", in.Model)
		l.tag("series", in.Series.Name)
		l.float(",weight=", sum/float64(len(in.Weights)/n))
		dst = l.end(in.Time)
	}
	return dst
}

// line is a line being appended: the measurement, tags, fields, then the time.
type line struct {
	dst    []byte
	start  int // where the line begins
	fields int
}

func begin(dst []byte, measurement string) line {
	return line{dst: append(dst, measurement...), start: len(dst)}
}

// span is a part of a line that later lines of the same point copy. It is lost when its
// line disappears.
type span struct{ from, to int }

// since is what was appended from a place on.
func (l *line) since(from int) span { return span{from, len(l.dst)} }

// repeat appends s, unless that is empty.
func (l *line) repeat(s span) bool {
	l.dst = append(l.dst, l.dst[s.from:s.to]...)
	return s.to > s.from
}

// endAgain is end with a time that may be in s already.
func (l *line) endAgain(s *span, t int64) []byte {
	if l.fields == 0 || !l.repeat(*s) {
		from := len(l.dst)
		l.dst = l.end(t)
		if l.fields > 0 {
			*s = l.since(from)
		}
	}
	return l.dst
}

// tag appends a tag; they must come in the order of their names.
func (l *line) tag(name, value string) {
	l.dst = append(append(append(l.dst, ','), name...), '=')
	l.dst = AppendTag(l.dst, value)
}

// number appends a tag that is a number.
func (l *line) number(name string, value float64) {
	l.dst = append(append(append(l.dst, ','), name...), '=')
	l.dst = decimal.Append(l.dst, value)
}

// field begins a field, by its name between a comma and an equals sign.
func (l *line) field(name string) {
	from := len(l.dst)
	l.dst = append(l.dst, name...)
	if l.fields == 0 {
		l.dst[from] = ' '
	}
	l.fields++
}

// float appends a field, unless v is not finite.
func (l *line) float(name string, v float64) {
	if v-v == 0 {
		l.field(name)
		l.dst = decimal.Append(l.dst, v)
	}
}

func (l *line) int(name string, v int64) {
	l.field(name)
	l.dst = append(strconv.AppendInt(l.dst, v, 10), 'i')
}

// text appends a field in quotes, with a blank for every control character.
func (l *line) text(name, s string) {
	l.field(name)
	l.dst = append(l.dst, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			l.dst = append(l.dst, '\\', c)
		case c < ' ':
			l.dst = append(l.dst, ' ')
		default:
			l.dst = append(l.dst, c)
		}
	}
	l.dst = append(l.dst, '"')
}

// end appends the time and returns the whole. A line without fields disappears.
func (l *line) end(t int64) []byte {
	if l.fields == 0 {
		return l.dst[:l.start]
	}
	return append(strconv.AppendInt(append(l.dst, ' '), t, 10), '\n')
}
