package filesink_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file/filesink"
)

// written passes the batches through AwaitTargets into a file and returns it.
func written(t *testing.T, enc filesink.Encoder, batches ...*stream.Batch) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out")
	inner, err := filesink.Create(path, enc)
	if err != nil {
		t.Fatal(err)
	}
	s := filesink.AwaitTargets(inner)
	for _, b := range batches {
		if err := s.Write(context.Background(), b); err != nil {
			t.Fatal(err)
		}
		for _, f := range b.Forecasts { // the next batch uses the memory again
			for _, v := range [][]float64{f.Yhat, f.Lower, f.Upper, f.Reach, f.JointLower, f.JointUpper} {
				clear(v)
			}
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const second = int64(1e9)

// targetBatches are two forecasts after each of the seconds 1 and 2, then the sample of second
// 4: 3 is missing, and the forecast for it never gets its target.
func targetBatches() []*stream.Batch {
	s := &stream.Series{Name: "s", Variables: []string{"v"}}
	forecast := func(origin, horizon int64, yhat float64) stream.Forecast {
		return stream.Forecast{Series: s, Model: "m", Origin: origin * second, Time: (origin + horizon) * second, Horizon: int(horizon), Yhat: []float64{yhat}, Lower: []float64{yhat - 1}, Upper: []float64{yhat + 1}}
	}
	sample := func(at, missing int64, y float64) stream.Observation {
		return stream.Observation{Series: s, Time: at * second, Missing: missing, Y: []float64{y}}
	}
	return []*stream.Batch{
		{Forecasts: []stream.Forecast{forecast(1, 1, 12), forecast(1, 2, 13), forecast(2, 1, 23), forecast(2, 2, 24)}, Observations: []stream.Observation{sample(1, 0, 101), sample(2, 0, 102)}},
		{Observations: []stream.Observation{sample(4, 1, 104)}, Forecasts: []stream.Forecast{forecast(4, 1, 45)}},
	}
}

func TestAwaitTargets(t *testing.T) {
	const want = `time,series,target,horizon,model,yhat,yhat_lower,yhat_upper,yhat_joint_lower,yhat_joint_upper,limit_probability,origin,y
2,s,v,1,m,12,11,13,10,14,1.2,1,102
3,s,v,2,m,13,12,14,11,15,1.3,1,
3,s,v,1,m,23,22,24,21,25,2.3,2,
4,s,v,2,m,24,23,25,22,26,2.4,2,104
5,s,v,1,m,45,44,46,43,47,4.5,4,
`
	batches := targetBatches()
	for _, b := range batches {
		for i := range b.Forecasts {
			f := &b.Forecasts[i]
			f.JointLower, f.JointUpper, f.Reach = []float64{f.Yhat[0] - 2}, []float64{f.Yhat[0] + 2}, []float64{f.Yhat[0] / 10}
		}
	}
	enc := filesink.CSV{TimeUnit: "s", Levels: []float64{.9}, Joint: true, Limits: true, Columns: filesink.Columns{Origin: true, Y: true}}
	if got := written(t, enc, batches...); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// Without a grid nothing is missing: the sample that comes next is the target, whenever it comes.
func TestAwaitTargetsOfUnevenSamples(t *testing.T) {
	const want = `time,series,target,horizon,model,yhat,yhat_lower,yhat_upper,y
2,s,v,1,m,12,11,13,102
3,s,v,2,m,13,12,14,104
3,s,v,1,m,23,22,24,104
4,s,v,2,m,24,23,25,
5,s,v,1,m,45,44,46,
`
	batches := targetBatches()
	batches[1].Observations[0].Missing = 0
	enc := filesink.CSV{TimeUnit: "s", Levels: []float64{.9}, Columns: filesink.Columns{Y: true}}
	if got := written(t, enc, batches...); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestNixtlaColumns(t *testing.T) {
	columns, err := filesink.ParseColumns([]string{"nixtla"})
	if err != nil {
		t.Fatal(err)
	}
	const want = `unique_id,ds,cutoff,y,yhat,yhat-lo-99.5,yhat-hi-99.5
s/v,2,1,102,12,11,13
`
	enc := filesink.CSV{TimeUnit: "s", Levels: []float64{.995}, Columns: columns}
	if got := written(t, enc, targetBatches()...); got[:len(want)] != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	const object = `{"unique_id":"s/v","ds":"1970-01-01T00:00:02Z","cutoff":"1970-01-01T00:00:01Z","y":102,"yhat":12,"yhat-lo-99.5":11,"yhat-hi-99.5":13}` + "\n"
	if got := written(t, filesink.JSONLines{Levels: []float64{.995}, Columns: columns}, targetBatches()...); got[:len(object)] != object {
		t.Errorf("got\n%swant\n%s", got, object)
	}
	// Two variables and levels: bounds are by level, then by variable.
	two := &stream.Batch{Forecasts: []stream.Forecast{{
		Series: &stream.Series{Name: "s", Variables: []string{"v", "w"}}, Horizon: 1, Origin: 1e9, Time: 2e9, Yhat: []float64{5, 6}, Y: []float64{7, 8},
		Lower: []float64{1, 2, 3, 4}, Upper: []float64{11, 12, 13, 14},
	}}}
	const lines = `unique_id,ds,cutoff,y,yhat,yhat-lo-50,yhat-hi-50,yhat-lo-90,yhat-hi-90
s/v,2,1,7,5,1,11,3,13
s/w,2,1,8,6,2,12,4,14
`
	if got := written(t, filesink.CSV{TimeUnit: "s", Levels: []float64{.5, .9}, Columns: columns}, two); got != lines {
		t.Errorf("got\n%swant\n%s", got, lines)
	}
	for _, names := range [][]string{{"nixtla", "y"}, {"z"}} {
		if _, err := filesink.ParseColumns(names); err == nil {
			t.Errorf("%q was accepted", names)
		}
	}
}
