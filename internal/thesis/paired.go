package thesis

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Paired is a comparison of two methods on the same data.
type Paired struct {
	A, B     float64 // means
	SEA, SEB float64 // standard errors of the means
	Diff     float64 // mean of A - B
	SE       float64 // standard error of Diff
	P        float64 // p-value of the two-sided t-test of Diff = 0
	N        int
}

// PairedTest compares the results of two methods in the same N >= 2 experiments.
func PairedTest(a, b []float64) Paired {
	if len(a) != len(b) || len(a) < 2 {
		panic("study: PairedTest: two slices of one length >= 2 are needed")
	}
	c := Paired{N: len(a), P: 1}
	root := math.Sqrt(float64(len(a)))
	diff := make([]float64, len(a))
	for i := range a {
		diff[i] = a[i] - b[i]
	}
	of := func(v []float64) (mean, se float64) {
		mean, sd := stat.MeanStdDev(v, nil)
		return mean, sd / root
	}
	c.A, c.SEA = of(a)
	c.B, c.SEB = of(b)
	c.Diff, c.SE = of(diff)
	if c.SE > 0 {
		c.P = 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(a) - 1)}.Survival(math.Abs(c.Diff)/c.SE)
	}
	return c
}
