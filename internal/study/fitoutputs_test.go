package study

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/orff"
)

// stores returns the levels of eight stores: two flows, functions of the levels, that a known
// matrix adds to the stores, and a small random change of each.
func stores(rows int, seed uint64) (s *Series, v *labelled, flows [][2]float64) {
	rng := rand.New(rand.NewPCG(seed, 21))
	s, v = &Series{}, &labelled{columns: []string{"first", "second"}}
	y := make([]float64, 8)
	for j := range y {
		name := fmt.Sprint("s", j)
		s.Variables, v.rows = append(s.Variables, name), append(v.rows, name)
		v.values = append(v.values, map[bool]float64{true: 1, false: -1}[j < 4], map[bool]float64{true: 1, false: -1}[j%2 == 0])
	}
	for range rows {
		s.Rows = append(s.Rows, append([]float64(nil), y...))
		var a, b float64
		for j := range y {
			a, b = a+v.at(j, 0)*y[j]/8, b+v.at(j, 1)*y[j]/8
		}
		first, second := -a/2+math.Sin(2*b), -b/2-math.Sin(2*a)
		for j := range y {
			y[j] += v.at(j, 0)*first + v.at(j, 1)*second + .1*rng.NormFloat64()
		}
		flows = append(flows, [2]float64{first, second})
	}
	return s, v, flows
}

// spreads returns variables with a common shock that is far larger than the noise of each, and
// differences that follow from the last row.
func spreads(rows int, seed uint64) *Series {
	rng := rand.New(rand.NewPCG(seed, 22))
	s := &Series{Variables: []string{"a", "b", "c", "d"}}
	y := make([]float64, 4)
	for range rows {
		shock := 2 * rng.NormFloat64()
		next := make([]float64, 4)
		for j := range y {
			next[j] = math.Sin(2*(y[j]-y[(j+1)%4])) + shock + .1*rng.NormFloat64()
		}
		y = next
		s.Rows = append(s.Rows, y)
	}
	return s
}

// fitSeriesWithGaps returns three variables that drive each other. Of each, three in ten values of
// the rows that are learnt are missing.
func fitSeriesWithGaps(rows int, seed uint64) *Series {
	rng := rand.New(rand.NewPCG(seed, 23))
	s := &Series{Variables: []string{"a", "b", "c"}}
	x := make([]float64, 3)
	for t := range rows {
		next, row := make([]float64, 3), make([]float64, 3)
		for j := range x {
			next[j] = x[j]/2 + math.Sin(2*x[(j+1)%3]) + .3*rng.NormFloat64()
			row[j] = next[j]
			if 4*t < 3*rows && rng.Float64() < .3 {
				row[j] = math.NaN()
			}
		}
		x = next
		s.Rows = append(s.Rows, row)
	}
	return s
}

