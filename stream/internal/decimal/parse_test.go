package decimal

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func checkFloat(t *testing.T, text string) {
	t.Helper()
	want, wantErr := strconv.ParseFloat(text, 64)
	if math.IsInf(want, 0) {
		wantErr = nil
	}
	got, err := Parse([]byte(text))
	if (err == nil) != (wantErr == nil) || err == nil && math.Float64bits(got) != math.Float64bits(want) {
		t.Errorf("%q: got %v, %v, want %v, %v", text, got, err, want, wantErr)
	}
}

func TestParse(t *testing.T) {
	for _, text := range []string{
		"", "-", "+", ".", "-.", "0", "-0", "+1", "1", "-1.5", ".5", "5.", "007", "1e3", "1e999", "-1e999", "inf", "nan", "0x1p3", "1_0", " 1", "1 ", "1.2.3", "--1",
		"9007199254740992", "9007199254740993", "9007199254740994", "0.9007199254740993", "9999999999999999999", "10000000000000000000",
		"0.0000000000000000001", "0.00000000000000000001", "0.0000000000000000000001", "0.00000000000000000000001", "0.0000000000000000000000", "0.0000000000000000000000000", "0.00012345678901234567", "18446744073709551616", "36893488147419103232", "0.18446744073709551616", "0.0000009007199254740993", "41.13000106811523", "123456789.123456789", "00000000000000000000001", "1.0000000000000000000",
	} {
		checkFloat(t, text)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"-1.5", "1e5", "0.000123", "123456789012345678"} {
		f.Add(s)
	}
	f.Fuzz(checkFloat)
}

// TestParseEveryLength parses texts of every length with digits, signs, points and other
// characters in every place.
func TestParseEveryLength(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 30 {
		for point := -1; point < n; point++ {
			for range 20 {
				text := make([]byte, n)
				for i := range text {
					text[i] = '0' + byte(r.UintN(10))
				}
				if point >= 0 {
					text[point] = '.'
				}
				checkFloat(t, string(text))
				checkFloat(t, "-"+string(text))
				for i := range min(n, 8) { // leading zeros do not count
					if text[i] != '.' {
						text[i] = '0'
					}
					checkFloat(t, string(text))
				}
				if n > 0 {
					text[r.IntN(n)] = byte(r.UintN(256))
					checkFloat(t, string(text))
				}
			}
			for c := range 256 { // at the place of the point
				if point >= 0 {
					text := bytes.Repeat([]byte{'7'}, n)
					text[point] = byte(c)
					checkFloat(t, string(text))
				}
			}
		}
	}
}

func BenchmarkParse(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name string
		draw func() float64
	}{
		{"6 decimals", func() float64 { return math.Round(1e6*r.NormFloat64()) / 1e6 }},
		{"2 decimals", func() float64 { return math.Round(1e4*r.NormFloat64()) / 1e2 }},
		{"float32", func() float64 { return float64(float32(100 * r.NormFloat64())) }},
		{"17 digits", r.NormFloat64},
	} {
		texts := make([][]byte, 1<<14)
		for i := range texts {
			texts[i] = strconv.AppendFloat(nil, c.draw(), 'g', -1, 64)
		}
		b.Run(c.name+"/ours", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if _, err := Parse(texts[i%len(texts)]); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/strconv", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if _, err := strconv.ParseFloat(string(texts[i%len(texts)]), 64); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
