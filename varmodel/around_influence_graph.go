package varmodel

import (
	"math"

	"github.com/orffvar/forecaster/eval"
)

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
