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
	jumpMost        = 50 // mean errors of one variable that Jump counts: one of 17 or more raises no alarm alone
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
	views    [viewCount]float64
	leading  View
	shares   []float64 // of the variables in the leading view
	perView  [viewCount][]float64
	hasScore bool
	energy   []float64 // scratch
}

// surpriseVar is what is known of a variable.
type surpriseVar struct {
	n, errs          int64
	last, mean, vari float64 // mean of lately, of the series, and its variance
	scale            float64 // mean absolute error
	noise, usual     float64 // log energy of the errors, lately and usually
}

// NewSurprise returns a Surprise for dim variables that has seen nothing.
func NewSurprise(dim int) *Surprise {
	s := &Surprise{vars: make([]surpriseVar, dim), shares: make([]float64, dim), energy: make([]float64, dim)}
	for v := range s.perView {
		s.perView[v] = make([]float64, dim)
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
	// View by view, so that the variables do not wait for each other.
	for j := range s.vars {
		r := math.NaN()
		if yhat != nil {
			r = y[j] - yhat[j]
		}
		s.perView[Jump][j], s.energy[j] = s.vars[j].jump(r, warm)
	}
	for j := range s.vars {
		s.perView[Noise][j] = math.NaN()
		if s.energy[j] > 0 {
			s.perView[Noise][j] = s.vars[j].noisiness(vec.Log(s.energy[j]), warm)
		}
	}
	for j := range s.vars {
		s.perView[Level][j] = s.vars[j].level(y[j], warm)
	}
	var sums [viewCount]float64
	var counts [viewCount]int
	for view, squares := range s.perView {
		for _, sq := range squares {
			if !math.IsNaN(sq) {
				sums[view] += sq
				counts[view]++
			}
		}
	}
	s.hasScore = false
	if !warm {
		return 0, false
	}
	best := math.Inf(-1)
	for view := range viewCount {
		s.views[view] = math.NaN()
		if counts[view] == 0 {
			continue
		}
		s.views[view] = math.Sqrt(sums[view] / float64(counts[view]))
		if s.views[view] > best {
			best, s.leading = s.views[view], view
		}
	}
	if math.IsInf(best, -1) {
		return 0, false
	}
	for j, sq := range s.perView[s.leading] {
		s.shares[j] = 0
		if sums[s.leading] > 0 && !math.IsNaN(sq) {
			s.shares[j] = sq / sums[s.leading]
		}
	}
	s.hasScore = true
	return best, true
}

// Leading returns the view that the last score is of, and the shares of the
// variables in its square: they sum to 1, unless the score is 0. The slice is
// overwritten by the next Observe; nil while there is no score.
func (s *Surprise) Leading() (View, []float64) {
	if !s.hasScore {
		return Level, nil
	}
	return s.leading, s.shares
}

// VariablesTo writes the score that each variable has by itself, the largest of its
// views, into dst, of length dim; NaN where there is none.
func (s *Surprise) VariablesTo(dst []float64) {
	for j := range dst {
		dst[j] = math.NaN()
		if !s.hasScore {
			continue
		}
		for view := range viewCount {
			if sq := s.perView[view][j]; !(sq <= dst[j]) && !math.IsNaN(sq) {
				dst[j] = sq
			}
		}
		dst[j] = math.Sqrt(dst[j])
	}
}

// jump returns the square of the view Jump for the error r, NaN without one, and the
// energy of the error, 0 without one; it learns the scale.
func (v *surpriseVar) jump(r float64, warm bool) (square, energy float64) {
	square = math.NaN()
	if !finite(r) {
		return square, 0
	}
	size := math.Abs(r)
	if warm && v.errs > 0 && v.scale > 0 {
		z := min(size/v.scale, jumpMost) / jumpLimit
		square = z * z
		size = min(size, surpriseErrClip*v.scale)
	}
	v.errs++
	long, _ := rates(v.errs)
	v.scale += long * (size - v.scale)
	if v.scale > 0 {
		z := r / v.scale
		energy = z*z + surpriseFloor
	}
	return square, energy
}

// noisiness returns the square of the view Noise and learns from the logarithm of
// the energy of the last error.
func (v *surpriseVar) noisiness(energy float64, warm bool) (square float64) {
	long, short := rates(v.errs)
	v.noise += short * (energy - v.noise)
	square = math.NaN()
	if warm {
		d := (v.noise - v.usual) / noiseLimit
		square = d * d
	}
	v.usual += long * (energy - v.usual)
	return square
}

// level returns the square of the view Level, NaN where there is none, and learns
// from y.
func (v *surpriseVar) level(y float64, warm bool) (square float64) {
	square = math.NaN()
	if !finite(y) {
		return square
	}
	v.n++
	long, short := rates(v.n)
	d := y - v.mean
	if warm && v.vari > 0 {
		limit := surpriseClip * math.Sqrt(v.vari)
		d = max(-limit, min(limit, d))
	}
	v.last += short * (v.mean + d - v.last)
	if warm && v.vari > 0 {
		z := v.last - v.mean
		square = z * z / v.vari
	}
	v.mean += long * d
	v.vari += long * (d*d*(1-long) - v.vari)
	return square
}

// rates are the weights of the n-th value in the averages over the series and
// over lately.
func rates(n int64) (long, short float64) {
	first := 1 / float64(n)
	return max(first, 1./surpriseMemory), max(first, 1./surpriseSpan)
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
	}
}
