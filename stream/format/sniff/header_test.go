package sniff

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream/format"
)

// TestSemicolonsAndDecimalCommas: a file with semicolons and decimal commas is read as it is,
// with any number of digits behind the commas, equal or not, and exponents.
func TestSemicolonsAndDecimalCommas(t *testing.T) {
	check := func(name string, columns int, cell func() string) {
		t.Helper()
		var b strings.Builder
		b.WriteString("Date")
		for i := range columns {
			fmt.Fprintf(&b, ";v%d", i)
		}
		for day := range 4 {
			fmt.Fprintf(&b, "\n2025-01-%02d", 6+day)
			for range columns {
				b.WriteString(";" + strings.Replace(cell(), ".", ",", 1))
			}
		}
		s, err := sniff(t, b.String()+"\n", format.CSVConfig{})
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, b.String())
			return
		}
		if s.Skip != 0 || s.CSV.Comma != ';' || s.CSV.Decimal != ',' || s.CSV.Thousands != 0 || len(s.CSV.Values) != columns {
			t.Errorf("%s: skip %d, separator %q, decimal %q, thousands %q, values %q\n%s", name, s.Skip, s.CSV.Comma, s.CSV.Decimal, s.CSV.Thousands, s.CSV.Values, b.String())
		}
	}
	const digits = "123456789012345678"
	for n := 1; n <= len(digits); n++ {
		for columns := 1; columns <= 2; columns++ {
			check(fmt.Sprintf("%d digits", n), columns, func() string { return "65." + digits[:n] })
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 50 {
		scale := []float64{1e-7, 1, 1e3, 1e20}[i%4]
		check(fmt.Sprintf("frame %d", i), 1+i%5, func() string { return strconv.FormatFloat(scale*rng.NormFloat64(), 'g', -1, 64) })
	}
}

// 11,29 is one number in a header of two names: as 11 and 29 it would be read without an error.
func TestDecimalCommasBetweenCommas(t *testing.T) {
	for _, rows := range []string{
		"2026-01-01T00:00:00Z,11,29\n2026-01-01T00:05:00Z,11,45\n",
		"1767225600,11,29\n1767225900,11,45\n",
	} {
		if _, err := sniff(t, "time,x\n"+rows, format.CSVConfig{}); err == nil || !strings.Contains(err.Error(), "decimal comma") {
			t.Errorf("%q: %v", rows, err)
		}
	}
	// The numbers of the lines that R writes have no name either.
	if _, err := sniff(t, "time,x\n1,2026-01-01T00:00:00Z,11\n2,2026-01-01T00:05:00Z,12\n", format.CSVConfig{}); err != nil {
		t.Error(err)
	}
}
