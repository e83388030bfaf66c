package sniff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
)

// grouped writes a whole number with a mark between thousands.
func grouped(v int, mark string) string {
	s := fmt.Sprint(v)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + mark + s[i:]
	}
	return s
}

func TestIsDatum(t *testing.T) {
	for text, want := range map[string]bool{
		"12345678901234567890123": true, // too many digits for a time
		"-1.5e3":                  true, "2026-01-02": true, "": false, "1.2.3": false, "-": false, "load": false,
	} {
		if isDatum(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// table writes days of one column, whose numbers are quoted where they have the separator.
func table(comma string, cells []string) string {
	text := "day" + comma + "load\n"
	for i, cell := range cells {
		if strings.Contains(cell, comma) {
			cell = `"` + cell + `"`
		}
		text += fmt.Sprintf("%d-%02d-%02d%s%s\n", 2000+i/336, 1+i/28%12, 1+i%28, comma, cell)
	}
	return text
}

// readTable returns the values of a table as CSV and the decoder read it; refusals are left out.
func readTable(t *testing.T, text string) (Result, []float64) {
	t.Helper()
	s, err := sniff(t, text, format.CSVConfig{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	d, err := format.NewCSV(s.CSV)
	if err != nil {
		t.Fatal(err)
	}
	var values []float64
	for line := range strings.Lines(text[strings.IndexByte(text, '\n')+1:]) {
		var r stream.Record
		if d.Decode(&r, &stream.Message{Key: []byte("s"), Value: []byte(line)}) == nil {
			values = append(values, r.Values...)
		}
	}
	return s, values
}

// TestThousands: whole numbers with any mark between thousands, some of them below 1000, are read as
// they are, with any separator of columns.
func TestThousands(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, most := range []int{3_000, 10_000, 5_000_000} {
		for _, mark := range []string{".", ",", "'", "’", " ", "\u00a0", "\u202f"} {
			for _, comma := range []string{",", ";", "\t"} {
				want, cells := make([]float64, 400), make([]string, 400)
				for i := range want {
					v := rng.IntN(most)
					if i%5 == 0 {
						v = 100 + rng.IntN(3000) // so that numbers with and without a mark are beside each other
					}
					want[i], cells[i] = float64(v), grouped(v, mark)
				}
				s, got := readTable(t, table(comma, cells))
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("numbers up to %d with %q, columns with %q: thousands %q, decimal %q\ngot  %v\nwant %v", most, mark, comma, s.CSV.Thousands, s.CSV.Decimal, got[:10], want[:10])
				}
				if n := len(s.Assumptions); n == 0 || s.Assumptions[n-1].Field == "" || s.Assumptions[n-1].Usual {
					t.Errorf("assumed %v", s.Assumptions)
				}
			}
		}
	}
}

// TestFractionsOfThreeDigits: numbers with a fraction, whose digits may be three each, are read with
// it. Strict reading accepts them.
func TestFractionsOfThreeDigits(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for name, cell := range map[string]func(v float64) string{
		"%.3f":        func(v float64) string { return fmt.Sprintf("%.3f", v) },
		"%g of three": func(v float64) string { return fmt.Sprint(float64(int(v*1000)) / 1000) },
		"%.3f and %d": func(v float64) string { return map[bool]string{true: "100", false: fmt.Sprintf("%.3f", v)}[v > 60] },
		"%.3f, %d from 1000": func(v float64) string {
			return map[bool]string{true: fmt.Sprint(int(100 * v)), false: fmt.Sprintf("%.3f", v)}[v > 8]
		},
	} {
		for _, least := range []float64{0, 1, 20} {
			var want []float64
			var cells []string
			for range 300 {
				cells = append(cells, cell(least+80*rng.Float64()))
				var v float64
				fmt.Sscan(cells[len(cells)-1], &v)
				want = append(want, v)
			}
			s, got := readTable(t, table(",", cells))
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s from %g: thousands %q, got %v, want %v", name, least, s.CSV.Thousands, got[:9], want[:9])
			}
			for _, a := range s.Assumptions {
				if !a.Usual {
					t.Errorf("%s from %g: strict reading refuses %v", name, least, a)
				}
			}
		}
	}
}

// TestUnsurePoints: the reading of numbers that may have a fraction or thousands is said, with the
// setting for the other one, which has that effect.
func TestUnsurePoints(t *testing.T) {
	cells := []string{"21.500", "21.250", "999.125"}
	s, _ := readTable(t, table(";", cells))
	if len(s.Assumptions) != 2 || s.Assumptions[1].Text != "21.500 of column load has a decimal point (CSVConfig.Thousands=. reads 21500)" {
		t.Errorf("assumed %v", s.Assumptions)
	}
	s, _ = readTable(t, table(";", []string{"21,500", "21,250"}))
	if n := len(s.Assumptions); n != 2 || s.Assumptions[1].Text != "decimal comma (CSVConfig.Thousands=, reads 21,500 as 21500)" {
		t.Errorf("assumed %v", s.Assumptions)
	}
	if s, _ = readTable(t, table(";", append(cells, "0.125"))); len(s.Assumptions) != 1 {
		t.Errorf("a zero before the point is no thousand: assumed %v", s.Assumptions)
	}
}

// TestGroupsOfThree: a separator of thousands that does not make groups is refused, so that no value
// is larger than the written one.
func TestGroupsOfThree(t *testing.T) {
	for _, c := range []struct {
		thousands byte
		text      string
		want      float64 // 0 = refused
	}{
		{'.', "1.234", 1234}, {'.', "-1.234.567,25", -1234567.25}, {'.', "12,5", 12.5}, {'.', "950", 950}, {'.', "1.234e2", 123400},
		{'.', "1.5", 0}, {'.', "0.123", 0}, {'.', "1.23456", 0}, {'.', "1234.567", 0}, {'.', ".500", 0}, {'.', "1..500", 0}, {'.', "1.234,5.678", 0}, {'.', "1.23,5", 0},
		{',', "1,234.5", 1234.5}, {',', "12,34,567", 1234567}, {',', "1,5", 0}, {',', "0,5", 0}, {',', "1,234,5", 0}, {',', "1.5,000", 0},
		{'\'', "1’234’567.5", 1234567.5}, {' ', "1\u202f234", 1234}, {' ', "1\u00a0234.5", 1234.5}, {' ', "1 2", 0},
	} {
		d, err := format.NewCSV(format.CSVConfig{Header: []string{"time", "a"}, Comma: ';', Thousands: c.thousands})
		if err != nil {
			t.Fatal(err)
		}
		var r stream.Record
		err = d.Decode(&r, &stream.Message{Key: []byte("s"), Value: []byte("2026-01-01;" + c.text)})
		if (err != nil) != (c.want == 0) || err == nil && r.Values[0] != c.want {
			t.Errorf("%q with thousands %q: %v, %v, want %v", c.text, c.thousands, r.Values, err, c.want)
		}
	}
}
