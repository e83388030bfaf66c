package eval

import (
	"math"

	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

// View is one of the ways in which a sample can be unusual.
type View int

// The views of Surprise, each in units of its own limit.
const (
	// Level: the mean of the last samples is away from that of the series, by one
	// standard deviation in the root mean square over the variables.
	Level View = iota

	// Noise: the errors of the forecasts are larger or smaller than usual, by a
	// factor of three in the energy of the last samples.
	Noise

	// Jump: this sample is away from its forecast, by twelve mean errors in the
	// root mean square over the variables.
	Jump

	viewCount
)

func (v View) String() string { return [...]string{"level", "noise", "jump"}[v] }

const (
	surpriseSpan    = 50                 // samples that Level and Noise average over
	surpriseMemory  = 20_000             // samples that what is usual is averaged over
	surpriseWarmup  = 100                // samples before the first score
	surpriseClip    = 5                  // standard deviations; beyond it a value counts as that far
	surpriseErrClip = 10                 // mean errors; the same for the scale of the errors
	surpriseFloor   = .01                // of the energy of an error, in squares of the mean error
	noiseLimit      = 1.0986122886681098 // log(3)
	jumpLimit       = 12
	leastScale      = 1e-300 // of an error; its inverse is finite
	jumpMost        = 50     // mean errors of one variable that Jump counts: one of 17 or more raises no alarm alone
)

// Surprise scores how unusual a sample of a series of several variables is, given
// the forecast made for it. A score above 1 is the alarm: one of the Views is
// beyond its limit. The score is the largest of the three.
//
// What is usual is learnt with clipped values, so that anomalies, even long ones,
// move it little. A step costs O(dim) and allocates nothing.
type Surprise struct {
	n        int64
	vars     []surpriseVar
	views    [viewCount]view
	leading  View
	hasScore bool
	energy   []float64 // scratch
	shares   []float64 // scratch
}

// surpriseVar is what is known of a variable.
type surpriseVar struct {
	n, errs          int64
	last, mean, vari float64 // mean of lately, of the series, and its variance
	scale, perScale  float64 // mean absolute error, and its inverse; 0 for none
	noise, usual     float64 // log energy of the errors, lately and usually
}

// view is the last sample in one of the views.
type view struct {
	squares    []float64 // of each variable; unseen without
	sum, count float64   // of the squares that there are, and their number
}

// unseen stands for a square that there is not.
const unseen = -1

// NewSurprise returns a Surprise for dim variables that has seen nothing.
func NewSurprise(dim int) *Surprise {
	s := &Surprise{vars: make([]surpriseVar, dim), shares: make([]float64, dim), energy: vec.Aligned(dim)}
	for v := range s.views {
		s.views[v].squares = make([]float64, dim)
	}
	return s
}

// Observe scores the sample y, whose forecast had been yhat, and then learns from
// it. yhat is nil while there is none; NaN marks a missing coordinate. ok is false
// for the first 100 samples.
func (s *Surprise) Observe(y, yhat []float64) (score float64, ok bool) {
	if len(y) != len(s.vars) || yhat != nil && len(yhat) != len(y) {
		panic("eval: wrong number of variables")
	}
	s.n++
	warm := s.n > surpriseWarmup
	s.observeErrors(y, yhat, warm)
	s.observeLevels(y, warm) // in between, so that the energies are there when they are loaded as vectors
	s.observeNoise(warm)
	s.hasScore = false
	if !warm {
		return 0, false
	}
	best := math.Inf(-1)
	for v := range s.views {
		if mean := s.views[v].sum / s.views[v].count; mean > best { // never for 0/0
			best, s.leading = mean, View(v)
		}
	}
	if s.hasScore = best >= 0; !s.hasScore {
		return 0, false
	}
	return math.Sqrt(best), true
}

// Leading returns the view that the last score is of, and the shares of the
// variables in its square: they sum to 1, unless the score is 0. The slice is
// overwritten by the next call; nil while there is no score.
func (s *Surprise) Leading() (View, []float64) {
	if !s.hasScore {
		return Level, nil
	}
	v := &s.views[s.leading]
	perSum := 0.
	if v.sum > 0 {
		perSum = 1 / v.sum
	}
	for j, square := range v.squares {
		s.shares[j] = max(square, 0) * perSum
	}
	return s.leading, s.shares
}

// VariablesTo writes the score that each variable has by itself, the largest of its
// views, into dst, of length dim; NaN where there is none.
func (s *Surprise) VariablesTo(dst []float64) {
	if len(dst) != len(s.vars) {
		panic("eval: wrong number of variables")
	}
	if !s.hasScore {
		fillNaN(dst)
		return
	}
	levels, noises, jumps := s.views[Level].squares[:len(dst)], s.views[Noise].squares[:len(dst)], s.views[Jump].squares[:len(dst)]
	for j := range dst {
		dst[j] = math.Sqrt(max(levels[j], noises[j], jumps[j])) // NaN when unseen in all views
	}
}

// observeErrors scores and learns the errors of the forecasts yhat of y, and sets their
// energies.
func (s *Surprise) observeErrors(y, yhat []float64, warm bool) {
	vars := s.vars
	jumps, energies := s.views[Jump].squares[:len(vars)], s.energy[:len(vars)]
	sum, count := 0., 0.
	r := rates(0)
	for j := range vars {
		v := &vars[j]
		jumps[j], energies[j] = unseen, math.NaN()
		if yhat == nil {
			continue
		}
		e := y[j] - yhat[j]
		if !finite(e) {
			continue
		}
		size, scale := math.Abs(e), v.scale
		if warm && v.perScale > 0 {
			// Branches, because what is usual lies within the limits.
			z := size * v.perScale
			if z > surpriseErrClip {
				size = surpriseErrClip * scale
			}
			if z > jumpMost {
				z = jumpMost
			}
			square := z * z * (1. / (jumpLimit * jumpLimit))
			jumps[j] = square
			sum += square
			count++
		}
		v.errs++
		if v.errs != r.n {
			r = rates(v.errs)
		}
		scale += r.long * (size - scale)
		v.scale, v.perScale = scale, 0
		if scale > leastScale {
			inverse := 1 / scale
			v.perScale = inverse
			energies[j] = e*inverse*(e*inverse) + surpriseFloor
		}
	}
	s.views[Jump].sum, s.views[Jump].count = sum, count
}

// observeNoise scores and learns the energies of the errors.
func (s *Surprise) observeNoise(warm bool) {
	energies := s.energy
	vars, noises := s.vars[:len(energies)], s.views[Noise].squares[:len(energies)]
	sum, count := 0., 0.
	r := rates(0)
	vec.LogTo(energies, energies)
	for j, e := range energies {
		noises[j] = unseen
		if e != e {
			continue
		}
		v := &vars[j]
		if v.errs != r.n {
			r = rates(v.errs)
		}
		noise, usual := v.noise, v.usual
		noise += r.short * (e - noise)
		if warm {
			d := (noise - usual) * (1 / noiseLimit)
			noises[j] = d * d
			sum += d * d
			count++
		}
		v.noise, v.usual = noise, usual+r.long*(e-usual)
	}
	s.views[Noise].sum, s.views[Noise].count = sum, count
}

// observeLevels scores and learns the values y.
func (s *Surprise) observeLevels(y []float64, warm bool) {
	vars, levels := s.vars[:len(y)], s.views[Level].squares[:len(y)]
	sum, count := 0., 0.
	r := rates(0)
	for j, value := range y {
		v := &vars[j]
		levels[j] = unseen
		if !finite(value) {
			continue
		}
		v.n++
		if v.n != r.n {
			r = rates(v.n)
		}
		mean, vari := v.mean, v.vari
		d := value - mean
		known := warm && vari > 0
		if known && d*d > surpriseClip*surpriseClip*vari {
			d = math.Copysign(surpriseClip*math.Sqrt(vari), d)
		}
		last := v.last + r.short*(mean+d-v.last)
		if known {
			z := last - mean
			square := z * z / vari
			levels[j] = square
			sum += square
			count++
		}
		v.last, v.mean, v.vari = last, mean+r.long*d, vari+r.long*(d*d*(1-r.long)-vari)
	}
	s.views[Level].sum, s.views[Level].count = sum, count
}

// rate are the weights of the n-th value in the averages over the series and over
// lately. As a rule all variables have as many values.
type rate struct {
	n           int64
	long, short float64
}

func rates(n int64) rate {
	first := 1 / float64(n)
	return rate{n, max(first, 1./surpriseMemory), max(first, 1./surpriseSpan)}
}

// State saves or restores it.
func (s *Surprise) State(c *snapshot.Codec) {
	c.Int64(&s.n)
	for j := range s.vars {
		v := &s.vars[j]
		c.Int64(&v.n)
		c.Int64(&v.errs)
		for _, x := range [...]*float64{&v.last, &v.mean, &v.vari, &v.scale, &v.noise, &v.usual} {
			c.Float64(x)
		}
		if v.perScale = 0; v.scale > leastScale {
			v.perScale = 1 / v.scale
		}
	}
}