func (m *labelled) write(t *testing.T) string {
	t.Helper()
	text := "variable," + strings.Join(m.columns, ",")
	for i, name := range m.rows {
		text += "\n" + name
		for j := range m.columns {
			text += fmt.Sprintf(",%.17g", m.at(i, j))
		}
	}
	path := filepath.Join(t.TempDir(), "matrix.csv")
	if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// normalEquations returns the test forecasts V Phi(x)^T theta, with theta the solution of
// (1/N sum Phi V^T P V Phi^T + lambda I + manifold/n^2 sum_ik Phi_i L_ik Phi_k^T) theta
// = 1/N sum Phi V^T P y by a dense solver: appendix B for P = I, remark 6.2 for P the inverse of
// Sigma. A missing target has no row in V.
func normalEquations(s *fixedSet, m orff.Map, v, p *mat.Dense, lambda, manifold float64) []float64 {
	d := m.Dims()
	design := func(x []float64) *mat.Dense { // Phi
		phi, unit, g := make([]float64, d.Features), make([]float64, d.Out), mat.NewDense(d.Params, d.Out, nil)
		column := make([]float64, d.Params)
		m.FeaturesTo(phi, x)
		for k := range unit {
			unit[k] = 1
			clear(column)
			m.AddGradient(column, 1, phi, unit)
			g.SetCol(k, column)
			unit[k] = 0
		}
		return g
	}
	x, y := s.part(0, s.train)
	x, y = append(slices.Clone(x), s.partX...), append(slices.Clone(y), s.partY...)
	n := len(x) / s.in
	phi := make([]*mat.Dense, n)
	a, b := mat.NewDense(d.Params, d.Params, nil), mat.NewVecDense(d.Params, nil)
	for i := range n {
		phi[i] = design(x[i*s.in : (i+1)*s.in])
		seen, target := mat.DenseCopyOf(v), mat.NewVecDense(s.out, slices.Clone(y[i*s.out:(i+1)*s.out]))
		for j := range s.out {
			if math.IsNaN(target.AtVec(j)) {
				seen.SetRow(j, make([]float64, d.Out))
				target.SetVec(j, 0)
			}
		}
		var g, gp, ggt mat.Dense
		var gy mat.VecDense
		g.Mul(phi[i], seen.T())
		gp.Mul(&g, p)
		ggt.Mul(&gp, g.T())
		a.Add(a, &ggt)
		gy.MulVec(&gp, target)
		b.AddVec(b, &gy)
	}
	a.Scale(1/float64(n), a) // every pair has a known target
	b.ScaleVec(1/float64(n), b)
	for i := range n {
		for j := range i {
			if manifold > 0 {
				var square float64
				for k := range s.in {
					square += (x[i*s.in+k] - x[j*s.in+k]) * (x[i*s.in+k] - x[j*s.in+k])
				}
				var diff, outer mat.Dense
				diff.Sub(phi[i], phi[j])
				outer.Mul(&diff, diff.T())
				outer.Scale(manifold/float64(n*n)*math.Exp(-square/2), &outer)
				a.Add(a, &outer)
			}
		}
	}
	for i := range d.Params {
		a.Set(i, i, a.At(i, i)+lambda)
	}
	var theta mat.VecDense
	if err := theta.SolveVec(a, b); err != nil {
		panic(err)
	}
	var h []float64
	for i := s.train; i < s.train+s.test; i++ {
		var hidden, seen mat.VecDense
		hidden.MulVec(design(s.x[i*s.in:(i+1)*s.in]).T(), &theta)
		seen.MulVec(v, &hidden)
		h = append(h, seen.RawVector().Data...)
	}
	return h
}

func unitMatrix(n int) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	for i := range n {
		m.Set(i, i, 1)
	}
	return m
}

