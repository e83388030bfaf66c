package spectrum

import (
	"math/bits"
	"testing"

	"github.com/orffvar/forecaster/orff/internal/maptest"
)

// C1.14: Quasi-Monte Carlo: Halton points, prime bases from index 1, through the inverse
// distribution functions of the frequencies.
func TestC1_14_Halton(t *testing.T) {
	points := [][]float64{{1. / 2, 1. / 3}, {1. / 4, 2. / 3}, {3. / 4, 1. / 9}, {1. / 8, 4. / 9}}
	quantiles := [][]float64{{0, -0.43072729929545756}, {-0.6744897501960817, 0.43072729929545744}, {0.6744897501960817, -1.22064034884735}, {-1.1503493803760079, -0.13971029888186212}}
	for i, want := range points {
		for j, base := range []int{2, 3} {
			u := radicalInverse(i+1, base)
			maptest.Near(t, "point", u, want[j], 1e-15)
			maptest.Near(t, "normal quantile", Gaussian{Sigma: 1}.Quantile(u), quantiles[i][j], 1e-14)
		}
	}
	p, primes := 1, []int{}
	for range 10 {
		p = nextPrime(p)
		primes = append(primes, p)
	}
	for i, want := range []int{2, 3, 5, 7, 11, 13, 17, 19, 23, 29} {
		if primes[i] != want {
			t.Fatalf("primes %v", primes)
		}
	}
}

func TestSobolTable(t *testing.T) {
	for j, p := range joeKuo {
		poly := uint64(1)<<p.s | uint64(p.a)<<1 | 1
		if !primitive(poly) {
			t.Errorf("dimension %d: polynomial %b is not primitive", j+2, poly)
		}
		for k := range p.s {
			if p.m[k]%2 == 0 || p.m[k] >= 2<<k {
				t.Errorf("dimension %d: m_%d = %d is not odd and below %d", j+2, k+1, p.m[k], 2<<k)
			}
		}
		for k := p.s; k < len(p.m); k++ {
			if p.m[k] != 0 {
				t.Errorf("dimension %d has more than %d direction integers", j+2, p.s)
			}
		}
	}
	for i := range joeKuo {
		for j := range i {
			if joeKuo[i].s == joeKuo[j].s && joeKuo[i].a == joeKuo[j].a {
				t.Errorf("dimensions %d and %d share a polynomial", i+2, j+2)
			}
		}
	}
}

// primitive reports whether x generates all 2^s - 1 units modulo the polynomial.
func primitive(poly uint64) bool {
	s := bits.Len64(poly) - 1
	v, n := uint64(1), 0
	for {
		v <<= 1
		if v>>s&1 == 1 {
			v ^= poly
		}
		n++
		if v == 1 {
			return n == 1<<s-1
		}
		if v == 0 || n > 1<<s {
			return false
		}
	}
}

func TestSobolPoints(t *testing.T) {
	want := [][]float64{{0.5, 0.5, 0.5}, {0.75, 0.25, 0.25}, {0.25, 0.75, 0.75}, {0.375, 0.375, 0.625}, {0.875, 0.875, 0.125}}
	for i, p := range want {
		for j, v := range p {
			maptest.Near(t, "Sobol point", sobol(i+1, j), v, 0)
		}
	}
	// Each coordinate of the first 2^m points is a permutation of i/2^m.
	const n = 1 << 9
	for j := range len(joeKuo) + 1 {
		var seen [n]bool
		for i := range n {
			seen[int(sobol(i, j)*n)] = true
		}
		for i, ok := range seen {
			if !ok {
				t.Fatalf("coordinate %d of the first %d points leaves cell %d empty", j+1, n, i)
			}
		}
	}
}
