package spectrum

import (
	"fmt"
	"math/bits"

	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/random"
)

// Sequence is a low-discrepancy sequence in the unit cube.
type Sequence int

const (
	// Halton has radical inverses in the first d primes as coordinates. They become correlated when d exceeds about 10.
	Halton Sequence = iota
	// Sobol is the (t, s)-sequence of Sobol with the direction numbers of Joe
	// and Kuo (2008), for at most 37 dimensions.
	Sobol
)

func (s Sequence) String() string {
	switch s {
	case Halton:
		return "Halton"
	case Sobol:
		return "Sobol"
	}
	return fmt.Sprintf("Sequence(%d)", int(s))
}

// QuasiMonteCarlo draws the frequencies of a kernel from a low-discrepancy sequence, through the inverse distribution
// function (Avron et al. 2016). One random shift of the whole sequence (Cranley and Patterson) makes the kernel
// unbiased, and blocks of features different. The kernel must have frequencies with independent coordinates: Gaussian,
// Laplacian, Sinc or Sech. The exact variance is unknown (NaN).
type QuasiMonteCarlo struct {
	Spectrum
	Sequence Sequence
}

func (k QuasiMonteCarlo) SampleTo(w []float64, d int, r *random.Rand) {
	q := k.Spectrum.(quantiler)
	n := len(w) / d
	prime := 1
	for j := range d {
		shift := r.Uniform()
		prime = nextPrime(prime)
		for i := range n {
			var u float64
			if k.Sequence == Halton {
				u = radicalInverse(i+1, prime)
			} else {
				u = sobol(i+1, j)
			}
			if u += shift; u >= 1 {
				u--
			}
			w[i*d+j] = q.Quantile(max(u, 0x1p-54)) // u may round to 0, which has no quantile
		}
	}
}

func (k QuasiMonteCarlo) Dependent() {}

func (k QuasiMonteCarlo) Validate(d int) error {
	if _, ok := k.Spectrum.(quantiler); !ok {
		return fmt.Errorf("orff: quasi-Monte-Carlo needs a kernel whose frequencies have independent coordinates with an inverse distribution function, %T has not", k.Spectrum)
	}
	switch k.Sequence {
	case Halton:
	case Sobol:
		if d > len(joeKuo)+1 {
			return fmt.Errorf("orff: Sobol points are available in at most %d dimensions, got %d", len(joeKuo)+1, d)
		}
	default:
		return fmt.Errorf("orff: unknown low-discrepancy sequence %v", k.Sequence)
	}
	return check.Parameters(k.Spectrum, d)
}

// radicalInverse returns sum_k d_k base^(-k-1) for i = sum_k d_k base^k: the digits of i, mirrored at the point.
func radicalInverse(i, base int) float64 {
	f, u := 1.0, 0.0
	for ; i > 0; i /= base {
		f /= float64(base)
		u += f * float64(i%base)
	}
	return u
}

func nextPrime(after int) int {
	for p := after + 1; ; p++ {
		prime := true
		for q := 2; q*q <= p; q++ {
			if p%q == 0 {
				prime = false
				break
			}
		}
		if prime {
			return p
		}
	}
}

// joeKuo has dimensions 2, 3, …: the degree s of a primitive polynomial over GF(2), its inner coefficients as the bits
// of a, and the initial direction integers m_1 … m_s (Joe and Kuo 2008, table new-joe-kuo-6). Dimension 1 is the
// radical inverse in base 2.
var joeKuo = [...]struct {
	s, a int
	m    [7]uint32
}{
	{1, 0, [7]uint32{1}},
	{2, 1, [7]uint32{1, 3}},
	{3, 1, [7]uint32{1, 3, 1}},
	{3, 2, [7]uint32{1, 1, 1}},
	{4, 1, [7]uint32{1, 1, 3, 3}},
	{4, 4, [7]uint32{1, 3, 5, 13}},
	{5, 2, [7]uint32{1, 1, 5, 5, 17}},
	{5, 4, [7]uint32{1, 1, 5, 5, 5}},
	{5, 7, [7]uint32{1, 1, 7, 11, 19}},
	{5, 11, [7]uint32{1, 1, 5, 1, 1}},
	{5, 13, [7]uint32{1, 1, 1, 3, 11}},
	{5, 14, [7]uint32{1, 3, 5, 5, 31}},
	{6, 1, [7]uint32{1, 3, 3, 9, 7, 49}},
	{6, 13, [7]uint32{1, 1, 1, 15, 21, 21}},
	{6, 16, [7]uint32{1, 3, 1, 13, 27, 49}},
	{6, 19, [7]uint32{1, 1, 1, 15, 7, 5}},
	{6, 22, [7]uint32{1, 3, 1, 15, 13, 25}},
	{6, 25, [7]uint32{1, 1, 5, 5, 19, 61}},
	{7, 1, [7]uint32{1, 3, 7, 11, 23, 15, 103}},
	{7, 4, [7]uint32{1, 3, 7, 13, 13, 15, 69}},
	{7, 7, [7]uint32{1, 1, 3, 13, 7, 35, 63}},
	{7, 8, [7]uint32{1, 3, 5, 9, 1, 25, 53}},
	{7, 14, [7]uint32{1, 3, 1, 13, 9, 35, 107}},
	{7, 19, [7]uint32{1, 3, 1, 5, 27, 61, 31}},
	{7, 21, [7]uint32{1, 1, 5, 11, 19, 41, 61}},
	{7, 28, [7]uint32{1, 3, 5, 3, 3, 13, 69}},
	{7, 31, [7]uint32{1, 1, 7, 13, 1, 19, 1}},
	{7, 32, [7]uint32{1, 3, 7, 5, 13, 19, 59}},
	{7, 37, [7]uint32{1, 1, 3, 9, 25, 29, 41}},
	{7, 41, [7]uint32{1, 3, 5, 13, 23, 1, 55}},
	{7, 42, [7]uint32{1, 3, 7, 3, 13, 59, 17}},
	{7, 50, [7]uint32{1, 3, 1, 3, 5, 53, 69}},
	{7, 55, [7]uint32{1, 1, 5, 5, 23, 33, 13}},
	{7, 56, [7]uint32{1, 1, 7, 7, 1, 61, 123}},
	{7, 59, [7]uint32{1, 1, 7, 9, 13, 61, 49}},
	{7, 62, [7]uint32{1, 3, 3, 5, 3, 55, 33}},
}

// sobol returns coordinate j of point i, in Gray code order.
func sobol(i, j int) float64 {
	gray := uint32(i) ^ uint32(i)>>1
	var x uint32
	var v [32]uint32
	directions(&v, j, bits.Len32(gray))
	for k := 0; gray != 0; k++ {
		if gray&1 == 1 {
			x ^= v[k]
		}
		gray >>= 1
	}
	return float64(x) * 0x1p-32
}

// directions fills the first n direction numbers of coordinate j, as fractions
// of 2^32, by the recurrence of its primitive polynomial.
func directions(v *[32]uint32, j, n int) {
	if j == 0 {
		for k := range n {
			v[k] = 1 << (31 - k)
		}
		return
	}
	p := &joeKuo[j-1]
	for k := range n {
		if k < p.s {
			v[k] = p.m[k] << (31 - k)
			continue
		}
		v[k] = v[k-p.s] ^ v[k-p.s]>>p.s
		for l := 1; l < p.s; l++ {
			if p.a>>(p.s-1-l)&1 == 1 {
				v[k] ^= v[k-l]
			}
		}
	}
}
