package filesink_test

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file/filesink"
)

// TestFormsOfForecasts: forecasts of two variables with two levels, and of one variable without anything else, in each
// form with each choice of columns.
func TestFormsOfForecasts(t *testing.T) {
	nan := math.NaN()
	two := stream.Forecast{
		Series: &stream.Series{Name: `a,"b`, Variables: []string{"v", "w"}}, Model: "m", Origin: second, Time: 3*second + second/2, Horizon: 2, Yhat: []float64{5, -.25},
		Lower: []float64{1, 2, nan, 4}, Upper: []float64{11, 12, nan, 14}, JointLower: []float64{-1, -2}, JointUpper: []float64{21, 22}, Reach: []float64{.5, nan}, Y: []float64{7, nan},
	}
	one := stream.Forecast{Series: &stream.Series{Name: "s", Variables: []string{"v"}}, Model: "m", Origin: second, Time: 2 * second, Horizon: 1, Yhat: []float64{1e21}}
	all, levels := filesink.Columns{Origin: true, Y: true}, []float64{.5, .9}
	for _, c := range []struct {
		name     string
		encoder  filesink.Encoder
		forecast stream.Forecast
		want     string
	}{
		{"CSV", filesink.CSV{}, one, "time,series,target,horizon,model,yhat,yhat_lower,yhat_upper\n1970-01-01T00:00:02Z,s,v,1,m,1e+21,,\n"},
		{"CSV with all columns", filesink.CSV{TimeUnit: "s", Levels: levels, Joint: true, Limits: true, Columns: all}, two,
			"time,series,target,horizon,model,yhat,yhat_lower,yhat_upper,level,yhat_joint_lower,yhat_joint_upper,limit_probability,origin,y\n" +
				"3.5,\"a,\"\"b\",v,2,m,5,1,11,0.5,-1,21,0.5,1,7\n3.5,\"a,\"\"b\",v,2,m,5,,,0.9,-1,21,0.5,1,7\n3.5,\"a,\"\"b\",w,2,m,-0.25,2,12,0.5,-2,22,,1,\n3.5,\"a,\"\"b\",w,2,m,-0.25,4,14,0.9,-2,22,,1,\n"},
		{"CSV with one level", filesink.CSV{TimeUnit: "s", Levels: levels[:1], Limits: true}, two,
			"time,series,target,horizon,model,yhat,yhat_lower,yhat_upper,limit_probability\n3.5,\"a,\"\"b\",v,2,m,5,1,11,0.5\n3.5,\"a,\"\"b\",w,2,m,-0.25,2,12,\n"},
		{"CSV without limits known", filesink.CSV{Limits: true, Columns: all}, one, "time,series,target,horizon,model,yhat,yhat_lower,yhat_upper,limit_probability,origin,y\n1970-01-01T00:00:02Z,s,v,1,m,1e+21,,,,1970-01-01T00:00:01Z,\n"},
		{"JSON", filesink.JSONLines{}, one, `{"time":"1970-01-01T00:00:02Z","series":"s","target":"v","horizon":1,"model":"m","yhat":1e+21}` + "\n"},
		{"JSON with all columns", filesink.JSONLines{Levels: levels, Columns: all}, two, strings.ReplaceAll(
			`{"time":AT,"series":"a,\"b","target":"v","horizon":2,"model":"m","yhat":5,"yhat_lower":1,"yhat_upper":11,"level":0.5,"yhat_joint_lower":-1,"yhat_joint_upper":21,"limit_probability":0.5,"origin":"1970-01-01T00:00:01Z","y":7}
{"time":AT,"series":"a,\"b","target":"v","horizon":2,"model":"m","yhat":5,"yhat_lower":null,"yhat_upper":null,"level":0.9,"yhat_joint_lower":-1,"yhat_joint_upper":21,"limit_probability":0.5,"origin":"1970-01-01T00:00:01Z","y":7}
{"time":AT,"series":"a,\"b","target":"w","horizon":2,"model":"m","yhat":-0.25,"yhat_lower":2,"yhat_upper":12,"level":0.5,"yhat_joint_lower":-2,"yhat_joint_upper":22,"limit_probability":null,"origin":"1970-01-01T00:00:01Z","y":null}
{"time":AT,"series":"a,\"b","target":"w","horizon":2,"model":"m","yhat":-0.25,"yhat_lower":4,"yhat_upper":14,"level":0.9,"yhat_joint_lower":-2,"yhat_joint_upper":22,"limit_probability":null,"origin":"1970-01-01T00:00:01Z","y":null}
`, "AT", `"1970-01-01T00:00:03.5Z"`)},
		{"JSON with one level", filesink.JSONLines{Levels: levels[:1]}, stream.Forecast{Series: one.Series, Time: second, Yhat: []float64{1}, Lower: []float64{0}, Upper: []float64{2}},
			`{"time":"1970-01-01T00:00:01Z","series":"s","target":"v","horizon":0,"model":"","yhat":1,"yhat_lower":0,"yhat_upper":2}` + "\n"},
	} {
		batch := &stream.Batch{Forecasts: []stream.Forecast{c.forecast}}
		if got := string(c.encoder.AppendBatch(c.encoder.AppendHeader(nil), batch)); got != c.want {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
	path := filepath.Join(t.TempDir(), "x.parquet")
	sink, err := filesink.CreateParquet(path, levels)
	if err != nil {
		t.Fatal(err)
	}
	if err := sink.Write(t.Context(), &stream.Batch{Forecasts: []stream.Forecast{two}}); err != nil {
		t.Fatal(err)
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	type row struct {
		Time       int64    `parquet:"time"`
		Target     string   `parquet:"target"`
		Horizon    int32    `parquet:"horizon"`
		Model      string   `parquet:"model"`
		Lower      *float64 `parquet:"yhat_lower"`
		Upper      *float64 `parquet:"yhat_upper"`
		Level      *float64 `parquet:"level"`
		JointLower *float64 `parquet:"yhat_joint_lower"`
		JointUpper *float64 `parquet:"yhat_joint_upper"`
		Reach      *float64 `parquet:"limit_probability"`
		Origin     int64    `parquet:"origin"`
		Y          *float64 `parquet:"y"`
	}
	rows, err := parquet.ReadFile[row](path)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, r := range rows {
		text += fmt.Sprint(r.Time, " ", r.Target, " ", r.Horizon, " ", r.Model, " ", r.Origin)
		for _, v := range []*float64{r.Lower, r.Upper, r.Level, r.JointLower, r.JointUpper, r.Reach, r.Y} {
			if v == nil {
				text += " -"
			} else {
				text += fmt.Sprint(" ", *v)
			}
		}
		text += "\n"
	}
	const want = "3500000000 v 2 m 1000000000 1 11 0.5 -1 21 0.5 7\n3500000000 v 2 m 1000000000 - - 0.9 -1 21 0.5 7\n3500000000 w 2 m 1000000000 2 12 0.5 -2 22 - -\n3500000000 w 2 m 1000000000 4 14 0.9 -2 22 - -\n"
	if text != want {
		t.Errorf("Parquet:\ngot\n%s\nwant\n%s", text, want)
	}
}

// TestColumnNames: the names of columns, and those that do not go together.
func TestColumnNames(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  filesink.Columns
		err   string
	}{
		{nil, filesink.Columns{}, ""},
		{[]string{"y"}, filesink.Columns{Y: true}, ""},
		{[]string{"origin", "y"}, filesink.Columns{Origin: true, Y: true}, ""},
		{[]string{"nixtla"}, filesink.Columns{Nixtla: true, Y: true}, ""},
		{[]string{"y", "nixtla"}, filesink.Columns{}, `nixtla stands alone, it has all columns; got ["y" "nixtla"]`},
		{[]string{"x"}, filesink.Columns{}, `"x" is none of origin, y, nixtla`},
	} {
		got, err := filesink.ParseColumns(c.names)
		if err == nil && (got != c.want || c.err != "") || err != nil && err.Error() != c.err {
			t.Errorf("%q: %+v, %v, want %+v, %s", c.names, got, err, c.want, c.err)
		}
	}
}
