package filesink

import (
	"math"

	"github.com/go-faster/jx"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format/timestamp"
)

// JSONLines encodes the forecasts of a batch as one object a line, with the columns of CSV
// as members. A bound that is not calibrated is null.
type JSONLines struct {
	Levels []float64 // engine.Config.Levels
	Columns
}

// AppendHeader implements Encoder.
func (e JSONLines) AppendHeader(dst []byte) []byte { return dst }

// AppendBatch implements Encoder.
func (e JSONLines) AppendBatch(dst []byte, b *stream.Batch) []byte {
	w := jx.Writer{Buf: dst}
	for i := range b.Forecasts {
		f := &b.Forecasts[i]
		if e.Nixtla {
			e.nixtla(&w, f)
			continue
		}
		d := len(f.Yhat)
		for j, target := range f.Series.Variables {
			for l := range max(1, len(e.Levels)) {
				w.RawStr(`{"time":"`)
				w.Buf = timestamp.Append(w.Buf, f.Time, timestamp.Auto)
				w.RawStr(`","series":`)
				w.Str(f.Series.Name)
				w.RawStr(`,"target":`)
				w.Str(target)
				w.RawStr(`,"horizon":`)
				w.Int(f.Horizon)
				w.RawStr(`,"model":`)
				w.Str(f.Model)
				member(&w, "yhat", f.Yhat[j])
				if len(e.Levels) > 0 {
					member(&w, "yhat_lower", f.Lower[l*d+j])
					member(&w, "yhat_upper", f.Upper[l*d+j])
				}
				if len(e.Levels) > 1 {
					member(&w, "level", e.Levels[l])
				}
				if f.JointLower != nil {
					member(&w, "yhat_joint_lower", f.JointLower[j])
					member(&w, "yhat_joint_upper", f.JointUpper[j])
				}
				if f.Reach != nil {
					member(&w, "limit_probability", f.Reach[j])
				}
				if e.Origin {
					w.RawStr(`,"origin":"`)
					w.Buf = timestamp.Append(w.Buf, f.Origin, timestamp.Auto)
					w.RawStr(`"`)
				}
				if e.Y {
					member(&w, "y", observed(f, j))
				}
				w.RawStr("}\n")
			}
		}
	}
	return w.Buf
}

// nixtla writes an object with Nixtla's columns for each variable.
func (e JSONLines) nixtla(w *jx.Writer, f *stream.Forecast) {
	d := len(f.Yhat)
	for j, target := range f.Series.Variables {
		w.RawStr(`{"unique_id":`)
		w.Str(f.Series.Name + "/" + target)
		w.RawStr(`,"ds":"`)
		w.Buf = timestamp.Append(w.Buf, f.Time, timestamp.Auto)
		w.RawStr(`","cutoff":"`)
		w.Buf = timestamp.Append(w.Buf, f.Origin, timestamp.Auto)
		w.RawStr(`"`)
		member(w, "y", observed(f, j))
		member(w, "yhat", f.Yhat[j])
		for l, level := range e.Levels {
			member(w, "yhat-lo-"+levelName(level), f.Lower[l*d+j])
			member(w, "yhat-hi-"+levelName(level), f.Upper[l*d+j])
		}
		w.RawStr("}\n")
	}
}

// member writes a number, null for NaN.
func member(w *jx.Writer, name string, v float64) {
	w.RawStr(`,"` + name + `":`)
	if math.IsNaN(v) {
		w.Null()
		return
	}
	w.Float64(v)
}
