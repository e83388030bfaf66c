package thesis

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/sgd/batch"
)

// C6.6: A curl-free kernel learns a gradient field better than independent outputs (section 6.4.1,
// with a field that can be learnt).
//
// With 100 points and 500 frequencies the curl-free kernel reaches R^2 >= .85, and more
// than independent outputs. The test asserts both for the mean over all fields: its
// one-sided 99 % confidence bound from 12 fields (Student, 11 degrees of freedom: 2.718
// standard errors) is above .85, and a paired test finds the difference. 80 fields gave
// .917 +- .006 and .795 +- .009.
func TestC6_6_CurlFreeAgainstIndependent(t *testing.T) {
	c, err := CurlFields(100, 500, 12, 1, proceed, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("R^2 %.3f +- %.3f curl-free, %.3f +- %.3f independent, difference %.3f +- %.3f, p = %.2g", c.A, c.SEA, c.B, c.SEB, c.Diff, c.SE, c.P)
	if bound := c.A - 2.718*c.SEA; !(bound >= .85) {
		t.Errorf("R^2 %.3f, at least %.3f with 99 %% confidence", c.A, bound)
	}
	if !(c.Diff > 0) || !(c.P <= .001) {
		t.Errorf("curl-free is better by %.3f +- %.3f, p = %.2g", c.Diff, c.SE, c.P)
	}
}

func proceed() error { return nil } // the run is not interrupted

// As in Table 6.5, coupled tasks need fewer samples.
func TestMultiTaskLaplacianHelpsWithFewSamples(t *testing.T) {
	calls := 0
	r, err := NewMultiTask(50, 6, 1, proceed, func(done int) {
		if calls++; done != calls {
			t.Errorf("progress %d at call %d", done, calls)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("nMSE %.2f +- %.2f %% independent, %.2f +- %.2f %% Laplacian, p = %.4f", r.Independent, r.IndependentSD, r.Laplacian, r.LaplacianSD, r.P)
	if !(r.Laplacian < r.Independent) || !(r.P <= .05) {
		t.Errorf("nMSE %.2f %% independent, %.2f %% Laplacian, p = %.3f", r.Independent, r.Laplacian, r.P)
	}
}

// Each part of a repeat calls check.
func TestMultiTaskStops(t *testing.T) {
	errStop := errors.New("stop")
	stop := func() error { return errStop }
	const tasks, in, n = 3, 4, 20
	x, y := newSyntheticTasks(rand.New(rand.NewPCG(1, 2)), in, tasks).draw(rand.New(rand.NewPCG(3, 4)), n*tasks)
	s, err := orff.NewFourier(spectrum.Gaussian{Sigma: 2}, in, 15, random.New(1))
	if err != nil {
		t.Fatal(err)
	}
	f := newTaskFit(tasks, n, s.Len())
	if err := f.observe(proceed, s, x, y); err != nil {
		t.Fatal(err)
	}
	_, apart := f.independent(stop, 1e-3)
	_, together := f.coupled(stop, coupling.Identity(tasks), 1e-3)
	_, row := NewMultiTask(50, 6, 1, stop, nil)
	_, curl := CurlFields(100, 500, 2, 1, stop, nil)
	for name, err := range map[string]error{
		"observe": f.observe(stop, s, x, y), "independent": apart, "coupled": together, "NewMultiTask": row, "CurlFields": curl,
	} {
		if !errors.Is(err, errStop) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Both solutions minimise the objective with missing outputs. The conjugate gradients stop at a relative error of 1e-7
// in the energy norm; predictions of size 1 have about this error.
func TestMultiTaskSolvesTheObjective(t *testing.T) {
	const tasks, in, n, lambda = 3, 4, 20, 1e-3
	rng := rand.New(rand.NewPCG(61, 62))
	synthetic := newSyntheticTasks(rng, in, tasks)
	x, y := synthetic.draw(rng, n*tasks)
	s, err := orff.NewFourier(spectrum.Gaussian{Sigma: 2}, in, 15, random.New(1))
	if err != nil {
		t.Fatal(err)
	}
	graph, err := similarTasks(tasks, y)
	if err != nil {
		t.Fatal(err)
	}
	masked := make([]float64, len(y))
	for i := range masked {
		masked[i] = math.NaN()
		if i%tasks == i/tasks%tasks {
			masked[i] = y[i]
		}
	}
	f := newTaskFit(tasks, n, s.Len())
	if err := f.observe(proceed, s, x, y); err != nil {
		t.Fatal(err)
	}
	independent, err := f.independent(proceed, lambda)
	if err != nil {
		t.Fatal(err)
	}
	coupled, err := f.coupled(proceed, graph, lambda)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		out coupling.Operator
		got []float64
	}{{coupling.Identity(tasks), independent}, {graph, coupled}} {
		m := orff.NewDecomposable(s, c.out)
		o, err := batch.NewObjective(batch.ObjectiveConfig{Map: m, X: x, Y: masked, Lambda: lambda})
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, m.Dims().Params)
		if _, err := o.SolveCG(want, 1e-13, 0); err != nil {
			t.Fatal(err)
		}
		predictions := func(theta []float64) []float64 { return append([]float64(nil), o.Predictions(theta)...) }
		h := predictions(want)
		for i, v := range predictions(c.got) {
			if !(math.Abs(v-h[i]) <= 1e-5) {
				t.Fatalf("prediction %d is %g, want %g", i, v, h[i])
			}
		}
	}
}

// Differences 1, 2, 3: mean 2, standard error 1/sqrt(3), t = 3.464 with 2 degrees of
// freedom, two-sided p = 1 - t/sqrt(t^2 + 2) = .0742.
func TestPairedTest(t *testing.T) {
	c := PairedTest([]float64{2, 4, 6}, []float64{1, 2, 3})
	if c.N != 3 || c.A != 4 || c.B != 2 || c.Diff != 2 || !(math.Abs(c.SE-1/math.Sqrt(3)) <= 1e-15) || !(math.Abs(c.P-.0741799) <= 1e-6) {
		t.Errorf("%+v", c)
	}
	if c := PairedTest([]float64{1, 2}, []float64{1, 2}); c.P != 1 {
		t.Errorf("p = %g of equal results", c.P)
	}
}

func ExampleNewCurlField() {
	f, err := NewCurlField(60, 100, 1)
	if err != nil {
		panic(err)
	}
	fmt.Println("curl-free is better:", f.CurlFree > f.Independent)
	// Output: curl-free is better: true
}

// The scores with many draws tend to those of the exact kernel, for the field and for R^20.
func TestExactKernelsAreTheLimitOfManyDraws(t *testing.T) {
	exact, err := exactCurlField(60, 3)
	if err != nil {
		t.Fatal(err)
	}
	many, err := NewCurlField(60, 2000, 3)
	if err != nil {
		t.Fatal(err)
	}
	// 2000 draws have errors of a few hundredths of the kernel.
	if !(math.Abs(exact.CurlFree-many.CurlFree) <= .03) || !(math.Abs(exact.Independent-many.Independent) <= .03) {
		t.Errorf("exact %+v, 2000 draws %+v", exact, many)
	}
	rows, err := NewFigure68(100, 1, proceed)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1 || len(rows[0].R2) != len(Figure68Draws) {
		t.Fatalf("%+v", rows)
	}
	r := rows[0]
	if !(r.R2[0] < r.R2[1] && r.R2[1] < r.R2[2]) || !(math.Abs(float64(r.R2[2]-r.Exact)) <= .05) {
		t.Errorf("R^2 %v, exact %v: must grow with the draws towards the exact one", r.R2, r.Exact)
	}
}

// Both quantile regressions have the nominal share of new targets below each level. With 300 points, the share of a
// level differs by up to .08: three standard errors of the fit and the test.
func TestQuantilesOfTheThesis(t *testing.T) {
	clock := time.Unix(0, 0)
	rows, err := NewFigure91(300, 1, func() time.Time { clock = clock.Add(time.Second); return clock })
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if !(r.Coverage > 0 && r.Coverage <= .08) || !(r.Crossing <= .01) || r.Seconds != 1 {
			t.Errorf("%+v", r)
		}
	}
	if d := rows[0].Pinball/rows[1].Pinball - 1; !(math.Abs(float64(d)) <= .05) {
		t.Errorf("pinball losses %g and %g, as good as each other in the thesis", rows[0].Pinball, rows[1].Pinball)
	}
	if _, err := NewFigure91(0, 1, time.Now); err == nil {
		t.Error("quantiles of no points were learnt")
	}
}
