package timestamp_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/orffvar/forecaster/stream/format/timestamp"
)

func TestParse(t *testing.T) {
	at := func(s string) int64 {
		u, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return u.UnixNano()
	}
	for _, c := range []struct {
		text string
		unit timestamp.Unit
		want int64
	}{
		{"2026-01-01T00:00:00Z", "", at("2026-01-01T00:00:00Z")},
		{"2026-01-01T00:00:00.123456789Z", "s", at("2026-01-01T00:00:00.123456789Z")},
		{"2026-01-01T02:00:00+02:00", "", at("2026-01-01T00:00:00Z")},
		{"2026-01-01t00:00:00z", "", at("2026-01-01T00:00:00Z")},
		{"2026-01-01 00:00:00", "", at("2026-01-01T00:00:00Z")},
		{"2026-01-01 00:00:00.5", "", at("2026-01-01T00:00:00.5Z")},
		{"2026-01-01 12:34", "", at("2026-01-01T12:34:00Z")},
		{"2026-01-01T12:34Z", "", at("2026-01-01T12:34:00Z")},
		{"2026-01-01T12:34-01:00", "", at("2026-01-01T13:34:00Z")},
		{"2026-01-01 02:00:00+02", "", at("2026-01-01T00:00:00Z")},
		{"2026-01-01 02:00:00.5-0530", "", at("2026-01-01T07:30:00.5Z")},
		{"2026-01-01 02:00:00 +0200", "", at("2026-01-01T00:00:00Z")},
		{"2026-01-01 02:00:00.123456789 +0200 UTC", "", at("2026-01-01T00:00:00.123456789Z")},
		{"2026-01-01 00:00:01 UTC", "", at("2026-01-01T00:00:01Z")},
		{"2026-01-01 00:00 GMT", "", at("2026-01-01T00:00:00Z")},
		{"2026-01-01", "", at("2026-01-01T00:00:00Z")},
		{"2026-01", "", at("2026-01-01T00:00:00Z")},
		{"1678-01-01", "", at("1678-01-01T00:00:00Z")},
		{"0", "", 0},
		{"7", "", 7e9},
		{"-7", "", -7e9},
		{"1767225600", "", at("2026-01-01T00:00:00Z")},
		{"1767225600123", "", at("2026-01-01T00:00:00.123Z")},
		{"1767225600123456", "", at("2026-01-01T00:00:00.123456Z")},
		{"1767225600123456789", "", at("2026-01-01T00:00:00.123456789Z")},
		{"1767225600.123456789", "", at("2026-01-01T00:00:00.123456789Z")},
		{"1767225600.1234567891", "s", at("2026-01-01T00:00:00.123456789Z")},
		{"1767225600123.5", "", at("2026-01-01T00:00:00.1235Z")},
		{"-1.5", "s", -15e8},
		{"-0.5", "s", -5e8},
		{"+3", "ms", 3e6},
		{"3.", "us", 3e3},
		{"3", "ns", 3},
		{"9223372036854775807", "ns", math.MaxInt64},
	} {
		if got, err := timestamp.Parse([]byte(c.text), c.unit); err != nil || got != c.want {
			t.Errorf("%s in %q: got %d, %v, want %d", c.text, c.unit, got, err, c.want)
		}
	}
	for _, bad := range []string{
		"", " ", ".", "-", "1.2.3", "1e9", "0x10", "now", "12:00", "2026-13-01", "2026-01-01T25:00:00Z", "2026-01-01T00:00:00Zjunk", "UTC", " GMT", "2026-01-01 UTC+0", "2026-01-01 00:00:00+", "2026-01-01 00:00:00+1",
		"2026/01/01", "1677-12-31", "2262-01-01", "2026-01-01T00:00:0Z", "2026-01-01T00:00:5:Z", "1969-12-31T23:59:60Z", "2016-12-31T23:59:60Z", "99999999999999999999", "2026-01-01T00:00:00.123456789012345+00:00",
	} {
		if got, err := timestamp.Parse([]byte(bad), timestamp.Auto); err == nil {
			t.Errorf("%q became %d", bad, got)
		}
	}
	if got, err := timestamp.Parse([]byte("20260000000000"), timestamp.Seconds); err == nil {
		t.Errorf("a time in the far future became %d", got)
	}
}

