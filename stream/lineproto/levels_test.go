package lineproto_test

import (
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/lineproto"
)

// Every level has its own bounds of every variable, in both layouts. Only the first has joint bounds and limits.
func TestBoundsOfEachLevel(t *testing.T) {
	f := stream.Forecast{
		Series: &stream.Series{Name: "s", Variables: []string{"a", "b"}}, Model: "m", Horizon: 1, Time: 1,
		Yhat: []float64{1, 2}, Lower: []float64{11, 12, 21, 22}, Upper: []float64{31, 32, 41, 42},
		Reach: []float64{.25, .75}, JointLower: []float64{5, 6}, JointUpper: []float64{7, 8},
	}
	for _, c := range []struct {
		long bool
		want []string
	}{
		{false, []string{"level=0.9 a=1,a_limit_probability=0.25,a_lower=11,a_upper=31,a_lower_joint=5,a_upper_joint=7,b=2,b_limit_probability=0.75,b_lower=12,b_upper=32,b_lower_joint=6,b_upper_joint=8 1", "level=0.5 a=1,a_lower=21,a_upper=41,b=2,b_lower=22,b_upper=42 1"}},
		{true, []string{
			"yhat=1,limit_probability=0.25,yhat_lower=11,yhat_upper=31,yhat_joint_lower=5,yhat_joint_upper=7 1",
			"yhat=2,limit_probability=0.75,yhat_lower=12,yhat_upper=32,yhat_joint_lower=6,yhat_joint_upper=8 1",
			"yhat=1,yhat_lower=21,yhat_upper=41 1", "yhat=2,yhat_lower=22,yhat_upper=42 1",
		}},
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
