package interval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/sgd"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/auto"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/kernel"
)

// For x_{t+1} = A x_t + u the Jacobian of VAR(1) estimates A: the influences are
// |A_ij| sd_j/sd_i, in sign and in size. A coefficient of 20,000 samples has a
// standard error of about .007/sqrt(1-.81); the ridge of 100 adds half a per cent.
func TestC8_4_InfluenceOfALinearModel(t *testing.T) {
	g := eval.NewSetting(eval.SettingConfig{Setting: 1, Seed: 4})
	a := g.A()
	d := g.Dim()
	data := eval.Collect("linear", g, 20_000)
	m, err := varmodel.NewVAR(varmodel.VARConfig{Dim: d, Order: 1, Horizon: 1})
	if err != nil {
		t.Fatal(err)
	}
	if m, err = NewInfluence(m, d, 1); err != nil {
		t.Fatal(err)
	}
	f := m.NewSeries()
	rows := data.Series[0].Rows
	modeltest.Record(t, f, rows, d)
	s := make([]float64, d*d)
	modeltest.As[eval.Influencer](t, f).InfluenceTo(s)
	for i := range d {
		for j := range d {
			want := a[i][j] * modeltest.ColumnSD(rows, j) / modeltest.ColumnSD(rows, i)
			if !(math.Abs(s[i*d+j]-want) <= .05) {
				t.Errorf("influence of %d on %d: %.3f, want %.3f", j, i, s[i*d+j], want)
			}
		}
	}
}

// offDiagonal returns the absolute influences between different variables and
// whether there is an edge.
func offDiagonal(s []float64, edges [][]bool) (score []float64, label []bool) {
	for i := range edges {
		for j := range edges {
			if i != j {
				score, label = append(score, math.Abs(s[i*len(edges)+j])), append(label, edges[i][j])
			}
		}
	}
	return score, label
}

// The closed form ridge over 100 frequencies on Setting 2, 8 draws of A: the spec
// asks for a mean AUROC of .85 and measured .947.
func TestC8_4_InfluenceByRidgeOnSetting2(t *testing.T) {
	var mean float64
	for seed := range uint64(8) {
		g := eval.NewSetting(eval.SettingConfig{Setting: 2, Seed: 100 + seed})
		d, a := g.Dim(), g.A()
		rows := eval.Collect("bump", g, 1000).Series[0].Rows
		s, err := orff.NewFourier(orff.Gaussian{Sigma: 1}, d, 100, orff.BlockRand(seed, 1))
		if err != nil {
			t.Fatal(err)
		}
		mp := orff.NewDecomposable(s, orff.Identity(d))
		n, r := len(rows)-1, s.Len()
		phi, y := make([]float64, n*r), make([]float64, 0, n*d)
		for i := range n {
			s.FeaturesTo(phi[i*r:(i+1)*r], rows[i])
			y = append(y, rows[i+1]...)
		}
		ridge, err := sgd.NewRidge(n, phi, y, mp.Output().Factor())
		if err != nil {
			t.Fatal(err)
		}
		theta := make([]float64, d*r)
		if err := ridge.SolveTo(theta, 1e-4); err != nil {
			t.Fatal(err)
		}
		jacobian, err := orff.NewJacobian(mp)
		if err != nil {
			t.Fatal(err)
		}
		j, sum, sd := make([]float64, d*d), make([]float64, d*d), make([]float64, d)
		for k := range sd {
			sd[k] = modeltest.ColumnSD(rows, k)
		}
		for i := range n {
			jacobian.To(j, rows[i], phi[i*r:(i+1)*r], theta)
			for k, v := range j {
				sum[k] += math.Abs(v) * sd[k%d] / sd[k/d]
			}
		}
		edges := make([][]bool, d)
		for i := range edges {
			edges[i] = make([]bool, d)
			for k := range edges {
				edges[i][k] = a[i][k] != 0
			}
		}
		mean += eval.AUROC(offDiagonal(sum, edges)) / 8
	}
	t.Logf("mean AUROC %.3f", mean)
	if !(mean >= .85) {
		t.Errorf("mean AUROC %.3f, want at least .85", mean)
	}
}

