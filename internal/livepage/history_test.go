package livepage

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/orffvar/forecaster/stream"
)

// The rings of a history give the same answers as unbounded lists: samples, missing samples between them by the nearest
// number of steps, and the forecasts made h steps before.
func TestHistoryKeepsTheNewest(t *testing.T) {
	const (
		step    = int64(time.Second)
		horizon = 2
	)
	r := rand.New(rand.NewPCG(1, 0))
	for id := range 3 { // the capacity depends on id
		h := &history{id: id * manySeries, name: "s"}
		h.begin(&stream.Series{Name: "s", Variables: []string{"a", "b"}}, []int{1, horizon}, 1)
		var times, scores, states, share, y, yhat column // columns of all samples, and of variable b
		forecasts := map[int]float64{}                   // by the number of the origin
		now := int64(1_800_000_000e9)
		steps := 0
		for len(times) < int(h.capacity)*3/2 {
			jitter := (r.Float64() - .5) * .9 // share of a step
			missing := max(0, r.IntN(8)-4)
			if steps == 0 {
				missing, jitter = 0, 0
			}
			last := now
			now += int64(float64(step) * (1 + float64(missing) + jitter))
			if steps > 0 {
				for k := range missing {
					times = append(times, seconds(last+int64(k+1)*step))
					scores, states, share, y = append(scores, nan), append(states, nan), append(share, nan), append(y, nan)
				}
			}
			v := float64(steps)
			o := stream.Observation{Time: now, Y: []float64{-v, v}, VariableScores: []float64{0, v + 1}, Share: []float64{0, v + 2}, AnomalyScore: v + 3, StateScore: v + 4}
			h.observe(&o, time.Duration(step))
			times, scores, states, share, y = append(times, seconds(now)), append(scores, v+3), append(states, v+4), append(share, v+2), append(y, v)
			if r.IntN(3) > 0 {
				h.forecast(&stream.Forecast{Origin: now, Time: now + horizon*step, Horizon: horizon, Yhat: []float64{0, v + 5}, Lower: []float64{0, v}, Upper: []float64{0, v + 9}})
				forecasts[len(times)-1] = v + 5
			}
			steps++
		}
		for _, o := range []stream.Observation{{Time: now, Y: []float64{9, 9}}, {Time: now - 5*step, Y: []float64{9, 9}}} {
			h.observe(&o, time.Duration(step)) // written again
		}
		end := len(times)
		if h.end != int64(end) {
			t.Fatalf("%d samples, want %d", h.end, end)
		}
		oldest := end - int(h.capacity)
		for i := range end {
			v, ok := forecasts[i-horizon]
			if !ok || i-horizon < oldest {
				v = nan
			}
			yhat = append(yhat, v)
		}
		for _, from := range []int{0, oldest, oldest + 1, end - 3, end} {
			m := h.window(view{variables: []int{1}, track: 1}, int64(from))
			from = max(from, oldest)
			b := m.Variables[0]
			for what, c := range map[string][2]column{
				"times": {m.Time, times[from:]}, "scores": {m.Score, scores[from:]}, "scores of the state": {m.State, states[from:]},
				"share": {b.Share, share[from:]}, "y": {b.Y, y[from:]}, "yhat": {b.Yhat, yhat[from:]},
			} {
				if !same(c[0], c[1]) {
					t.Errorf("history %d from %d: %s differ", h.id, from, what)
				}
			}
			if m.End != int64(end) || m.Horizon != horizon || b.Name != "b" {
				t.Errorf("history %d: %d samples, horizon %d of %s", h.id, m.End, m.Horizon, b.Name)
			}
		}
	}
}
