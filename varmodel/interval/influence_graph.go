package interval

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/orffvar/forecaster/eval"
)

// Graph is the influence of every variable on every other, with the threshold above
// which it is unlikely to be chance.
type Graph struct {
	Dim       int
	Influence []float64 // Dim x Dim, see eval.Influencer
	Threshold float64   // of |Influence| off the diagonal; 0 when there was no permutation
}

// Edge reports whether variable j influences variable i, i != j.
func (g *Graph) Edge(i, j int) bool {
	return i != j && math.Abs(g.Influence[i*g.Dim+j]) > g.Threshold
}

// InfluenceGraph runs a model over a series and returns the influences at its
// end. The threshold is the 95 % quantile of the influences that the same model
// finds where there are none (Brault 2017, section 8.4): in each of the permutations,
// 20 or more, it learns the step of another, random row in place of the next step.
// newModel returns a model of NewInfluence that has learnt nothing.
func InfluenceGraph(newModel func() (eval.Model, error), rows [][]float64, permutations int, seed uint64) (*Graph, error) {
	if len(rows) == 0 {
		return nil, errors.New("varmodel: no rows")
	}
	d, n := len(rows[0]), len(rows)
	g := &Graph{Dim: d, Influence: make([]float64, d*d)}
	if err := influenceOf(g.Influence, newModel, rows, nil); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 82))
	var null []float64
	s := make([]float64, d*d)
	for range permutations {
		if err := influenceOf(s, newModel, rows, rng.Perm(n-1)); err != nil {
			return nil, err
		}
		for k, v := range s {
			if k%(d+1) != 0 {
				null = append(null, math.Abs(v))
			}
		}
	}
	if len(null) > 0 {
		slices.Sort(null)
		g.Threshold = null[min(len(null)*95/100, len(null)-1)]
	}
	return g, nil
}

// influenceOf writes the influences at the end of the rows. With a permutation the
// step to row t+1 is learnt as that to row permutation[t]+1.
func influenceOf(dst []float64, newModel func() (eval.Model, error), rows [][]float64, permutation []int) error {
	m, err := newModel()
	if err != nil {
		return err
	}
	f, ok := m.NewSeries().(*influenceSeries)
	if !ok {
		return errors.New("varmodel: the model has no influences")
	}
	target := make([]float64, len(rows[0]))
	for t, row := range rows {
		copy(target, row)
		if t > 0 && permutation != nil {
			from := permutation[t-1]
			for j := range target {
				target[j] = rows[t-1][j] + rows[from+1][j] - rows[from][j]
			}
		}
		if err := f.ObserveTarget(row, target); err != nil {
			return err
		}
	}
	if !f.InfluenceTo(dst) {
		return errors.New("varmodel: too few rows for influences")
	}
	return nil
}

// AUROC is the probability that the influence along an edge, edges[i][j] for one of
// variable j on variable i, is larger than one of a pair without an edge.
func (g *Graph) AUROC(edges [][]bool) float64 {
	var scores []float64
	var labels []bool
	for i := range g.Dim {
		for j := range g.Dim {
			if i != j {
				scores, labels = append(scores, math.Abs(g.Influence[i*g.Dim+j])), append(labels, edges[i][j])
			}
		}
	}
	return eval.AUROC(scores, labels)
}
