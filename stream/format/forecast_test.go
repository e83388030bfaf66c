package format_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
)

// TestForecastJSON: the decoder of the input reads the forecasts, as samples of the same series
// with the bounds as variables.
func TestForecastJSON(t *testing.T) {
	nan := math.NaN()
	forecast := func(name string, tags []stream.Tag, variables ...string) *stream.Forecast {
		f := &stream.Forecast{Series: &stream.Series{Name: name, Tags: tags, Variables: variables}, Model: "auto", Origin: 7e9, Time: 8e9, Horizon: 12}
		for i := range variables {
			f.Yhat = append(f.Yhat, float64(i)+.5)
			f.Lower = append(f.Lower, float64(i))
			f.Upper = append(f.Upper, nan)
		}
		return f
	}
	tags := []stream.Tag{{Key: "dc", Value: "eu"}, {Key: "host", Value: `web"1"`}}
	const end = `"horizon":"12","model":"auto","origin":"1970-01-01T00:00:07Z"}`
	for _, c := range []struct {
		config   format.JSONConfig
		forecast *stream.Forecast
		text     string
		read     string
	}{
		{format.JSONConfig{}, forecast("web1", nil, "cpu"),
			`{"time":"1970-01-01T00:00:08Z","cpu":0.5,"cpu_lower":0,"cpu_upper":null,` + end, "web1 8 cpu=0.5 cpu_lower=0 cpu_upper=-"},
		{format.JSONConfig{Series: "name", Time: "at"}, forecast("web1", nil, "a", "a_lower", "model", "at"),
			`{"at":"1970-01-01T00:00:08Z","name":"web1","a":0.5,"a_lower":0,"a_upper":null,"a_lower_":1.5,"a_lower__lower":1,"a_lower__upper":null,` +
				`"model_":2.5,"model__lower":2,"model__upper":null,"at_":3.5,"at__lower":3,"at__upper":null,` + end,
			"web1 8 a=0.5 a_lower=0 a_upper=- a_lower_=1.5 a_lower__lower=1 a_lower__upper=- model_=2.5 model__lower=2 model__upper=- at_=3.5 at__lower=3 at__upper=-"},
		{format.JSONConfig{Tags: []string{"meta.host", "meta.dc", "rack"}, Time: "meta.at.end", Values: "v.x"}, forecast(`dc=eu,host=web"1"`, tags, "cpu"),
			`{"meta":{"at":{"end":"1970-01-01T00:00:08Z"},"dc":"eu","host":"web\"1\""},"v":{"x":{"cpu":0.5,"cpu_lower":0,"cpu_upper":null}},` + end,
			`dc=eu,host=web"1" 8 cpu=0.5 cpu_lower=0 cpu_upper=-`},
	} {
		e, err := format.NewForecastJSON(c.config, []float64{.9})
		if err != nil {
			t.Fatal(err)
		}
		text, ends := e.AppendForecast([]byte("before"), nil, c.forecast)
		if got := string(text[6:]); got != c.text || !slices.Equal(ends, []int{len(text)}) || !json.Valid(text[6:]) {
			t.Errorf("got\n%s\nwant\n%s", got, c.text)
		}
		d, err := format.NewJSON(c.config)
		if err != nil {
			t.Fatal(err)
		}
		if got := show(d, c.forecast.Series.Name, string(text[6:])); got != c.read {
			t.Errorf("read as\n%s\nwant\n%s", got, c.read)
		}
	}
	f := forecast("web1", nil, "cpu")
	f.Lower, f.Upper = []float64{0, 1}, []float64{2, 3}
	e, err := format.NewForecastJSON(format.JSONConfig{}, []float64{.9, .5})
	if err != nil {
		t.Fatal(err)
	}
	text, ends := e.AppendForecast(nil, nil, f)
	const want = `{"time":"1970-01-01T00:00:08Z","cpu":0.5,"cpu_lower":0,"cpu_upper":2,"horizon":"12","level":"0.9","model":"auto","origin":"1970-01-01T00:00:07Z"}`
	if len(ends) != 2 || string(text[:ends[0]]) != want {
		t.Errorf("%d objects: %s", len(ends), text)
	}
	if _, err := format.NewForecastJSON(format.JSONConfig{Long: true}, nil); err == nil {
		t.Error("the long layout was accepted")
	}
}
