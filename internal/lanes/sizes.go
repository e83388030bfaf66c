package lanes

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

// SizeTerms is K, the number of features of Sizes.
const SizeTerms = 8

// Rows of an origin: what the features of a variable are made of.
const (
	OriginValue   = iota // last value
	OriginPerStep        // 1/rms of its steps
	OriginLevel          // distance of the value from its mean, standardised
	OriginStep           // size of the last step
	OriginLast           // size of the last error
	OriginRows
)

// SizeRules are the constants of Sizes.
type SizeRules struct {
	State             float64 // limit of the expected step
	Near, Middle      float64 // distances from the mean at which the slope may change
	Most              float64 // limit of a size that is learnt, in ratios
	Smallest, Largest float64 // limits of a ratio
}

// Sizes has regressions of the sizes of errors of n variables on the state that a forecast starts from. With the origin's
// value v, steps of the size 1/p, level z, last step s and last error e, and the forecast f, the K features and the
// expected size are
//
//	u     = (1, z, |z|, min(|z|, near), min(|z|, middle), min(|f - v| p, state), s, e)
//	ratio = min(max(1 + w' u, smallest), largest)
//
// A size x is learnt by S += u u' and c += u (min(x, most ratio) - 1), from which the caller computes the weights w.
type Sizes struct {
	terms   []float64 // K x Stride(n): u
	weights []float64 // K x Stride(n): w
	sums    []float64 // (K (K+1)/2 + K) x Stride(n): lower half of S by rows, then c
	n       int
	stride  int
	limits  [sizeLimits]float64
}

// NewSizes returns regressions whose sums and weights are zero.
func NewSizes(n int, r SizeRules) *Sizes {
	stride := vec.Stride(n)
	return &Sizes{
		terms: vec.Aligned(SizeTerms * stride), weights: vec.Aligned(SizeTerms * stride),
		sums: vec.Aligned((SizeTerms*(SizeTerms+1)/2 + SizeTerms) * stride), n: n, stride: stride,
		limits: [sizeLimits]float64{
			sizeOne: 1, sizeState: r.State, sizeNear: r.Near, sizeMiddle: r.Middle, sizeMost: r.Most,
			sizeSmallest: r.Smallest, sizeLargest: r.Largest,
		},
	}
}

// RatiosTo writes the ratios of forecasts from an origin, OriginRows x Stride(n), and keeps the features.
func (s *Sizes) RatiosTo(dst, origin, forecast []float64) {
	if len(dst) != s.n || len(origin) != OriginRows*s.stride || len(forecast) != s.n {
		panic("lanes: Sizes.RatiosTo: lengths differ")
	}
	ratios(s, dst, origin, forecast)
}

func ratiosPortable(s *Sizes, dst, origin, forecast []float64) {
	p := &s.limits
	for j, f := range forecast {
		at := func(row int) float64 { return origin[row*s.stride+j] }
		far, move := math.Abs(at(OriginLevel)), float64(math.Abs(f-at(OriginValue))*at(OriginPerStep))
		if !(move < p[sizeState]) { // NaN becomes the limit
			move = p[sizeState]
		}
		u := [SizeTerms]float64{1, at(OriginLevel), far, min(far, p[sizeNear]), min(far, p[sizeMiddle]), move, at(OriginStep), at(OriginLast)}
		ratio := 1.
		for i, v := range u {
			s.terms[i*s.stride+j] = v
			ratio += float64(s.weights[i*s.stride+j] * v)
		}
		dst[j] = min(max(ratio, p[sizeSmallest]), p[sizeLargest])
	}
}

// Add learns sizes of errors at the features of the last call of RatiosTo, which wrote the ratios. A size that is NaN is
// not learnt.
func (s *Sizes) Add(sizes, ratios []float64) {
	if len(sizes) != s.n || len(ratios) != s.n {
		panic("lanes: Sizes.Add: lengths differ")
	}
	addSizes(s, sizes, ratios)
}

func addSizesPortable(s *Sizes, sizes, ratios []float64) {
	for j, size := range sizes {
		if size != size {
			continue
		}
		if most := s.limits[sizeMost] * ratios[j]; size > most {
			size = most
		}
		e := size - 1
		at := j
		for i := j; i < len(s.terms); i += s.stride {
			for k := j; k <= i; k += s.stride {
				s.sums[at] += float64(s.terms[i] * s.terms[k])
				at += s.stride
			}
		}
		for i := j; i < len(s.terms); i += s.stride {
			s.sums[at] += float64(s.terms[i] * e)
			at += s.stride
		}
	}
}

// Forget multiplies all sums.
func (s *Sizes) Forget(by float64) { vec.Scale(by, s.sums) }

// EquationsTo writes S and c of variable j.
func (s *Sizes) EquationsTo(square *vec.Sym, c []float64, j int) {
	square.SetLower(s.sums[j:], s.stride)
	at := SizeTerms*(SizeTerms+1)/2*s.stride + j
	for i := range SizeTerms {
		c[i] = s.sums[at]
		at += s.stride
	}
}

// SetWeights sets w of variable j.
func (s *Sizes) SetWeights(j int, w []float64) {
	for i := range SizeTerms {
		s.weights[i*s.stride+j] = w[i]
	}
}

// State saves or restores the sums and the weights.
func (s *Sizes) State(c *snapshot.Codec) {
	for _, rows := range [][]float64{s.sums, s.weights} {
		for ; len(rows) > 0; rows = rows[s.stride:] {
			c.Float64s(rows[:s.n])
		}
	}
}