// The lines of --output-map and --error-covariance are those of the normal equations of the
// papers, solved without any of their structure. 1e-6: conjugate gradients end at a residual of
// 1e-8, and the inverse of the matrix has a norm of 1/lambda = 100.
func TestOutputOptionsSolveTheNormalEquations(t *testing.T) {
	const lambda = 1e-2
	series, v, _ := stores(120, 1)
	s4 := spreads(120, 1)
	gaps, _, _ := stores(160, 2)
	for i := 20; i < 100; i += 3 {
		gaps.Rows[i][i%8] = math.NaN()
	}
	sigma := &labelled{rows: []string{"b", "a", "d", "c"}, columns: []string{"a", "b", "c", "d"}, values: []float64{
		3, 9, 2, 1, // b
		5, 3, 1, 0, // a
		0, 1, .5, 4, // d
		1, 2, 6, .5, // c
	}}
	for _, test := range []struct {
		name   string
		series *Series
		v      *labelled
		sigma  *labelled
		change func(*config.Model)
	}{
		{"V", series, v, nil, func(*config.Model) {}},
		{"V and Gamma of the hidden functions", series, v, nil, func(c *config.Model) {
			c.Kernel.Operator.Gamma, c.Kernel.Operator.Matrix = "matrix", []float64{2, .5, .5, 1}
		}},
		{"V by blocks", series, v, nil, func(c *config.Model) { c.Optimiser.Blocks = 2 }},
		{"manifold, V and missing values", gaps, v, nil, func(c *config.Model) { c.Optimiser.Step, c.Optimiser.Manifold = "plain", 10 }},
		{"Sigma", s4, nil, sigma, func(*config.Model) {}},
		{"Sigma, curl-free", s4, nil, sigma, func(c *config.Model) { c.Kernel.Operator.Name = "curl_free" }},
	} {
		c := fitConfig()
		c.Kernel.Lambda = lambda
		test.change(&c)
		o := FitOptions{Iterations: 1}
		if test.v != nil {
			o.OutputMap = test.v.write(t)
		} else {
			o.ErrorCovariance = test.sigma.write(t)
		}
		got, err := FitFile(c, test.series, o, continues)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		s, err := newFixedSet(test.series.Rows, c)
		if err != nil {
			t.Fatal(err)
		}
		vm, p, line := unitMatrix(s.out), unitMatrix(s.out), got.Results[0]
		if test.v != nil { // columns of the same norm, of a mean square of 1 per variable
			s.hidden = 2
			vm = mat.NewDense(8, 2, nil)
			for k := range 2 {
				var square float64
				for j := range 8 {
					vm.Set(j, k, v.at(j, k)/s.unit[j])
					square += vm.At(j, k) * vm.At(j, k)
				}
				for j := range 8 {
					vm.Set(j, k, vm.At(j, k)*math.Sqrt(4/square))
				}
			}
		} else { // the mean 1 of the diagonal
			cov, trace := mat.NewDense(4, 4, nil), 0.
			for i, row := range []int{1, 0, 3, 2} {
				for j := range 4 {
					cov.Set(i, j, sigma.at(row, j)/(s.unit[i]*s.unit[j]))
				}
				trace += cov.At(i, i)
			}
			cov.Scale(4/trace, cov)
			if err := p.Inverse(cov); err != nil {
				t.Fatal(err)
			}
			line = got.Results[1]
		}
		if c.Optimiser.Manifold > 0 {
			if line = got.Results[1]; line.Method != "Algorithm 6, manifold" || len(s.partX)/s.in != 27 {
				t.Errorf("%s: line %q, %d targets that miss a value", test.name, line.Method, len(s.partX)/s.in)
			}
		}
		maps, err := s.maps(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, y := s.part(s.train, s.train+s.test)
		want := nmse(normalEquations(s, maps, vm, p, lambda, c.Optimiser.Manifold), y)
		if !(math.Abs(float64(line.Test/want-1)) <= 1e-6) {
			t.Errorf("%s: %s has an nmse of %.10g, the normal equations %.10g", test.name, line.Method, line.Test, want)
		}
		if line.Method != got.Results[0].Method && !(math.Abs(float64(line.Test/got.Results[0].Test-1)) >= 1e-4) {
			t.Errorf("%s changes nothing", test.name)
		}
	}
}

// The flows behind eight stores follow from the levels, whose forecasts have less error than those
// of independent variables. The errors of differences below a common shock fall by a third, and
// rows that miss values teach something. The figures are those of docs/kernels.md.
func TestOutputOptionsHelp(t *testing.T) {
	const files = 10
	mean := make(map[string]float64)
	c := config.Default().Model
	c.Order = 1
	for seed := range uint64(files) {
		series, v, flows := stores(400, seed)
		f, err := FitFile(c, series, FitOptions{Iterations: 1, OutputMap: v.write(t)}, continues)
		if err != nil {
			t.Fatal(err)
		}
		mean["stores, V"] += float64(f.Results[0].Test) / files
		mean["stores, independent"] += float64(f.Results[1].Test) / files
		for k, h := range f.Hidden {
			var rest, all float64
			first := len(series.Rows) - 1 - len(h.Test)
			for i, got := range h.Test {
				want := flows[first+i][k]
				rest, all = rest+(float64(got)-want)*(float64(got)-want), all+want*want
			}
			mean["stores, share of the flows that is not known"] += rest / all / 2 / files
		}
		gaps, semi := fitSeriesWithGaps(200, seed), c
		semi.Optimiser.Step, semi.Optimiser.Manifold = "plain", .1
		f, err = FitFile(semi, gaps, FitOptions{Iterations: 1}, continues)
		if err != nil {
			t.Fatal(err)
		}
		mean["gaps, complete rows"] += float64(f.Results[0].Test) / files
		mean["gaps, Algorithm 6"] += float64(f.Results[1].Test) / files
		f, err = FitFile(c, spreads(1000, seed), FitOptions{Iterations: 1, ErrorCovariance: residuals}, continues)
		if err != nil {
			t.Fatal(err)
		}
		mean["spreads, Euclidean"] += float64(f.Results[0].Test) / files
		mean["spreads, Mahalanobis"] += float64(f.Results[1].Test) / files
		mean["spreads, Euclidean, in the metric"] += float64(*f.Results[0].Mahalanobis) / files
		mean["spreads, Mahalanobis, in the metric"] += float64(*f.Results[1].Mahalanobis) / files
	}
	for name, v := range mean {
		t.Logf("%s: %.3f", name, v)
	}
	if !(mean["gaps, Algorithm 6"] <= .95*mean["gaps, complete rows"]) {
		t.Error("no gain by incomplete rows")
	}
	if !(mean["stores, V"] <= .9*mean["stores, independent"]) || !(mean["stores, share of the flows that is not known"] <= .15) {
		t.Error("no gain by V")
	}
	if !(mean["spreads, Mahalanobis, in the metric"] <= .7*mean["spreads, Euclidean, in the metric"]) {
		t.Error("no gain by Mahalanobis")
	}
}

// Plain steps have a rate that a matrix between the variables does not make too long, whether V or
// Gamma couples them: the distance from the closed form falls.
func TestPlainStepsConvergeWithCoupledVariables(t *testing.T) {
	series, v, _ := stores(400, 1)
	coupled := make([]float64, 64)
	for i := range coupled {
		coupled[i] = 1.9
		if i%9 == 0 {
			coupled[i] = 2
		}
	}
	for name, matrix := range map[string][]float64{"V": nil, "Gamma": coupled} {
		c, o := fitConfig(), FitOptions{Iterations: 1000}
		c.Optimiser.Step = "plain"
		if matrix == nil {
			o.OutputMap = v.write(t)
		} else {
			c.Kernel.Operator.Gamma, c.Kernel.Operator.Matrix = "matrix", matrix
		}
		f, err := FitFile(c, series, o, continues)
		if err != nil {
			t.Fatal(err)
		}
		steps := f.Results[len(f.Results)-3:]
		if !(steps[2].Gap < steps[1].Gap && steps[1].Gap < steps[0].Gap) || !(steps[2].Test < 1) {
			t.Errorf("%s: %+v", name, steps)
		}
	}
}

func TestOutputOptionsRefuse(t *testing.T) {
	s := spreads(100, 1)
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "m.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	field := fitConfig()
	field.Kernel.Operator.Name = "curl_free"
	unknown := fitConfig()
	unknown.Kernel.Operator.Name = "none"
	const unit = "x,a,b,c,d\na,1,0,0,0\nb,0,1,0,0\nc,0,0,1,0\nd,0,0,0,1\n"
	for _, c := range []struct {
		model config.Model
		o     FitOptions
		want  string
	}{
		{fitConfig(), FitOptions{OutputMap: "missing.csv"}, "--output-map: open missing.csv"},
		{fitConfig(), FitOptions{OutputMap: file("x\n")}, "first row with the names of the columns"},
		{fitConfig(), FitOptions{OutputMap: file("x,h\n")}, "one row per variable"},
		{fitConfig(), FitOptions{OutputMap: file("x,h\na,1\nb,1,2\n")}, "wrong number of fields"},
		{fitConfig(), FitOptions{OutputMap: file("x,h\na,1\nb,1\nc,one\nd,1\n")}, `row "c", column "h": "one" is no finite number`},
		{fitConfig(), FitOptions{OutputMap: file("x,h\na,1\nb,1\nc,NaN\nd,1\n")}, "no finite number"},
		{fitConfig(), FitOptions{OutputMap: file("x,h\na,1\nb,1\nc,1\n")}, `no row for the variable "d"`},
		{fitConfig(), FitOptions{OutputMap: file("x,h\na,1\nb,1\nc,1\nd,1\ne,1\n")}, `the row "e" is no variable of the data, which are a, b, c, d`},
		{fitConfig(), FitOptions{OutputMap: file("x,h,h\na,1,1\nb,1,1\nc,1,1\nd,1,1\n")}, `the name "h" stands there twice`},
		{fitConfig(), FitOptions{OutputMap: file("x,h,g\na,1,0\nb,1,0\nc,1,0\nd,1,0\n")}, `no variable shows the hidden function "g"`},
		{unknown, FitOptions{}, `no operator "none"`},
		{field, FitOptions{OutputMap: file(unit)}, "needs model.kernel.operator.name: decomposable"},
		{fitConfig(), FitOptions{OutputMap: file(unit), Class: "a"}, "leave out --output-map, --error-covariance and model.optimiser.manifold"},
		{fitConfig(), FitOptions{ErrorCovariance: file(strings.Replace(unit, "a,1,0", "a,1,.5", 1))}, "a covariance is symmetric, but (a, b) is 0.5 and (b, a) is 0"},
		{fitConfig(), FitOptions{ErrorCovariance: file(strings.Replace(unit, "a,1", "a,-1", 1))}, "positive definite"},
		{fitConfig(), FitOptions{ErrorCovariance: file(strings.Replace(unit, "x,a", "x,e", 1))}, `no column for the variable "a"`},
	} {
		c.o.Iterations = 1
		if _, err := FitFile(c.model, s, c.o, continues); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %s", c.o, err, c.want)
		}
	}
}
