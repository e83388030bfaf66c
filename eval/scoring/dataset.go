package scoring

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/orffvar/forecaster/eval/calendar"
	"github.com/orffvar/forecaster/internal/vec"
)

// Dataset is one or more series of the same variables, held in memory.
type Dataset struct {
	Name      string
	Variables []string // length dim
	Inputs    []string // names of the exogenous inputs
	Series    []Series
}

// Series is one time series.
type Series struct {
	Name  string
	Times []int64     // time of each row, ns since 1970 UTC, ascending; nil = row numbers
	Rows  [][]float64 // each of length dim; NaN = missing

	// Inputs are the exogenous inputs of each row, in the order of Dataset.Inputs; NaN = missing. Nil: no inputs.
	Inputs [][]float64
}

// Dim returns the number of variables.
func (d *Dataset) Dim() int { return len(d.Variables) }

// Len returns the total number of rows of all series.
func (d *Dataset) Len() int {
	n := 0
	for _, s := range d.Series {
		n += len(s.Rows)
	}
	return n
}

// Check returns an error if lengths are inconsistent.
func (d *Dataset) Check() error {
	if len(d.Variables) == 0 {
		return fmt.Errorf("data set %q has no variables", d.Name)
	}
	for _, s := range d.Series {
		if s.Times != nil && len(s.Times) != len(s.Rows) {
			return fmt.Errorf("data set %q, series %q: %d times for %d rows", d.Name, s.Name, len(s.Times), len(s.Rows))
		}
		for i, y := range s.Rows {
			if len(y) != len(d.Variables) {
				return fmt.Errorf("data set %q, series %q, row %d: %d values for %d variables", d.Name, s.Name, i, len(y), len(d.Variables))
			}
		}
		if len(d.Inputs) > 0 && len(s.Inputs) != len(s.Rows) {
			return fmt.Errorf("data set %q, series %q: %d rows of inputs for %d rows", d.Name, s.Name, len(s.Inputs), len(s.Rows))
		}
		for i, u := range s.Inputs {
			if len(u) != len(d.Inputs) {
				return fmt.Errorf("data set %q, series %q, row %d: %d inputs, want %d", d.Name, s.Name, i, len(u), len(d.Inputs))
			}
		}
	}
	return nil
}

// inputsTo writes the argument of InputTaker.SetInputs for row r: the inputs of that row, if known also of later
// rows, and the calendar of their times.
func (s *Series) inputsTo(u []float64, r, count, horizon int, known bool, c calendar.Calendar) {
	n := count + c.Len()
	var now, step int64
	if s.Times != nil && r > 0 {
		now, step = s.Times[r], s.Times[r]-s.Times[r-1]
	}
	for h := range horizon + 1 {
		row := u[h*n : (h+1)*n]
		vec.FillNaN(row)
		if count > 0 && (h == 0 || known && r+h < len(s.Rows)) {
			copy(row[:count], s.Inputs[r+h])
		}
		if step > 0 {
			c.To(row[count:], now+int64(h)*step)
		}
	}
}

// position is a row of a series.
type position struct {
	time        int64
	series, row int
}

// order returns all rows in the order of a stream: by time, then by series.
func (d *Dataset) order() []position {
	ps := make([]position, 0, d.Len())
	for i, s := range d.Series {
		for r := range s.Rows {
			t := int64(r)
			if s.Times != nil {
				t = s.Times[r]
			}
			ps = append(ps, position{t, i, r})
		}
	}
	slices.SortStableFunc(ps, func(a, b position) int { return cmp.Compare(a.time, b.time) })
	return ps
}
