package format_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
)

// Every level has an object with its own bounds of every variable.
func TestForecastsOfEachLevel(t *testing.T) {
	e, err := format.NewForecastJSON(format.JSONConfig{Series: "series", Values: "values"}, []float64{.9, .5})
	if err != nil {
		t.Fatal(err)
	}
	f := stream.Forecast{
		Series: &stream.Series{Name: "s", Variables: []string{"a", "b"}}, Model: "m", Horizon: 1, Time: 1,
		Yhat: []float64{1, 2}, Lower: []float64{11, 12, 21, 22}, Upper: []float64{31, 32, 41, 42},
	}
	text, ends := e.AppendForecast(nil, nil, &f)
	if len(ends) != 2 {
		t.Fatalf("%d objects: %s", len(ends), text)
	}
	from := 0
	for k, end := range ends {
		var got struct{ Values map[string]float64 }
		if err := json.Unmarshal(text[from:end], &got); err != nil {
			t.Fatalf("%v in %s", err, text[from:end])
		}
		from = end
		for j, name := range f.Series.Variables {
			if v := got.Values; v[name] != f.Yhat[j] || v[name+"_lower"] != f.Lower[2*k+j] || v[name+"_upper"] != f.Upper[2*k+j] {
				t.Errorf("level %d: %v", k, v)
			}
		}
	}
}

// Numbers are read as they are written where the comma stands before the fraction.
func TestDecimalCommas(t *testing.T) {
	header := []string{"time", "a"}
	for text, want := range map[string]float64{"1,5": 1.5, "-0,25": -.25, "1.234,5": 1234.5, "1.234.567": 1234567, "12": 12, "": math.NaN()} {
		r := decodeCSV(t, format.CSVConfig{Header: header, Comma: ';', Decimal: ',', Thousands: '.'}, "1;"+text)
		if got := r.Values[0]; got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
