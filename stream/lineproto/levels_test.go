package lineproto_test

import (
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/lineproto"
)

// Every level has its own bounds of every variable, in both layouts.
func TestBoundsOfEachLevel(t *testing.T) {
	f := stream.Forecast{
		Series: &stream.Series{Name: "s", Variables: []string{"a", "b"}}, Model: "m", Horizon: 1, Time: 1,
		Yhat: []float64{1, 2}, Lower: []float64{11, 12, 21, 22}, Upper: []float64{31, 32, 41, 42},
	}
	for _, c := range []struct {
		long bool
		want []string
	}{
		{false, []string{"level=0.9 a=1,a_lower=11,a_upper=31,b=2,b_lower=12,b_upper=32", "level=0.5 a=1,a_lower=21,a_upper=41,b=2,b_lower=22,b_upper=42"}},
		{true, []string{"yhat_lower=11,yhat_upper=31", "yhat_lower=12,yhat_upper=32", "yhat_lower=21,yhat_upper=41", "yhat_lower=22,yhat_upper=42"}},
	} {
		text, _ := lineproto.Encoder{Levels: []float64{.9, .5}, Long: c.long}.AppendForecast(nil, nil, &f)
		plain := strings.ReplaceAll(string(text), ",model=m", "")
		for _, want := range c.want {
			if !strings.Contains(plain, want) {
				t.Errorf("%q is not in\n%s", want, plain)
			}
		}
	}
}
