package online

import (
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

// covariance is P of recursive least squares. A step is one of the two Project methods, then Observe.
type covariance interface {
	SetIdentity(v float64)
	Project(gain, phi []float64) float64       // returns h = phi^T P phi; gain is memory for the step
	ProjectUnit(gain []float64, i int) float64 // Project for the unit vector e_i
	Observe(gain []float64, r, c float64)      // gain = P phi; P -= c gain gain^T; c = 1 / (r + h)
	Scale(alpha float64)                       // P *= alpha
	CopyTo(s *vec.Sym)                         // s = P
	State(c *snapshot.Codec)
}

// squareMost is the order up to which a vec.Square is faster than the other matrices.
const squareMost = 24

// newCovariance returns P with 64 bits a number.
func newCovariance(m int) covariance { return exact{vec.NewSymmetric(m, squareMost)} }

// covariance returns P in half the memory: factors of 32 bits.
func (w *Workspace) covariance(m int) covariance {
	if m <= squareMost {
		return exact{vec.NewSquare(m)}
	}
	return factored{vec.NewUDU(m, &w.udu)}
}

type exact struct{ vec.Symmetric }

func (p exact) Project(gain, phi []float64) float64 { return p.MatVec(gain, phi) }

func (p exact) ProjectUnit(gain []float64, i int) float64 {
	p.RowTo(gain, i)
	return gain[i]
}

func (p exact) Observe(gain []float64, _, c float64) { p.Rank1(-c, gain) }

func (p exact) CopyTo(s *vec.Sym) {
	row := make([]float64, s.Order())
	for i := range row {
		p.RowTo(row, i)
		for j, v := range row[:i+1] {
			s.Set(i, j, v)
		}
	}
}

type factored struct{ *vec.UDU }

func (p factored) Project(_, phi []float64) float64       { return p.UDU.Project(phi) }
func (p factored) ProjectUnit(_ []float64, i int) float64 { return p.UDU.ProjectUnit(i) }
func (p factored) Observe(gain []float64, r, _ float64)   { p.UDU.Observe(gain, r) }
