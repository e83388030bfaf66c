package filesink

import (
	"fmt"
	"math"
	"strconv"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file/internal/csvfield"
	"github.com/orffvar/forecaster/stream/format/timestamp"
)

// Columns are the columns of a file of forecasts beside the usual ones.
type Columns struct {
	Origin bool // time of the last sample that the forecast is based on
	Y      bool // the observed value of each target; see AwaitTargets

	// Nixtla gives the columns that the libraries of Nixtla read instead: unique_id
	// (SERIES/TARGET), ds, cutoff (the origin), y, yhat, and yhat-lo-90 and yhat-hi-90 for
	// each interval level.
	Nixtla bool
}

// ParseColumns reads names of columns: any of origin and y, or nixtla alone.
func ParseColumns(names []string) (c Columns, err error) {
	for _, name := range names {
		switch name {
		case "origin":
			c.Origin = true
		case "y":
			c.Y = true
		case "nixtla":
			if len(names) > 1 {
				return Columns{}, fmt.Errorf("nixtla stands alone, it has all columns; got %q", names)
			}
			c.Nixtla, c.Y = true, true
		default:
			return Columns{}, fmt.Errorf("%q is none of origin, y, nixtla", name)
		}
	}
	return c, nil
}

// levelName is the number of an interval level in the names of Nixtla: 90 for .9.
func levelName(level float64) string {
	return strconv.FormatFloat(math.Round(level*1e6)/1e4, 'f', -1, 64)
}

// observed is the observed value of the j-th variable; NaN = not known.
func observed(f *stream.Forecast, j int) float64 {
	if f.Y == nil {
		return math.NaN()
	}
	return f.Y[j]
}

// reached is the probability that the j-th variable has reached its limit; NaN = not known.
func reached(f *stream.Forecast, j int) float64 {
	if f.Reach == nil {
		return math.NaN()
	}
	return f.Reach[j]
}

// appendNixtlaHeader appends the names of Nixtla's columns.
func (e CSV) appendNixtlaHeader(dst []byte) []byte {
	dst = append(dst, "unique_id,ds,cutoff,y,yhat"...)
	for _, level := range e.Levels {
		name := levelName(level)
		dst = append(dst, ",yhat-lo-"+name+",yhat-hi-"+name...)
	}
	return append(dst, '\n')
}

// appendNixtla appends a line of Nixtla's columns for each variable.
func (e CSV) appendNixtla(dst []byte, f *stream.Forecast) []byte {
	d := len(f.Yhat)
	for j, target := range f.Series.Variables {
		dst = csvfield.AppendText(dst, f.Series.Name+"/"+target)
		dst = timestamp.Append(append(dst, ','), f.Time, e.TimeUnit)
		dst = timestamp.Append(append(dst, ','), f.Origin, e.TimeUnit)
		dst = csvfield.AppendNumber(append(dst, ','), observed(f, j))
		dst = csvfield.AppendNumber(append(dst, ','), f.Yhat[j])
		for l := range e.Levels {
			dst = csvfield.AppendNumber(append(dst, ','), f.Lower[l*d+j])
			dst = csvfield.AppendNumber(append(dst, ','), f.Upper[l*d+j])
		}
		dst = append(dst, '\n')
	}
	return dst
}
