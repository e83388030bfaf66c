package scoring

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
)

// persistence forecasts the last observed value.
type persistence struct {
	last []float64
	seen bool
}

func (p *persistence) Observe(y []float64) error {
	for j, v := range y {
		if math.IsInf(v, 0) {
			return errors.New("infinite")
		}
		if !math.IsNaN(v) {
			p.last[j] = v
		}
	}
	p.seen = true
	return nil
}

func (p *persistence) ForecastTo(dst []float64) bool {
	for i := range dst {
		dst[i] = p.last[i%len(p.last)]
	}
	return p.seen
}

// BoundsTo has one level: one below, two above.
func (p *persistence) BoundsTo(lower, upper []float64) bool {
	p.ForecastTo(lower)
	p.ForecastTo(upper)
	for i := range lower {
		lower[i]--
		upper[i] += 2
	}
	return true
}

func (p *persistence) State(*snapshot.Codec) {}

type persistenceModel struct{ dim int }

func (m persistenceModel) NewSeries() eval.Forecaster {
	return &persistence{last: make([]float64, m.dim)}
}
func (persistenceModel) State(*snapshot.Codec) {}

// next forecasts by a function of the last sample.
type next struct {
	h    func(dst, x []float64)
	x    []float64
	seen bool
}

func (f *next) Observe(y []float64) error { copy(f.x, y); f.seen = true; return nil }
func (f *next) ForecastTo(dst []float64) bool {
	f.h(dst, f.x)
	return f.seen
}
func (f *next) State(*snapshot.Codec) {}

type nextModel struct {
	dim int
	h   func(dst, x []float64)
}

func (m nextModel) NewSeries() eval.Forecaster { return &next{h: m.h, x: make([]float64, m.dim)} }
func (nextModel) State(*snapshot.Codec)        {}

// column makes a data set of one variable.
func column(values ...float64) *Dataset {
	d := &Dataset{Name: "column", Variables: []string{"x"}, Series: []Series{{Name: "s"}}}
	for _, v := range values {
		d.Series[0].Rows = append(d.Series[0].Rows, []float64{v})
	}
	return d
}

