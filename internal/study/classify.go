package study

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/orff/coupling"
)

// mostClasses is the largest number of classes. A variable with more values is a quantity.
const mostClasses = 100

// classify replaces the targets by the class of the next value of a variable. A class is a value in the training part,
// coded as a corner of a regular simplex (Mroueh et al. 2012; Brault 2017, section 6.4.1.1). The returned lines score
// two rules that ignore the lags.
func (s *fixedSet) classify(c config.Model, series *Series, variable string) (classes []float64, rules []Fit, err error) {
	column := slices.Index(series.Variables, variable)
	switch {
	case column < 0:
		return nil, nil, fmt.Errorf("--class: the file has no variable %q, only %v; a class must be a number, so replace a text by one", variable, series.Variables)
	case c.Kernel.Operator.Name != "decomposable" || c.Kernel.Operator.Gamma != "identity":
		return nil, nil, errors.New("--class: needs model.kernel.operator: {name: decomposable, gamma: identity}, because the simplex ties the classes")
	}
	value := func(row int) float64 { return series.Rows[row][column] }
	for _, row := range s.next[:s.train] {
		if i, known := slices.BinarySearch(classes, value(row)); !known {
			classes = slices.Insert(classes, i, value(row))
		}
		if len(classes) > mostClasses {
			return nil, nil, fmt.Errorf("--class: %q has more than %d values, which is a quantity and no class", variable, mostClasses)
		}
	}
	if len(classes) < 2 {
		return nil, nil, fmt.Errorf("--class: %q is always %v in the first three quarters of the file: nothing to learn", variable, classes[0])
	}
	corners, count := coupling.Simplex(len(classes)), make([]int, len(classes))
	s.out, s.hidden = len(classes)-1, len(classes)-1
	s.y = make([]float64, len(s.next)*s.out)
	s.class = make([]int, len(s.next))
	same := make([]int, len(s.next))
	number := func(row int) int {
		if i, known := slices.BinarySearch(classes, value(row)); known {
			return i
		}
		return -1
	}
	for i, row := range s.next {
		k := number(row)
		s.class[i], same[i] = k, number(row-1)
		for j := range s.out {
			if k >= 0 {
				s.y[i*s.out+j] = corners[j*len(classes)+k]
			}
		}
		if i < s.train {
			count[k]++
		}
	}
	often := make([]int, len(s.next))
	for i := range often {
		often[i] = slices.Index(count, slices.Max(count))
	}
	nan := report.Number(math.NaN())
	for _, r := range []struct {
		name string
		got  []int
	}{{"class of the last row", same}, {"most frequent class", often}} {
		rules = append(rules, Fit{
			Method: r.name, Train: nan, Test: nan, Gap: nan,
			TrainWrong: wrongShare(s.class[:s.train], r.got), TestWrong: wrongShare(s.class[s.train:], r.got[s.train:]),
		})
	}
	return classes, rules, nil
}

// wrongShare returns the share of the classes that differ from got.
func wrongShare(class, got []int) *report.Number {
	wrong := 0
	for i, k := range class {
		if k < 0 || got[i] != k {
			wrong++
		}
	}
	r := report.Number(float64(wrong) / float64(len(class)))
	return &r
}

// wrong returns the share of wrong classes among the codes h of the pairs from first on. The class of a code is that of
// the closest corner.
func (s *fixedSet) wrong(h []float64, first int) *report.Number {
	got := make([]int, len(h)/s.out)
	for i := range got {
		got[i] = coupling.DecodeSimplex(h[i*s.out : (i+1)*s.out])
	}
	return wrongShare(s.class[first:first+len(got)], got)
}
