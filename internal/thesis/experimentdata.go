package thesis

import (
	"fmt"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/internal/vec"
)

func asIs(d *scoring.Dataset) (*scoring.Dataset, error) { return d, d.Check() }

// prepareMacrodata keeps eight of the twelve columns, in their original units.
func prepareMacrodata(d *scoring.Dataset) (*scoring.Dataset, error) {
	return selectColumns(d, 0, "realinv", "realgovt", "cpi", "m1", "tbilrate", "unemp", "infl", "realint")
}

// prepareGesture drops the first column, and z-scores the remaining 31 columns, which the thesis uses.
func prepareGesture(d *scoring.Dataset) (*scoring.Dataset, error) {
	if d.Dim() != 32 {
		return nil, fmt.Errorf("data set %q has %d variables, not 32", d.Name, d.Dim())
	}
	return zScored(selectColumns(d, 0, d.Variables[1:]...))
}

// prepareHeart drops the first row and z-scores the columns.
func prepareHeart(d *scoring.Dataset) (*scoring.Dataset, error) {
	return zScored(selectColumns(d, 1, "heart_rate", "chest_volume", "blood_oxygen"))
}

// prepareClimate converts 156 months of columns VARIABLE_station into one series. It replaces missing values by the
// mean of the variable over all stations and months, z-scores each variable of each station, drops the last month, and
// concatenates the stations.
func prepareClimate(d *scoring.Dataset) (*scoring.Dataset, error) {
	const variables, stations, months = 18, 125, 156
	if err := d.Check(); err != nil {
		return nil, err
	}
	if len(d.Series) != 1 || d.Dim() != variables*stations || d.Len() != months {
		return nil, fmt.Errorf("data set %q is not %d months of %d columns", d.Name, months, variables*stations)
	}
	rows := d.Series[0].Rows
	out := &scoring.Dataset{Name: d.Name, Series: []scoring.Series{{Name: "stations"}}}
	mean := make([]float64, variables)
	for v := range mean {
		name := d.Variables[v*stations]
		out.Variables = append(out.Variables, name[:len(name)-len("_001")])
		var t running
		for _, y := range rows {
			for _, x := range y[v*stations : (v+1)*stations] {
				if vec.Finite(x) {
					t.observe(x)
				}
			}
		}
		mean[v] = t.mean
	}
	for s := range stations {
		station := make([][]float64, months)
		for i, y := range rows {
			station[i] = make([]float64, variables)
			for v := range mean {
				x := y[v*stations+s]
				if !vec.Finite(x) {
					x = mean[v]
				}
				station[i][v] = x
			}
		}
		zScore(station)
		out.Series[0].Rows = append(out.Series[0].Rows, station[:months-1]...)
	}
	return out, nil
}

// selectColumns returns a copy with the named variables, in this order, without the first skip rows of each series.
func selectColumns(d *scoring.Dataset, skip int, names ...string) (*scoring.Dataset, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	column := map[string]int{}
	for j, name := range d.Variables {
		column[name] = j
	}
	for _, name := range names {
		if _, ok := column[name]; !ok {
			return nil, fmt.Errorf("data set %q has no variable %q", d.Name, name)
		}
	}
	out := &scoring.Dataset{Name: d.Name, Variables: names}
	for _, s := range d.Series {
		copied := scoring.Series{Name: s.Name}
		for _, y := range s.Rows[min(skip, len(s.Rows)):] {
			z := make([]float64, len(names))
			for j, name := range names {
				z[j] = y[column[name]]
			}
			copied.Rows = append(copied.Rows, z)
		}
		out.Series = append(out.Series, copied)
	}
	return out, nil
}

func zScored(d *scoring.Dataset, err error) (*scoring.Dataset, error) {
	if err != nil {
		return nil, err
	}
	for _, s := range d.Series {
		zScore(s.Rows)
	}
	return d, nil
}

// zScore standardises the columns in place.
func zScore(rows [][]float64) {
	for j := range rows[0] {
		mean, sd := moments(rows, j)
		for _, y := range rows {
			y[j] = (y[j] - mean) / sd
		}
	}
}