func mustRun(t *testing.T, m eval.Model, d *Dataset, o Options) *Result {
	t.Helper()
	r, err := Prequential(m, d, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestPrequentialRamp(t *testing.T) {
	d := column(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	ramp := nextModel{1, func(dst, x []float64) {
		for i := range dst {
			dst[i] = x[0] + float64(i+1)
		}
	}}
	r := mustRun(t, ramp, d, Options{Horizon: 4, Losses: true})
	for k, h := range r.Horizons {
		if s := r.Score(All, k); s.N != int64(10-h) || s.MSE != 0 {
			t.Errorf("horizon %d: N = %d, MSE = %v, want %d, 0", h, s.N, s.MSE, 10-h)
		}
		for i, loss := range r.Losses[k] {
			if scored := i >= h; scored != (loss == 0) || scored == math.IsNaN(loss) {
				t.Errorf("horizon %d, row %d: loss %v", h, i, loss)
			}
		}
	}
}

// Targets in [From, To) are scored, divided by the standard deviation of the
// first ScaleRows rows; a column that is constant there by that of the scored
// rows; a column that is constant in both not at all.
func TestPrequentialScale(t *testing.T) {
	d := &Dataset{Variables: []string{"a", "late", "never"}, Series: []Series{{Rows: [][]float64{
		{0, 5, 1}, {2, 5, 1}, {0, 5, 1}, {2, 5, 1}, // sd 1, 0, 0
		{5, 7, 1}, {5, 3, 1}, {9, 5, 100}, // scored: the first two, sd of the second column 2
	}}}}
	r := mustRun(t, persistenceModel{3}, d, Options{ScaleRows: 4, From: 4, To: 6, Losses: true})
	near(t, "MSE of a", r.Score(0, 0).MSE, 9./2, 1e-15)
	near(t, "MSE of late", r.Score(1, 0).MSE, (1.+4.)/2, 1e-15)
	if n := r.Score(2, 0).N; n != 0 {
		t.Errorf("a constant column has %d scores", n)
	}
	near(t, "MSE over all", r.Score(All, 0).MSE, (5.+2)/2, 1e-15)
	if got := r.Losses[0][4]; got != 5 || !math.IsNaN(r.Losses[0][6]) || !math.IsNaN(r.Losses[0][3]) {
		t.Errorf("losses = %v", r.Losses[0])
	}
}

func TestPrequentialIntervalsAndReference(t *testing.T) {
	d := column(0, 1, 3, 2, 2)
	double := nextModel{1, func(dst, x []float64) { dst[0] = 2 * x[0] }}
	r := mustRun(t, persistenceModel{1}, d, Options{Levels: []float64{.9}, Reference: double})
	s := r.Score(All, 0)
	near(t, "Coverage", s.Coverage, 1, 0) // differences 1, 2, -1, 0 in [-1, 2]
	near(t, "Width", s.Width, 3, 0)
	near(t, "SkillVsVAR", s.SkillVsVAR, 1-6./(1+1+16+4), 1e-15)
	near(t, "SkillVsNaive", s.SkillVsNaive, 0, 0)
}

// Rows come by time; equal times in the order of the series. The result is the
// union of what the series would give alone.
func TestPrequentialSeveralSeries(t *testing.T) {
	d := &Dataset{Variables: []string{"x"}, Series: []Series{
		{Name: "a", Times: []int64{0, 10, 20}, Rows: [][]float64{{0}, {1}, {3}}},
		{Name: "b", Times: []int64{10, 15, 20, 21}, Rows: [][]float64{{100}, {100}, {104}, {104}}},
	}}
	var order []int
	r := mustRun(t, persistenceModel{1}, d, Options{OnStep: func(s Step) error {
		order = append(order, 10*s.Series+s.Row)
		return nil
	}})
	if want := []int{0, 1, 10, 11, 2, 12, 13}; !slices.Equal(order, want) {
		t.Errorf("order = %v, want %v", order, want)
	}
	s := r.Score(0, 0)
	if s.N != 5 {
		t.Errorf("N = %d, want 5", s.N)
	}
	near(t, "MSE", s.MSE, (1+4+0+16+0)/5., 1e-15)
}

func TestPrequentialErrors(t *testing.T) {
	stop := errors.New("stop")
	nan := nextModel{1, func(dst, x []float64) { dst[0] = math.NaN() }}
	ragged := column(1, 2)
	ragged.Series[0].Rows[1] = []float64{1, 2}
	untimed := column(1, 2)
	untimed.Series[0].Times = []int64{1}
	for _, c := range []struct {
		name string
		m    eval.Model
		d    *Dataset
		o    Options
		want string
	}{
		{"not finite", nan, column(1, 2), Options{}, `data set "column", series "s": the forecast after row 0 is not finite`},
		{"ragged", nan, ragged, Options{}, `data set "column", series "s", row 1: 2 values for 1 variables`},
		{"times", nan, untimed, Options{}, `data set "column", series "s": 1 times for 2 rows`},
		{"no variables", nan, &Dataset{Name: "none"}, Options{}, `data set "none" has no variables`},
		{"no series", nan, &Dataset{Name: "none", Variables: []string{"x"}}, Options{}, `data set "none" has no series`},
		{"OnStep", persistenceModel{1}, column(1), Options{OnStep: func(Step) error { return stop }}, "stop"},
	} {
		if _, err := Prequential(c.m, c.d, c.o); err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

func TestPrequentialCountsRefused(t *testing.T) {
	r := mustRun(t, persistenceModel{1}, column(1, math.Inf(1), 3, math.NaN(), 4), Options{})
	if r.Refused != 1 {
		t.Errorf("Refused = %d, want 1", r.Refused)
	}
	if s := r.Score(0, 0); s.N != 2 || s.MSE != (4+1)/2. {
		t.Errorf("N = %d, MSE = %v, want 2, 2.5", s.N, s.MSE)
	}
}

// A reference beside the model changes none of the model's own errors.
func TestPrequentialDoesNotDependOnReference(t *testing.T) {
	d := column(0, 1, 3, 2, 2, 7)
	a := mustRun(t, persistenceModel{1}, d, Options{Losses: true})
	b := mustRun(t, persistenceModel{1}, d, Options{Losses: true, Reference: nextModel{1, func(dst, x []float64) { dst[0] = 0 }}})
	if !slices.Equal(a.Losses[0][1:], b.Losses[0][1:]) {
		t.Errorf("losses %v and %v", a.Losses, b.Losses)
	}
}

// inputsSeen writes down the inputs of each step.
type inputsSeen struct {
	eval.Forecaster
	seen *[][]float64
}

func (s inputsSeen) SetInputs(u []float64) { *s.seen = append(*s.seen, append([]float64(nil), u...)) }

type inputsModel struct {
	eval.Model
	seen *[][]float64
}

func (m inputsModel) NewSeries() eval.Forecaster { return inputsSeen{m.Model.NewSeries(), m.seen} }

// TestPrequentialInputs: those of the later rows are told only when they are known.
func TestPrequentialInputs(t *testing.T) {
	data := &Dataset{Name: "d", Variables: []string{"x"}, Inputs: []string{"u"}, Series: []Series{{
		Rows: [][]float64{{1}, {2}, {3}}, Inputs: [][]float64{{10}, {20}, {30}},
	}}}
	nan := math.NaN()
	for known, want := range map[bool][][]float64{
		false: {{10, nan}, {20, nan}, {30, nan}},
		true:  {{10, 20}, {20, 30}, {30, nan}},
	} {
		var seen [][]float64
		if _, err := Prequential(inputsModel{persistenceModel{1}, &seen}, data, Options{KnownInputs: known}); err != nil {
			t.Fatal(err)
		}
		for i, u := range want {
			for k, v := range u {
				if got := seen[i][k]; got != v && !(math.IsNaN(got) && math.IsNaN(v)) {
					t.Errorf("known %v: row %d: %v, want %v", known, i, seen[i], u)
				}
			}
		}
	}
	data.Series[0].Inputs = data.Series[0].Inputs[:2]
	if data.Check() == nil {
		t.Error("a row without its inputs")
	}
}
