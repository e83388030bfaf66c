package simulate

import (
	"fmt"
	"github.com/orffvar/forecaster/eval/scoring"
)

// Generator yields a synthetic series row by row, without end and without storing it. Equal seeds give equal
// series, bit for bit for one processor and build. Elsewhere sines and exponentials may be rounded differently. In
// chaotic processes (Oscillators, Network) such differences grow with the rows.
type Generator interface {
	// Dim returns the number of variables.
	Dim() int

	// Next writes the next row into y, of length Dim; NaN marks a missing value.
	Next(y []float64)
}

// Collect returns the next n rows of a generator as a data set of one series. The variables are named x1, x2, and
// so on.
func Collect(name string, g Generator, n int) *scoring.Dataset {
	d := &scoring.Dataset{Name: name, Series: []scoring.Series{{Name: name}}}
	for j := range g.Dim() {
		d.Variables = append(d.Variables, fmt.Sprintf("x%d", j+1))
	}
	for range n {
		y := make([]float64, g.Dim())
		g.Next(y)
		d.Series[0].Rows = append(d.Series[0].Rows, y)
	}
	return d
}
