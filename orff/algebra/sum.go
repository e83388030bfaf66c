package algebra

import (
	"fmt"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/sgd"
)

// sumMap is the map of sum_i w_i K_i: the maps stacked, Phi = [sqrt(w_1) Phi_1; sqrt(w_2) Phi_2; …]. phi and theta are
// stacked in the same order.
type sumMap struct {
	parts []orff.Map
	sizes []sgd.Dims
	dims  sgd.Dims
	y     []float64 // scratch, Out
	g     []float64 // scratch, In
	k     []float64 // scratch, Out x Out
}

// NewSum returns the map of sum_i w_i K_i for maps of the same input and output dimensions, drawn independently, and
// weights w_i >= 0. It takes over the maps.
func NewSum(weights []float64, parts ...orff.Map) (orff.Map, error) {
	if len(parts) == 0 || len(weights) != len(parts) {
		return nil, fmt.Errorf("orff: a sum needs one weight per map, got %d weights and %d maps", len(weights), len(parts))
	}
	first := parts[0].Dims()
	s := &sumMap{parts: append([]orff.Map(nil), parts...), dims: sgd.Dims{In: first.In, Out: first.Out}, y: make([]float64, first.Out), g: make([]float64, first.In), k: make([]float64, first.Out*first.Out)}
	for i, m := range parts {
		d := m.Dims()
		if d.In != first.In || d.Out != first.Out {
			return nil, fmt.Errorf("orff: the maps of a sum must share input and output, map 1 is R^%d -> R^%d, map %d is R^%d -> R^%d", first.In, first.Out, i+1, d.In, d.Out)
		}
		if err := optional.GiveWeight(m, weights[i]); err != nil {
			return nil, err
		}
		s.sizes = append(s.sizes, d)
		s.dims.Features += d.Features
		s.dims.Params += d.Params
	}
	return s, nil
}

func (s *sumMap) Dims() sgd.Dims { return s.dims }

func (s *sumMap) FeaturesTo(phi, x []float64) {
	if len(phi) != s.dims.Features {
		panic(check.BadLength)
	}
	for i, m := range s.parts {
		n := s.sizes[i].Features
		m.FeaturesTo(phi[:n], x)
		phi = phi[n:]
	}
}

func (s *sumMap) PredictTo(y, phi, theta []float64) {
	if len(phi) != s.dims.Features || len(theta) != s.dims.Params {
		panic(check.BadLength)
	}
	clear(y)
	for i, m := range s.parts {
		n, p := s.sizes[i].Features, s.sizes[i].Params
		m.PredictTo(s.y, phi[:n], theta[:p])
		vec.Axpy(1, s.y, y)
		phi, theta = phi[n:], theta[p:]
	}
}

func (s *sumMap) AddGradient(g []float64, alpha float64, phi, r []float64) {
	if len(phi) != s.dims.Features || len(g) != s.dims.Params {
		panic(check.BadLength)
	}
	for i, m := range s.parts {
		n, p := s.sizes[i].Features, s.sizes[i].Params
		m.AddGradient(g[:p], alpha, phi[:n], r)
		phi, g = phi[n:], g[p:]
	}
}

// PullbackTo adds the pullbacks of the parts.
func (s *sumMap) PullbackTo(g, x, phi, theta, r []float64) {
	clear(g)
	for i, m := range s.parts {
		n, p := s.sizes[i].Features, s.sizes[i].Params
		m.(optional.SmoothMap).PullbackTo(s.g, x, phi[:n], theta[:p], r)
		vec.Axpy(1, s.g, g)
		phi, theta = phi[n:], theta[p:]
	}
}

func (s *sumMap) Smooth() error {
	for _, m := range s.parts {
		if err := optional.Smooth(m); err != nil {
			return err
		}
	}
	return nil
}

// Check returns the first error of a part.
func (s *sumMap) Check(x []float64) error { return optional.CheckAll(s.parts, x) }

// State saves or restores the parts.
func (s *sumMap) State(c *snapshot.Codec) {
	c.Section("sum")
	for _, m := range s.parts {
		optional.State(m, c)
	}
}

func (s *sumMap) RedrawFrom(r *random.Rand) bool { return optional.RedrawAll(s.parts, r) }
func (s *sumMap) Weigh(f float64) bool           { return optional.WeighAll(s.parts, f) }

func (s *sumMap) KernelTo(k, x, z []float64)   { s.total(k, optional.KernelTo, x, z) }
func (s *sumMap) VarianceTo(v, x, z []float64) { s.total(v, optional.VarianceTo, x, z) }

// total writes the sum over the parts into k: of writes the term of one part.
func (s *sumMap) total(k []float64, of func(k []float64, m any, x, z []float64), x, z []float64) {
	clear(k)
	for _, m := range s.parts {
		of(s.k, m, x, z)
		vec.Axpy(1, s.k, k)
	}
}

func (s *sumMap) KernelSmooth() error {
	for _, m := range s.parts {
		if err := optional.KernelSmooth(m); err != nil {
			return err
		}
	}
	return nil
}

func (s *sumMap) KernelPullTo(g, x, z, r, a []float64) {
	clear(g)
	for _, m := range s.parts {
		m.(optional.SlopedMap).KernelPullTo(s.g, x, z, r, a)
		vec.Axpy(1, s.g, g)
	}
}
