package decimal

import (
	"math"
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
		"0.0000000000000000001", "0.00000000000000000001", "41.13000106811523", "123456789.123456789", "00000000000000000000001", "1.0000000000000000000",
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
