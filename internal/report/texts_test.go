package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
)

// TestNumbersAsText: each print format of a number, at its bounds.
func TestNumbersAsText(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct{ got, want string }{
		{Number(nan).String(), "-"}, {Number(0).String(), "0"}, {Number(1.23456789).String(), "1.23457"}, {Number(inf).String(), "+Inf"},
		{Number(-999999.5).String(), "-1e+06"}, {Number(1234567.4).String(), "1234567"}, {Number(1e6).String(), "1000000"},
		{Number(1<<53 - 1).String(), "9007199254740991"}, {Number(1 << 53).String(), "9.0072e+15"}, {Number(.00001234).Digits(2), "1.2e-05"},
		{Number(99.9).Digits(2), "1e+02"}, {Number(100).Digits(2), "100"},
		{Number(nan).Fixed(2), "-"}, {Number(1.005).Fixed(1), "1.0"}, {Number(-.04).Fixed(1), "0.0"}, {Number(-.06).Fixed(1), "-0.1"}, {Number(-10).Fixed(0), "-10"},
		{Rate(nan), "-"}, {Rate(inf), "-"}, {Rate(0), "0/s"}, {Rate(1.2345), "1.23/s"}, {Rate(999.4), "999/s"}, {Rate(1000), "1,000/s"},
		{Rate(12345), "12,300/s"}, {Rate(12350), "12,400/s"}, {Rate(1.5e6 + 1), "1,500,000/s"},
		{CountsOf(nil), ""}, {CountsOf(map[string]int64{"late": 2, "duplicate": 1234}), "1,234 duplicate, 2 late"},
		{strings.Join(Apart(3), ""), ""}, {strings.Join(Apart(3, 1e15, 1e15+1), " "), "1000000000000000 1000000000000001"},
		{strings.Join(Apart(2, 1, 1+1e-14), " "), "1 1"}, {strings.Join(Apart(2, 1, 1+2e-13), " "), "1.00000000000000 1.00000000000020"},
		{strings.Join(Apart(3, 1<<53, 1<<53+4), " "), "9.01e+15 9.01e+15"},
		{Sparkline(nil), ""}, {Sparkline([]float64{3, 3}), "▁▁"}, {Sparkline([]float64{0, 1, 2, 3, 4, 5, 6, 7}), "▁▂▃▄▅▆▇█"},
		{Sparkline([]float64{-1, 1, 0}), "▁█▄"},
		{Shorten("abcdef", 6), "abcdef"}, {Shorten("abcdefg", 6), "abc…fg"}, {Shorten("abcdefg", 5), "ab…fg"}, {Shorten("abcdefg", 3), "a…g"},
		{fileName("a.B/c-d_9 ä"), "a_B_c-d_9__"}, {fileName(strings.Repeat("n", 61)), strings.Repeat("n", 60)},
		{string(css(ink)), "currentColor"}, {string(css(color.NRGBA{1, 2, 3, 128})), "rgb(1 2 3 / 0.50)"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	for v, want := range map[Number]string{Number(inf): "null", Number(-inf): "null", 1.5: "1.5"} {
		if b, err := json.Marshal(v); err != nil || string(b) != want {
			t.Errorf("%v: %s %v, want %s", v, b, err, want)
		}
	}
	if b, err := json.Marshal(Number(nan)); err != nil || string(b) != "null" {
		t.Errorf("NaN: %s %v", b, err)
	}
}

// TestShortenEnds: of texts with a common beginning and end, the different part stays, then as much of the ends as fits.
func TestShortenEnds(t *testing.T) {
	for n, want := range map[int]string{
		20: "abcdefghijcpumnopqrs", 19: "abcdefg…cpumnopqrs", 13: "abcd…cpu…pqrs", 9: "ab…cpu…rs", 8: "ab…cpu…s", 7: "a…cpu…s",
	} {
		got := shortenEnds("abcdefghijcpumnopqrs", n, 10, 7)
		if got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

// TestTablesToTheCharacter: a table is printed with its numbers aligned, also the whole ones of a column of texts, its
// caption, and the number of rows left out.
func TestTablesToTheCharacter(t *testing.T) {
	table := Table{
		Caption: "A caption.", More: "3 more rows: --all", Numeric: 1, Header: []string{"model", "mse", "two\nlines", "wide"}, Wide: []string{"wide", "none"},
		Rows: [][]string{{"7", "0.25", "7", "w"}, {"12", "-", "1,234", "w"}},
	}
	t.Setenv("COLUMNS", "")
	for _, c := range []struct {
		all  bool
		want string
	}{
		{false, `┌───────┬──────┬───────┐
│ model │  mse │   two │
│       │      │ lines │
├───────┼──────┼───────┤
│     7 │ 0.25 │     7 │
│    12 │    - │ 1,234 │
└───────┴──────┴───────┘
A caption.
Left out: wide. All columns: --wide
3 more rows: --all
`},
		{true, `┌───────┬──────┬───────┬──────┐
│ model │  mse │   two │ wide │
│       │      │ lines │      │
├───────┼──────┼───────┼──────┤
│     7 │ 0.25 │     7 │    w │
│    12 │    - │ 1,234 │    w │
└───────┴──────┴───────┴──────┘
A caption.
3 more rows: --all
`},
	} {
		var b bytes.Buffer
		if table.Print(&b, c.all); b.String() != c.want {
			t.Errorf("all %t:\n%s", c.all, b.String())
		}
	}
	var b bytes.Buffer
	table.Rows = nil
	if table.Print(&b, true); b.Len() > 0 {
		t.Errorf("without rows: %s", b.String())
	}
}

// TestDateTicksAreRound: for any span, the ticks are all multiples of one distance in the span, about as many as
// requested at most. The labels have the digits that differ.
func TestDateTicksAreRound(t *testing.T) {
	const n, day = 9, 24 * time.Hour
	seconds := []time.Duration{
		time.Second, 5 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute,
		time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, day, 2 * day, 7 * day, 14 * day,
	}
	from := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	check := func(what string, span time.Duration, next func(time.Time) time.Time, first time.Time, label func(time.Time) string) {
		t.Helper()
		var want, got []string
		for at := first; !at.After(from.Add(span)); at = next(at) {
			if !at.Before(from) {
				want = append(want, fmt.Sprint(at.Unix(), " ", label(at)))
			}
		}
		for _, tick := range dateTicks(n).Ticks(float64(from.Unix()), float64(from.Add(span).Unix())) {
			got = append(got, fmt.Sprint(int64(tick.Value), " ", tick.Label))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s over %v: %q, want %q", what, span, got, want)
		}
	}
	var least time.Duration
	for _, step := range seconds {
		longest := n*step - time.Second // the span includes the end of the second
		for _, span := range []time.Duration{least, longest} {
			check(step.String(), span, func(at time.Time) time.Time { return at.Add(step) }, from.Truncate(step), func(at time.Time) string {
				switch {
				case step >= day || at.Equal(at.Truncate(day)):
					return at.Format("Jan 2")
				case step >= time.Minute:
					return at.Format("15:04")
				}
				return at.Format("15:04:05")
			})
		}
		least = longest + time.Second
	}
	year := 365*day + 6*time.Hour
	for _, months := range []int{1, 3, 6, 12, 24, 60, 120, 240, 600} {
		longest := time.Duration(float64(n*months)*30.44*24) * time.Hour
		if months == 600 {
			longest = 280 * year // the largest Duration is 292 years
		}
		for _, span := range []time.Duration{max(least, 127*day), longest - time.Hour} {
			check(fmt.Sprint(months, " months"), span, func(at time.Time) time.Time { return at.AddDate(0, months, 0) },
				time.Date(2026-2026*12%months/12, time.Month(1-2026*12%months%12), 1, 0, 0, 0, 0, time.UTC), func(at time.Time) string {
					if months < 12 {
						return at.Format("Jan 2006")
					}
					return at.Format("2006")
				})
		}
		least = longest + time.Hour
	}
}

// TestRowNumbers: small times are row numbers. The ticks have at most the given number of labels.
func TestRowNumbers(t *testing.T) {
	if newAxis(1e17).dates || !newAxis(1e17+1).dates {
		t.Error("times until 1973 are numbers of rows")
	}
	var got []string
	for _, tick := range newAxis(5).ticker(4).Ticks(0, 1234567) {
		got = append(got, fmt.Sprintf("%g %s", tick.Value, tick.Label))
	}
	if want := []string{"0 0", "400000 400000", "800000 800000", "1.2e+06 1.2e+06"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, most := range []int{1, 2, 3, 5} {
		if n := len(sparse(most).Ticks(0, 10)); n > most {
			t.Errorf("%d ticks, want at most %d", n, most)
		}
	}
	if got := len(sparse(3).Ticks(0, 3)); got < 2 {
		t.Errorf("%d ticks where three have room", got)
	}
	text.EnableColors()
	for cell, want := range map[any]string{5: "\x1b[32m5\x1b[0m", -5: "\x1b[31m-5\x1b[0m", 0: "0"} {
		if got := fmt.Sprint(paint("skill vs VAR(1)", cell)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
