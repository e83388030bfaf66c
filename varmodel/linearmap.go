package varmodel

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/varmodel/internal/check"
)

const (
	mapLags    = 96 // values that the map sees
	mapRidge   = 1  // penalty of the weights, in typical increments
	mapForget  = .9998
	mapEvery   = 24 // largest number of samples between two solutions
	mapEarly   = 10 // samples between the first solutions; later a tenth of the samples so far
	mapWeights = 1 + mapLags
)

// LinearMapConfig describes the linear map of 96 values.
type LinearMapConfig struct {
	Dim     int // d, coordinates of a sample
	Horizon int // H, forecasts 1 … H steps ahead
}

// NewLinearMap returns the linear forecast that published models are often compared with:
// for each horizon a map from the last 96 increments and an intercept to the change of the
// value, the same for all coordinates, by least squares with a forgetting of .9998.
// Increments span the same maps as the values with the last one subtracted. Coordinates are
// measured in typical increments. A sample is learnt from when its targets at all horizons
// are known. Until 96 + H samples were seen, it is persistence.
func NewLinearMap(cfg LinearMapConfig) (eval.Model, error) {
	if err := check.Shape(cfg.Dim, cfg.Horizon); err != nil {
		return nil, err
	}
	return statelessModel(func() eval.Forecaster {
		d := cfg.Dim
		s := &linearMap{
			dim: d, horizon: cfg.Horizon, gram: vec.NewSym(mapWeights), factor: vec.NewCholesky(mapWeights), weight: 1,
			products: make([]float64, cfg.Horizon*mapWeights), theta: make([]float64, cfg.Horizon*mapWeights),
			last: make([]float64, d), square: make([]float64, d), count: make([]float64, d), steps: make([][]float64, d),
			phi: make([]float64, d*mapWeights), units: make([]float64, d), target: make([]float64, cfg.Horizon*d),
		}
		for j := range s.steps {
			s.steps[j] = make([]float64, s.Keep())
		}
		return s
	}), nil
}

// linearMap is the linear map of one series.
type linearMap struct {
	dim, horizon    int
	gram            *vec.Sym
	factor          *vec.Cholesky
	products, theta []float64 // horizon x mapWeights
	weight          float64   // weight of the first sample in products
	last            []float64
	square, count   []float64   // by variable: sum of squares and number of the increments
	steps           [][]float64 // by variable: last increments, oldest first; 0: missing
	phi             []float64   // scratch, dim x mapWeights
	units           []float64   // scratch: the unit of each variable in phi
	target          []float64   // scratch, horizon x dim
	samples, solved int
}

func (s *linearMap) Observe(y []float64) error {
	if err := check.Sample(y, s.dim, check.ValueLimit); err != nil {
		return err
	}
	keep := s.Keep()
	for j, v := range y {
		step := 0.
		if !math.IsNaN(v) {
			if s.count[j] > 0 {
				step = v - s.last[j]
				s.square[j] += step * step
			}
			s.last[j] = v
			s.count[j]++
		}
		steps := append(s.steps[j], step)
		if len(steps) >= 4*keep {
			steps = append(steps[:0], steps[len(steps)-keep:]...)
		}
		s.steps[j] = steps
	}
	if s.samples++; s.samples < keep {
		return nil
	}
	s.Features(s.horizon)
	for j, steps := range s.steps {
		var sum float64
		for h, step := range steps[len(steps)-s.horizon:] {
			sum += step * s.units[j]
			s.target[h*s.dim+j] = sum
		}
	}
	s.gram.Scale(mapForget)
	s.gram.RankK(1, s.phi)
	s.weight *= mapForget
	vec.AddMatMul(s.products, 1/s.weight, s.target, s.phi, s.horizon, mapWeights, s.dim)
	if s.samples-s.solved >= min(mapEvery, max(mapEarly, s.solved/10)) {
		s.solve()
	}
	return nil
}

// Keep returns the number of increments that are needed to learn.
func (s *linearMap) Keep() int { return mapLags + s.horizon }

// unit returns 1 / typical increment of a variable; 0: it has not moved.
func (s *linearMap) unit(j int) float64 {
	if s.square[j] == 0 {
		return 0
	}
	return math.Sqrt(s.count[j] / s.square[j])
}

// Features writes, for each variable, an intercept and the 96 increments before the last back increments; zeros for a
// variable that has not moved.
func (s *linearMap) Features(back int) {
	for j, steps := range s.steps {
		phi, unit := s.phi[j*mapWeights:(j+1)*mapWeights], s.unit(j)
		s.units[j] = unit
		phi[0] = 1
		if unit == 0 {
			phi[0] = 0
		}
		end := len(steps) - back
		vec.ScaleTo(phi[1:], unit, steps[end-mapLags:end])
	}
}

func (s *linearMap) solve() {
	if s.weight < 1e-9 {
		vec.Scale(s.weight, s.products)
		s.weight = 1
	}
	if s.factor.Factor(s.gram, mapRidge, 1e-9) {
		vec.ScaleTo(s.theta, s.weight, s.products)
		s.factor.Solve(s.theta)
		s.solved = s.samples
	}
}

func (s *linearMap) ForecastTo(dst []float64) bool {
	if len(dst) != s.horizon*s.dim {
		panic("varmodel: ForecastTo: wrong length")
	}
	for h := range s.horizon {
		copy(dst[h*s.dim:], s.last)
	}
	if s.solved > 0 {
		s.Features(0)
		vec.MatMulT(s.target, s.theta, s.phi, s.horizon, s.dim, mapWeights)
		for h := range s.horizon {
			row, moves := dst[h*s.dim:(h+1)*s.dim], s.target[h*s.dim:(h+1)*s.dim]
			for j, unit := range s.units {
				if unit > 0 {
					row[j] += moves[j] / unit
				}
			}
		}
	}
	return slices.ContainsFunc(s.count, func(n float64) bool { return n > 0 })
}

func (s *linearMap) State(c *snapshot.Codec) {
	c.Section("linear map")
	s.gram.State(c)
	for _, v := range [][]float64{s.products, s.theta, s.last, s.square, s.count} {
		c.Float64s(v)
	}
	c.Float64(&s.weight)
	c.Int(&s.samples)
	c.Int(&s.solved)
	for j, steps := range s.steps {
		steps = steps[len(steps)-s.Keep():]
		c.Float64s(steps)
		s.steps[j] = steps
	}
}
