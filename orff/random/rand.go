// Package random has the generator of the random numbers of feature maps.
package random

import "math"

// Rand is the SplitMix64 generator of Steele, Lea and Flood (2014). Frequencies are redrawn from (seed, block) on any
// machine and by any later version of the program. So the generator never changes: it is written here and not imported,
// and golden tests check it.
//
// A Rand is a plain value: copying it copies the position in its stream.
type Rand struct{ state uint64 }

// New returns the generator with the given state.
func New(state uint64) Rand { return Rand{state} }

// Block returns the generator of one block of frequencies, block = 1, 2, …
// Its state is H(H(master) XOR block), where H(v) is the first output of the
// generator in state v.
func Block(master uint64, block int) Rand {
	if block < 1 {
		panic("orff: blocks are counted from 1")
	}
	m := Rand{master}
	b := Rand{m.Uint64() ^ uint64(block)}
	return Rand{b.Uint64()}
}

// Uint64 returns the next 64 random bits.
func (r *Rand) Uint64() uint64 {
	r.state += 0x9E3779B97F4A7C15
	z := r.state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// Uniform returns the next number of the open interval (0, 1). It is never 0: its logarithm is finite.
func (r *Rand) Uniform() float64 {
	return (float64(r.Uint64()>>11) + 0.5) * 0x1p-53
}

// Intn returns a uniformly distributed integer in 0 … n-1.
func (r *Rand) Intn(n int) int {
	if n < 1 {
		panic("orff: Intn needs n >= 1")
	}
	// limit is the largest multiple of n that fits. Remainders of values from limit on would favour small numbers.
	limit := math.MaxUint64 - math.MaxUint64%uint64(n)
	for {
		if v := r.Uint64(); v < limit {
			return int(v % uint64(n))
		}
	}
}

// NormalsTo fills dst with independent standard normal numbers, in pairs by Box and Muller. For an odd length it drops
// the last number of the last pair: every call starts a new pair.
func (r *Rand) NormalsTo(dst []float64) {
	for i := 0; i < len(dst); i += 2 {
		radius := math.Sqrt(-2 * math.Log(r.Uniform()))
		sin, cos := math.Sincos(2 * math.Pi * r.Uniform())
		dst[i] = radius * cos
		if i+1 < len(dst) {
			dst[i+1] = radius * sin
		}
	}
}

// ChiSquared returns the sum of n squared standard normal numbers.
func (r *Rand) ChiSquared(n int) float64 {
	var z [2]float64
	var s float64
	for ; n > 0; n -= 2 {
		r.NormalsTo(z[:min(n, 2)])
		s += z[0] * z[0]
		if n > 1 {
			s += z[1] * z[1]
		}
	}
	return s
}

// Sign returns -1 or 1.
func (r *Rand) Sign() float64 {
	if r.Uint64()>>63 == 1 {
		return -1
	}
	return 1
}
