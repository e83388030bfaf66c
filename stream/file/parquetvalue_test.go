package file

import (
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
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

// The numbers of IEEE 754 in two bytes.
func TestHalfFloats(t *testing.T) {
	for bits, want := range map[uint16]float64{
		0: 0, 0x8000: math.Copysign(0, -1), 1: math.Ldexp(1, -24), 0x3ff: 1023 * math.Ldexp(1, -24), 0x400: math.Ldexp(1, -14), 0x3c00: 1, 0xbc00: -1, 0x3e00: 1.5, 0x4200: 3, 0xc500: -5,
		0x7bff: 65504, 0xfbff: -65504, 0x7c00: math.Inf(1), 0xfc00: math.Inf(-1), 0x7c01: math.NaN(), 0xfe00: math.NaN(),
	} {
		got := halfFloat([]byte{byte(bits), byte(bits >> 8)})
		if got != want && (got == got || want == want) || math.Signbit(got) != math.Signbit(want) && want == want {
			t.Errorf("%#04x is %v, want %v", bits, got, want)
		}
	}
	if got := halfFloat([]byte{1}); got == got {
		t.Errorf("one byte is %v", got)
	}
}

// TestDamagedTexts: the error of a compressed file names the damage and the remedy for its kind.
func TestDamagedTexts(t *testing.T) {
	const truncated, damaged, again = "the compressed file is truncated, its end is missing: ", "the compressed file is damaged: ", "copy it again"
	for _, c := range []struct {
		u    unpacked
		err  error
		want string
	}{
		{unpacked{}, io.ErrUnexpectedEOF, truncated + again + ", or read what is whole with  gzip -dc IN > OUT"},
		{unpacked{zstd: true}, io.ErrUnexpectedEOF, truncated + again + ", or read what is whole with  zstd -dc IN > OUT"},
		{unpacked{zip: true}, io.ErrUnexpectedEOF, truncated + again},
		{unpacked{}, gzip.ErrChecksum, damaged + again + ", or read what is whole with  gzip -dc IN > OUT"},
		{unpacked{}, gzip.ErrHeader, damaged + again + ", or read what is whole with  gzip -dc IN > OUT"},
		{unpacked{}, flate.CorruptInputError(7), damaged + again + ", or read what is whole with  gzip -dc IN > OUT"},
		{unpacked{zip: true}, zip.ErrChecksum, damaged + again},
		{unpacked{zstd: true}, errors.New("x"), damaged + again + ", or read what is whole with  zstd -dc IN > OUT"},
		{unpacked{zip: true}, errors.New("a disk"), "reading: a disk"},
		{unpacked{}, io.EOF, "reading: EOF"},
	} {
		if got := c.u.explain(fmt.Errorf("reading: %w", c.err)); got.Error() != c.want {
			t.Errorf("%+v, %v:\ngot  %v\nwant %s", c.u, c.err, got, c.want)
		}
	}
	if err := new(unpacked).explain(nil); err != nil {
		t.Error(err)
	}
}
