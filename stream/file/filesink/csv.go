package filesink

import (
	"math"
	"strconv"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file/internal/csvfield"
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
				dst = csvfield.AppendText(append(dst, ','), f.Series.Name)
				dst = csvfield.AppendText(append(dst, ','), target)
				dst = strconv.AppendInt(append(dst, ','), int64(f.Horizon), 10)
				dst = csvfield.AppendText(append(dst, ','), f.Model)
				dst = csvfield.AppendNumber(append(dst, ','), f.Yhat[j])
				lower, upper := math.NaN(), math.NaN()
				if len(e.Levels) > 0 {
					lower, upper = f.Lower[l*d+j], f.Upper[l*d+j]
				}
				dst = csvfield.AppendNumber(append(dst, ','), lower)
				dst = csvfield.AppendNumber(append(dst, ','), upper)
				if len(e.Levels) > 1 {
					dst = csvfield.AppendNumber(append(dst, ','), e.Levels[l])
				}
				if e.Joint {
					dst = csvfield.AppendNumber(append(dst, ','), f.JointLower[j])
					dst = csvfield.AppendNumber(append(dst, ','), f.JointUpper[j])
				}
				if e.Limits {
					dst = csvfield.AppendNumber(append(dst, ','), reached(f, j))
				}
				if e.Origin {
					dst = timestamp.Append(append(dst, ','), f.Origin, e.TimeUnit)
				}
				if e.Y {
					dst = csvfield.AppendNumber(append(dst, ','), observed(f, j))
				}
				dst = append(dst, '\n')
			}
		}
	}
	return dst
}
