package sniff_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/sniff"
)

// TestSentinels: numbers far from all others that come again are named, with their count among the
// values looked at and the setting, and strict reading refuses them; values of usual data are not.
func TestSentinels(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	normal := func(int) float64 { return 20 + 3*rng.NormFloat64() }
	at := func(every int, value float64, other func(int) float64) func(int) float64 {
		return func(i int) float64 {
			if i%every == 7 {
				return value
			}
			return other(i)
		}
	}
	around := func(i int) float64 { return 1000 + 10*math.Sin(float64(i)/9) + rng.NormFloat64() }
	for name, c := range map[string]struct {
		value func(i int) float64
		want  string // "" = nothing is said
	}{
		"-999":             {at(100, -999, normal), "-999 (5 of the first 500 values of v)"},
		"-9999.0":          {at(70, -9999, normal), "-9999 (8 of the first 500 values of v)"},
		"0 of a thousand":  {at(50, 0, around), "0 (10 of the first 500 values of v)"},
		"65535":            {at(90, 65535, normal), "65535 (6 of the first 500 values of v)"},
		"1e20":             {at(100, 1e20, normal), "1e+20 (5 of the first 500 values of v)"},
		"fill of NetCDF":   {at(170, 9.969209968386869e36, normal), "(3 of the first 500 values of v)"},
		"4711":             {at(60, 4711, normal), "4711 (9 of the first 500 values of v)"},
		"normal":           {normal, ""},
		"0 and 1":          {func(i int) float64 { return float64(i / 7 % 2) }, ""},
		"counts":           {func(int) float64 { return math.Floor(rng.ExpFloat64() * 3) }, ""},
		"lognormal":        {func(int) float64 { return math.Round(math.Exp(3 * rng.NormFloat64())) }, ""},
		"rain":             {func(int) float64 { return math.Round(10*max(0, rng.NormFloat64()-1)) / 10 }, ""},
		"power on and off": {func(i int) float64 { return float64(i/20%2)*2000 + rng.NormFloat64() }, ""},
		"one spike":        {at(1000, 99999, normal), ""},
		"trend":            {func(i int) float64 { return float64(i) }, ""},
	} {
		text := "time,v\n"
		for i := range 500 {
			text += fmt.Sprintf("%d,%g\n", 1767225600+3600*i, c.value(i))
		}
		s, err := sniff.CSV([]byte(text), false, format.CSVConfig{})
		said := ""
		for _, a := range s.Assumptions {
			said += a.Text
		}
		if err != nil || c.want == "" && strings.Contains(said, "far from") || !strings.Contains(said, c.want) {
			t.Errorf("%s: said %q, %v", name, said, err)
		}
	}
}