func TestParseDoesNotAllocate(t *testing.T) {
	for _, text := range []string{"2026-01-01T00:00:00Z", "2026-01-01 00:00", "1767225600123"} {
		b := []byte(text)
		if n := testing.AllocsPerRun(100, func() {
			if _, err := timestamp.Parse(b, timestamp.Auto); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", text, n)
		}
	}
}

// TestDaysAreThoseOfTheCalendar: every day of six centuries, and those that do not
// exist, as package time has them.
func TestDaysAreThoseOfTheCalendar(t *testing.T) {
	for year := 1678; year <= 2261; year++ {
		for month := 1; month <= 12; month++ {
			for day := 0; day <= 32; day++ {
				text := fmt.Sprintf("%04d-%02d-%02dT23:59:58.25Z", year, month, day)
				want, wantErr := time.Parse(time.RFC3339, text)
				got, err := timestamp.Parse([]byte(text), timestamp.Auto)
				if (err == nil) != (wantErr == nil) || err == nil && got != want.UnixNano() {
					t.Fatalf("%s: got %d, %v, want %v, %v", text, got, err, want, wantErr)
				}
			}
		}
	}
}

// FuzzRFC3339 compares with time.Parse, which accepts more.
func FuzzRFC3339(f *testing.F) {
	for _, s := range []string{"2026-01-01T00:00:00.5Z", "2024-02-29 23:59:59.123456789", "2026-12-31T00:00:00+01:00", "2026-02-30T00:00:00", "1678-01-01T00:00:00Z"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, wantErr := time.Parse(time.RFC3339, text)
		if wantErr != nil {
			return
		}
		if got, err := timestamp.Parse([]byte(text), timestamp.Auto); err == nil && got != want.UnixNano() {
			t.Errorf("%s: got %d, want %d", text, got, want.UnixNano())
		}
	})
}

// FuzzAppend: what Append writes, Parse reads; what it reads is written
// again to be read the same.
func FuzzAppend(f *testing.F) {
	for _, s := range []string{"2026-01-01T00:00:00.5Z", "1767225600", "-1.5", "2026-01", "1e5"} {
		f.Add([]byte(s), int64(len(s)))
	}
	f.Fuzz(func(t *testing.T, text []byte, at int64) {
		if parsed, err := timestamp.Parse(text, timestamp.Auto); err == nil {
			at = parsed
		}
		for _, u := range []timestamp.Unit{timestamp.Seconds, timestamp.Milliseconds, timestamp.Microseconds, timestamp.Nanoseconds} {
			b := timestamp.Append(nil, at, u)
			if got, err := timestamp.Parse(b, u); err != nil || got != at {
				t.Errorf("%d in %s is written %s and read %d, %v", at, u, b, got, err)
			}
		}
		b := timestamp.Append(nil, at, timestamp.Auto)
		if got, err := timestamp.Parse(b, timestamp.Auto); err == nil && got != at {
			t.Errorf("%d is written %s and read %d", at, b, got)
		}
	})
}

// The unit of a time without one is that of its magnitude, in both directions from 1970, with
// the boundaries of the documentation: 1e11, 1e14 and 1e17.
func TestUnitsByMagnitude(t *testing.T) {
	for _, c := range []struct {
		n    int64
		unit int64 // ns
	}{
		{0, 1e9}, {1, 1e9}, {99_999_999_999 / 11, 1e9}, // 1e11 s are beyond 2261
		{1e11, 1e6}, {1e11 + 1, 1e6}, {9_223_372_036_854, 1e6},
		{1e14, 1e3}, {1e14 + 1, 1e3}, {9_223_372_036_854_775, 1e3},
		{1e17, 1}, {1e17 + 1, 1}, {math.MaxInt64, 1},
	} {
		for _, sign := range []int64{1, -1} {
			text := fmt.Sprint(sign * c.n)
			if got, err := timestamp.Parse([]byte(text), timestamp.Auto); err != nil || got != sign*c.n*c.unit {
				t.Errorf("%s: %d ns (%v), want %d", text, got, err, sign*c.n*c.unit)
			}
		}
	}
	// Just below a boundary the smaller unit does not fit any more: an error, no other unit.
	for _, text := range []string{"99999999999", "-99999999999", "99999999999999", "99999999999999999"} {
		if got, err := timestamp.Parse([]byte(text), timestamp.Auto); err == nil {
			t.Errorf("%s: %d ns, want an error", text, got)
		}
	}
}
