package file

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// The text of a decimal of Parquet is the number in two's complement over the power of ten, exactly, with a digit before
// the point.
func TestParquetDecimals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{1, 2, 4, 8, 16} {
		for _, scale := range []int{-2, 0, 1, 2, 7, 30, 100, 101} {
			for range 20 {
				b := make([]byte, size)
				for i := range b {
					b[i] = byte(rng.Uint32())
				}
				n := new(big.Int).SetBytes(b)
				if b[0] >= 0x80 {
					n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*size)))
				}
				power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(scale, -scale))), nil)
				want := new(big.Rat).SetInt(n)
				if scale > 0 {
					want.Quo(want, new(big.Rat).SetInt(power))
				} else {
					want.Mul(want, new(big.Rat).SetInt(power))
				}
				text := string(appendScaled(nil, b, scale))
				got, ok := new(big.Rat).SetString(text)
				if !ok || got.Cmp(want) != 0 || text[0] == '.' {
					t.Errorf("% x over 10^%d: %q, want %v", b, scale, text, want)
				}
			}
		}
	}
}
