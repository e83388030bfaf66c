package decimal_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/orffvar/forecaster/stream/internal/decimal"
)

func checkShortest(t *testing.T, v float64) {
	t.Helper()
	if got, want := string(decimal.Append(nil, v)), strconv.FormatFloat(v, 'g', -1, 64); got != want {
		t.Errorf("%x: got %s, want %s", math.Float64bits(v), got, want)
	}
}

// TestAppend compares with strconv: the hardest digits with every binary and decimal
// exponent, and a million other numbers.
func TestAppend(t *testing.T) {
	for _, v := range []float64{
		0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64, 0x1p-1022, 0x1.fffffffffffffp-1023,
		1, 10, 100, 123456, 1e5, 1e6, 1e20, 1e21, 1e22, 1e23, .1, .3, .5, 1e-4, 1e-5, 1.5, 5e-324, 9007199254740993, 41.13000106811523, 2.2250738585072014e-308, 8.41e21, 2.0019e-26,
	} {
		checkShortest(t, v)
		checkShortest(t, -v)
	}
	for e := range uint64(2047) {
		for _, f := range []uint64{0, 1, 2, 1<<52 - 1, 1<<52 - 2, 1 << 51, 0x8888888888888, 0x5555555555555} {
			checkShortest(t, math.Float64frombits(e<<52|f))
		}
	}
	for e := -325; e <= 308; e++ {
		for d := 1; d < 100; d++ {
			v, err := strconv.ParseFloat(strconv.Itoa(d)+"e"+strconv.Itoa(e), 64)
			if err == nil {
				checkShortest(t, v)
				checkShortest(t, math.Nextafter(v, 0))
				checkShortest(t, math.Nextafter(v, math.Inf(1)))
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		checkShortest(t, math.Float64frombits(r.Uint64()))
		checkShortest(t, r.NormFloat64())
		checkShortest(t, math.Round(1e4*r.NormFloat64())/1e3)
	}
}

func TestAppendDoesNotAllocate(t *testing.T) {
	buf := make([]byte, 0, 64)
	if n := testing.AllocsPerRun(100, func() { buf = decimal.Append(buf[:0], math.Pi) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzAppend(f *testing.F) {
	f.Add(1.5)
	f.Fuzz(func(t *testing.T, v float64) { checkShortest(t, v) })
}

// BenchmarkAppend writes numbers of different signs and sizes, so that branches are hard to
// predict.
func BenchmarkAppend(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name string
		draw func() float64
	}{
		{"17 digits", r.NormFloat64},
		{"6 decimals", func() float64 { return math.Round(1e6*r.NormFloat64()) / 1e6 }},
		{"2 decimals", func() float64 { return math.Round(1e4*r.NormFloat64()) / 1e2 }},
		{"integer", func() float64 { return math.Round(1e3 * r.NormFloat64()) }},
	} {
		values := make([]float64, 1<<16)
		for i := range values {
			values[i] = c.draw()
		}
		var buf []byte
		b.Run(c.name+"/ours", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				buf = decimal.Append(buf[:0], values[i%len(values)])
			}
		})
		b.Run(c.name+"/strconv", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				buf = strconv.AppendFloat(buf[:0], values[i%len(values)], 'g', -1, 64)
			}
		})
	}
}

// TestAppendDigits: the number read back differs from the written one by half a unit of its ninth
// digit at most, has no more digits than that, and is what rounding again gives.
func TestAppendDigits(t *testing.T) {
	for v, want := range map[float64]string{
		41.13000106811523: "41.1300011", .1: "0.1", 1.5: "1.5", 0: "0", 16777216000: "1.6777216e+10", 1767225613: "1.767225613e+09", -1767225613: "-1.767225613e+09",
		999999999.96: "1e+09", 9.9999999999: "10", .00012345678949: "0.000123456789", 1234567890.5: "1.23456789e+09", 1e20 / 3: "3.33333333e+19", 5e-324: "5e-324",
		math.Inf(-1): "-Inf", 9007199254740991: "9.007199254740991e+15",
	} {
		if got := string(decimal.AppendDigits(nil, v, 9)); got != want {
			t.Errorf("%v: got %s, want %s", v, got, want)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		v := math.Float64frombits(rng.Uint64())
		if v-v != 0 || math.Abs(v) < 1e-300 || math.Abs(v) > 1e300 {
			continue
		}
		text := string(decimal.AppendDigits(nil, v, 9))
		back, err := strconv.ParseFloat(text, 64)
		if err != nil || !(math.Abs(back-v) <= 5.0000001e-9*math.Abs(v)) {
			t.Fatalf("%v: got %s, %v", v, text, err)
		}
		if again := string(decimal.AppendDigits(nil, back, 9)); again != text {
			t.Fatalf("%v: %s and then %s", v, text, again)
		}
	}
}
