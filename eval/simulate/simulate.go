package simulate

import (
	"fmt"
	"github.com/orffvar/forecaster/eval/scoring"
)

// Generator yields a simulated series row by row, without end and without
// storing it. Equal seeds give equal series, bit for bit on one processor with one
// build; on others sines and exponentials are rounded differently, which grows
// with the rows where the process is chaotic (Oscillators, Network).
type Generator interface {
	// Dim is the number of variables.
	Dim() int

	// Next writes the next row into y, of length Dim; NaN marks a missing value.
	Next(y []float64)
}

// Collect stores the next n rows of a generator as a data set of one series.
// The variables are named x1, x2, and so on.
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
