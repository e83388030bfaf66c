package kafkasink

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/internal/decimal"
)

// LongJSON encodes one message per variable and horizon and, with several interval levels, per level:
//
//	{"series":"host1","target":"cpu","horizon":1,"model":"auto","origin":"2026-01-01T00:00:00Z",
//	 "time":"2026-01-01T00:00:10Z","yhat":0.5,"yhat_lower":0.4,"yhat_upper":0.6}
//
// Member time is the time of the target. Several levels add the member level after model. Bounds are null while the
// interval is not calibrated. Messages of the first level end with the joint region, if there is one:
// yhat_joint_lower and yhat_joint_upper.
type LongJSON struct {
	Levels []float64 // engine.Config.Levels
}

// AppendForecast implements Encoder.
func (e LongJSON) AppendForecast(dst []byte, ends []int, f *stream.Forecast) ([]byte, []int) {
	series, model := quote(f.Series.Name), quote(f.Model)
	for j, target := range f.Series.Variables {
		for l := range max(1, len(e.Levels)) {
			lower, upper := math.NaN(), math.NaN()
			if len(e.Levels) > 0 {
				lower, upper = f.Lower[l*len(f.Yhat)+j], f.Upper[l*len(f.Yhat)+j]
			}
			dst = append(append(dst, `{"series":`...), series...)
			dst = append(append(dst, `,"target":`...), quote(target)...)
			dst = strconv.AppendInt(append(dst, `,"horizon":`...), int64(f.Horizon), 10)
			dst = append(append(dst, `,"model":`...), model...)
			if len(e.Levels) > 1 {
				dst = appendMember(dst, "level", e.Levels[l])
			}
			dst = appendTime(dst, "origin", f.Origin)
			dst = appendTime(dst, "time", f.Time)
			dst = appendMember(dst, "yhat", f.Yhat[j])
			dst = appendMember(dst, "yhat_lower", lower)
			dst = appendMember(dst, "yhat_upper", upper)
			if f.JointLower != nil && l == 0 {
				dst = appendMember(dst, "yhat_joint_lower", f.JointLower[j])
				dst = appendMember(dst, "yhat_joint_upper", f.JointUpper[j])
			}
			dst = append(dst, '}')
			ends = append(ends, len(dst))
		}
	}
	return dst, ends
}

// appendMember appends a number; null if it is not finite.
func appendMember(dst []byte, name string, v float64) []byte {
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	if v-v != 0 {
		return append(dst, "null"...)
	}
	return decimal.Append(dst, v)
}

func appendTime(dst []byte, name string, t int64) []byte {
	dst = append(append(append(dst, `,"`...), name...), `":"`...)
	return append(time.Unix(0, t).UTC().AppendFormat(dst, time.RFC3339Nano), '"')
}

// quote returns s as JSON text.
func quote(s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		panic("kafka: " + err.Error()) // strings always encode
	}
	return b
}
