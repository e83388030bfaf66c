package file

import (
	"math"
	"strconv"

	"github.com/orffvar/forecaster/internal/decimal"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format/timestamp"
)

// CSV encodes the forecasts of a batch as lines
//
//	time,series,target,horizon,model,yhat,yhat_lower,yhat_upper
//
// with the target time. A bound is empty while the interval is not calibrated.
// With several interval levels there is one line a level, and a last column,
// level. With a joint region its ends are the last two columns, yhat_joint_lower
// and yhat_joint_upper, the same in all levels. With limits the column limit_probability follows. Columns adds origin and y at the end, or
// replaces all of it. Numbers have the fewest digits that read back as the same float64.
type CSV struct {
	// TimeUnit is the unit of the time column; Auto means RFC 3339. For times that
	// were integer steps, which format.Auto reads as seconds, Seconds gives the
	// steps back.
	TimeUnit timestamp.Unit
	// Levels are engine.Config.Levels.
	Levels []float64
	Joint  bool
	Limits bool
	Columns
}

// AppendHeader implements Encoder.
func (e CSV) AppendHeader(dst []byte) []byte {
	if e.Nixtla {
		return e.appendNixtlaHeader(dst)
	}
	dst = append(dst, "time,series,target,horizon,model,yhat,yhat_lower,yhat_upper"...)
	if len(e.Levels) > 1 {
		dst = append(dst, ",level"...)
	}
	if e.Joint {
		dst = append(dst, ",yhat_joint_lower,yhat_joint_upper"...)
	}
	if e.Limits {
		dst = append(dst, ",limit_probability"...)
	}
	if e.Origin {
		dst = append(dst, ",origin"...)
	}
	if e.Y {
		dst = append(dst, ",y"...)
	}
	return append(dst, '\n')
}

// AppendBatch implements Encoder.
func (e CSV) AppendBatch(dst []byte, b *stream.Batch) []byte {
	for i := range b.Forecasts {
		f := &b.Forecasts[i]
		if e.Nixtla {
			dst = e.appendNixtla(dst, f)
			continue
		}
		d := len(f.Yhat)
		time := timestamp.Append(dst[len(dst):], f.Time, e.TimeUnit) // where the first line has it
		for j, target := range f.Series.Variables {
			for l := range max(1, len(e.Levels)) {
				dst = append(dst, time...)
				dst = appendText(append(dst, ','), f.Series.Name)
				dst = appendText(append(dst, ','), target)
				dst = strconv.AppendInt(append(dst, ','), int64(f.Horizon), 10)
				dst = appendText(append(dst, ','), f.Model)
				dst = appendNumber(append(dst, ','), f.Yhat[j])
				lower, upper := math.NaN(), math.NaN()
				if len(e.Levels) > 0 {
					lower, upper = f.Lower[l*d+j], f.Upper[l*d+j]
				}
				dst = appendNumber(append(dst, ','), lower)
				dst = appendNumber(append(dst, ','), upper)
				if len(e.Levels) > 1 {
					dst = appendNumber(append(dst, ','), e.Levels[l])
				}
				if e.Joint {
					dst = appendNumber(append(dst, ','), f.JointLower[j])
					dst = appendNumber(append(dst, ','), f.JointUpper[j])
				}
				if e.Limits {
					dst = appendNumber(append(dst, ','), reached(f, j))
				}
				if e.Origin {
					dst = timestamp.Append(append(dst, ','), f.Origin, e.TimeUnit)
				}
				if e.Y {
					dst = appendNumber(append(dst, ','), observed(f, j))
				}
				dst = append(dst, '\n')
			}
		}
	}
	return dst
}

// appendNumber appends v, or nothing for NaN.
func appendNumber(dst []byte, v float64) []byte {
	if math.IsNaN(v) {
		return dst
	}
	return decimal.Append(dst, v)
}

// appendText quotes s if need be (RFC 4180).
func appendText(dst []byte, s string) []byte {
	if isPlain(s) {
		return append(dst, s...)
	}
	dst = append(dst, '"')
	for i := range len(s) {
		if s[i] == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, s[i])
	}
	return append(dst, '"')
}

// isPlain reports whether s needs no quotes: as strings.ContainsAny would, but short texts take less time.
func isPlain(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case ',', '"', '\r', '\n':
			return false
		}
	}
	return s != ""
}
