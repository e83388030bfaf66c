package livepage

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/stream"
)

var nan = math.NaN()

// feeder makes batches like those of an engine. Variable j at step i is i + 10j. Its forecast, made h steps before, is
// h larger. The intervals of the first level are h wide on either side.
type feeder struct {
	t        *testing.T
	page     *Page
	series   *stream.Series
	horizons []int
	levels   int
	step     time.Duration
	n        int64 // number of samples so far
}

func newFeeder(t *testing.T, c Config, series string, variables ...string) *feeder {
	c.Model = "orffvar"
	f := &feeder{
		t: t, page: New(c), series: &stream.Series{Name: series, Variables: variables},
		horizons: c.Horizons, levels: len(c.Levels), step: time.Second,
	}
	t.Cleanup(f.page.EndStreams)
	return f
}

// of returns a feeder for another series of the same page.
func (f *feeder) of(series string, variables ...string) *feeder {
	g := *f
	g.series, g.n = &stream.Series{Name: series, Variables: variables}, 0
	return &g
}

func (f *feeder) time(i int64) int64 { return 1_800_000_000e9 + i*int64(f.step) }

func (f *feeder) value(i int64, j int) float64 { return float64(i + int64(10*j)) }

// batch returns the next n samples, and the forecasts after each.
func (f *feeder) batch(n int) *stream.Batch {
	b := &stream.Batch{}
	d := len(f.series.Variables)
	for range n {
		i := f.n
		f.n++
		o := stream.Observation{Series: f.series, Time: f.time(i), AnomalyScore: .5}
		for j := range d {
			y := f.value(i, j)
			o.Y = append(o.Y, y)
			o.Residual = append(o.Residual, -1)
			o.VariableScores = append(o.VariableScores, 1)
		}
		b.Observations = append(b.Observations, o)
		b.Records++
		b.Watermark = o.Time
		for _, h := range f.horizons {
			p := stream.Forecast{Series: f.series, Model: "orffvar", Origin: o.Time, Time: f.time(i + int64(h)), Horizon: h}
			for j := range d {
				p.Yhat = append(p.Yhat, f.value(i+int64(h), j)+float64(h))
			}
			for l := range f.levels {
				for _, y := range p.Yhat {
					p.Lower = append(p.Lower, y-float64(h*(l+1)))
					p.Upper = append(p.Upper, y+float64(h*(l+1)))
				}
			}
			b.Forecasts = append(b.Forecasts, p)
		}
	}
	return b
}

// metrics appends scores of all horizons to b. The scores of each variable and those of the baseline differ.
func (f *feeder) metrics(b *stream.Batch, skill float64) {
	for _, model := range []string{"orffvar", "var1"} {
		for _, h := range f.horizons {
			for k, target := range append([]string{stream.AllTargets}, f.series.Variables...) {
				b.Metrics = append(b.Metrics, stream.Metric{
					Series: f.series, Target: target, Horizon: h, Model: model, Time: f.time(f.n),
					Score: scoring.Score{N: f.n, SkillVsNaive: skill + 100*float64(k), SkillVsVAR: nan, Coverage: .9},
				})
			}
		}
		skill -= 10
	}
}

// insight returns weights .25 and .75 of two experts, and an influence of the first variable on the last.
func (f *feeder) insight(i int64) stream.Insight {
	d := len(f.series.Variables)
	in := stream.Insight{
		Series: f.series, Model: "orffvar", Time: f.time(i),
		Experts: []string{"first", "second"}, Influence: make([]float64, d*d),
	}
	for range d {
		in.Weights = append(in.Weights, .25, .75)
	}
	in.Influence[(d-1)*d] = .5
	return in
}

func (f *feeder) write(b *stream.Batch) {
	f.t.Helper()
	if err := f.page.Write(context.Background(), b); err != nil {
		f.t.Fatal(err)
	}
	f.checkMemory()
}

// checkMemory compares the counted bytes with the memory of the histories.
func (f *feeder) checkMemory() {
	f.t.Helper()
	f.page.mu.Lock()
	defer f.page.mu.Unlock()
	bytes := int64(0)
	for i, m := range f.page.kept {
		if m.history == nil || slices.Contains(f.page.kept[:i], m) {
			f.t.Fatalf("history %d of %d, of %s, is another's or none", i, len(f.page.kept), m.name)
		}
		bytes += m.history.bytes
	}
	if bytes != f.page.bytes {
		f.t.Fatalf("%d bytes are counted, the histories have %d", f.page.bytes, bytes)
	}
}

// feed writes n samples in batches of three.
func (f *feeder) feed(n int) {
	for ; n > 0; n -= 3 {
		f.write(f.batch(min(3, n)))
	}
}

// get requests a path, checks the status, decodes the answer, and returns its header.
func get(t *testing.T, h http.Handler, path string, code int, v any) http.Header {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	if w.Code != code {
		t.Fatalf("GET %s: status %d, want %d: %s", path, w.Code, code, w.Body)
	}
	if v != nil {
		if err := json.Unmarshal(w.Body.Bytes(), v); err != nil {
			t.Fatalf("GET %s: %v in %s", path, err, w.Body)
		}
	}
	return w.Header()
}

// UnmarshalJSON converts null to NaN.
func (c *column) UnmarshalJSON(b []byte) error {
	var v []*float64
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	*c = nil
	for _, x := range v {
		if x == nil {
			x = &nan
		}
		*c = append(*c, *x)
	}
	return nil
}

// UnmarshalJSON converts null to NaN.
func (n *number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*n = number(nan)
		return nil
	}
	return json.Unmarshal(b, (*float64)(n))
}

// same reports whether two columns are equal; NaN equals NaN.
func same(a, b column) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
			return false
		}
	}
	return true
}