// The network of ten variables: tanh, sin and even bumps, of which a linear model
// sees a part. Learnt online, one pass.
func TestC8_4_InfluenceOfANetwork(t *testing.T) {
	run := func(newModel func() (eval.Model, error)) (auroc float64) {
		for seed := range uint64(4) {
			g := eval.NewNetwork(seed + 1)
			rows := eval.Collect("network", g, 3000).Series[0].Rows
			graph, err := InfluenceGraph(newModel, rows, 0, 1)
			if err != nil {
				t.Fatal(err)
			}
			auroc += eval.AUROC(offDiagonal(graph.Influence, g.Edges())) / 4
		}
		return auroc
	}
	const d = 10
	kernel := run(func() (eval.Model, error) { return networkModel(d) })
	linear := run(func() (eval.Model, error) {
		m, err := varmodel.NewVAR(varmodel.VARConfig{Dim: d, Order: 1, Horizon: 1})
		if err != nil {
			return nil, err
		}
		return NewInfluence(m, d, 0)
	})
	t.Logf("AUROC %.3f, VAR(1) %.3f", kernel, linear)
	if !(kernel >= .9) || !(kernel >= linear) {
		t.Errorf("AUROC %.3f, want at least .9 and more than the %.3f of VAR(1)", kernel, linear)
	}
}

func networkModel(d int) (eval.Model, error) {
	m, err := kernel.NewVAR(kernel.VARConfig{Dim: d, Order: 1, Horizon: 1, Seed: 1, Map: modeltest.GaussianMap(d, 1, 100, orff.Identity(d))})
	if err != nil {
		return nil, err
	}
	return NewInfluence(m, d, 0)
}

// The permutation null: of the 90 - edges pairs without an edge some five in a
// hundred lie above the threshold, of the edges most.
func TestInfluenceGraphThreshold(t *testing.T) {
	g := eval.NewNetwork(2)
	rows := eval.Collect("network", g, 2000).Series[0].Rows
	graph, err := InfluenceGraph(func() (eval.Model, error) { return networkModel(10) }, rows, 20, 1)
	if err != nil {
		t.Fatal(err)
	}
	var found, edges, wrong, pairs float64
	for i, row := range g.Edges() {
		for j, e := range row {
			switch {
			case i == j:
			case e:
				edges++
				if graph.Edge(i, j) {
					found++
				}
			default:
				pairs++
				if graph.Edge(i, j) {
					wrong++
				}
			}
		}
	}
	t.Logf("found %g of %g edges, %g of %g others, threshold %.3f", found, edges, wrong, pairs, graph.Threshold)
	// 5 % of 75 pairs are 4, with a standard deviation of 2; those of common causes
	// share credit and add some.
	if !(found >= .8*edges) || !(wrong <= .15*pairs) {
		t.Errorf("found %g of %g edges and %g of %g others", found, edges, wrong, pairs)
	}
}

// Of variables that follow their own past alone 5 % of the pairs lie above the
// threshold: 4.5 of 90, with a standard deviation of 2.1.
func TestInfluenceGraphOfIndependentVariables(t *testing.T) {
	const d = 10
	rng := rand.New(rand.NewPCG(35, 36))
	rows := make([][]float64, 1500)
	x := make([]float64, d)
	for i := range rows {
		for j := range x {
			x[j] = .7*x[j] + rng.NormFloat64()
		}
		rows[i] = append([]float64(nil), x...)
	}
	graph, err := InfluenceGraph(func() (eval.Model, error) { return networkModel(d) }, rows, 20, 1)
	if err != nil {
		t.Fatal(err)
	}
	edges := 0
	for i := range d {
		for j := range d {
			if graph.Edge(i, j) {
				edges++
			}
		}
	}
	t.Logf("%d edges above %.3f", edges, graph.Threshold)
	if edges > 4+3*2 {
		t.Errorf("%d edges of 90 pairs", edges)
	}
}

func ExampleNewInfluence() {
	// The second variable follows the square of the first, whose correlation with
	// it is zero.
	rng := rand.New(rand.NewPCG(1, 2))
	rows := make([][]float64, 2000)
	x := 0.0
	for i := range rows {
		next := rng.NormFloat64()
		rows[i] = []float64{next, x*x + .1*rng.NormFloat64()}
		x = next
	}
	newModel := func() (eval.Model, error) {
		m, err := auto.NewORFFVAR(auto.ORFFVARConfig{Dim: 2, Order: 1, Horizon: 1})
		if err != nil {
			return nil, err
		}
		return NewInfluence(m, 2, 0)
	}
	g, err := InfluenceGraph(newModel, rows, 20, 1)
	if err != nil {
		panic(err)
	}
	fmt.Printf("first -> second: %t, %.0f\n", g.Edge(1, 0), math.Abs(g.Influence[2]))
	fmt.Printf("second -> first: %.0f\n", math.Abs(g.Influence[1]))
	// Output:
	// first -> second: true, 1
	// second -> first: 0
}
