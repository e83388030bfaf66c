package interval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/detection"
	"github.com/orffvar/forecaster/eval/simulate"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/sgd/batch"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/auto"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/kernel"
)

// C8.4: Influence of variable j on i (section 8.4; Lim et al. 2015): mean |J_ij| sd_j/sd_i over
// the recent samples; for a linear model it ranks |A_ij|, and ridge ORFFVAR finds the edges of
// simulated graphs.
//
// For x_{t+1} = A x_t + u the Jacobian of VAR(1) estimates A: the influences are
// |A_ij| sd_j/sd_i, in sign and in size. A coefficient of 20,000 samples has a
// standard error of about .007/sqrt(1-.81); the ridge of 100 adds half a per cent.
func TestC8_4_InfluenceOfALinearModel(t *testing.T) {
	g := simulate.NewSetting(simulate.SettingConfig{Setting: 1, Seed: 4})
	a := g.A()
	d := g.Dim()
	data := simulate.Collect("linear", g, 20_000)
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
		g := simulate.NewSetting(simulate.SettingConfig{Setting: 2, Seed: 100 + seed})
		d, a := g.Dim(), g.A()
		rows := simulate.Collect("bump", g, 1000).Series[0].Rows
		s, err := orff.NewFourier(spectrum.Gaussian{Sigma: 1}, d, 100, random.Block(seed, 1))
		if err != nil {
			t.Fatal(err)
		}
		mp := orff.NewDecomposable(s, coupling.Identity(d))
		n, r := len(rows)-1, s.Len()
		phi, y := make([]float64, n*r), make([]float64, 0, n*d)
		for i := range n {
			s.FeaturesTo(phi[i*r:(i+1)*r], rows[i])
			y = append(y, rows[i+1]...)
		}
		ridge, err := batch.NewRidge(n, phi, y, mp.Output().Factor())
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
		mean += detection.AUROC(offDiagonal(sum, edges)) / 8
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
			g := simulate.NewNetwork(seed + 1)
			rows := simulate.Collect("network", g, 3000).Series[0].Rows
			graph, err := InfluenceGraph(newModel, rows, 0)
			if err != nil {
				t.Fatal(err)
			}
			auroc += detection.AUROC(offDiagonal(graph.Influence, g.Edges())) / 4
		}
		return auroc
	}
	const d = 10
	kernel := run(func() (eval.Model, error) { return networkModel(d) })
	linear := run(func() (eval.Model, error) {
		return varmodel.NewVAR(varmodel.VARConfig{Dim: d, Order: 1, Horizon: 1})
	})
	t.Logf("AUROC %.3f, VAR(1) %.3f", kernel, linear)
	if !(kernel >= .9) || !(kernel >= linear) {
		t.Errorf("AUROC %.3f, want at least .9 and more than the %.3f of VAR(1)", kernel, linear)
	}
}

func networkModel(d int) (eval.Model, error) {
	return kernel.NewVAR(kernel.VARConfig{Dim: d, Order: 1, Horizon: 1, Seed: 1, Map: modeltest.GaussianMap(d, 1, 100, coupling.Identity(d))})
}

// edgesOf counts the edges of a graph: those that there are and that it finds, and others.
func edgesOf(g *Graph, truth [][]bool) (edges, found, pairs, wrong int) {
	for i, row := range truth {
		for j, e := range row {
			switch {
			case i == j:
			case e:
				edges++
				if g.Edge(i, j) {
					found++
				}
			default:
				pairs++
				if g.Edge(i, j) {
					wrong++
				}
			}
		}
	}
	return edges, found, pairs, wrong
}

// A network of tanh, sin and even bumps in which variables have common causes.
func TestEdgesOfANetwork(t *testing.T) {
	g := simulate.NewNetwork(2)
	rows := simulate.Collect("network", g, 2000).Series[0].Rows
	graph, err := InfluenceGraph(func() (eval.Model, error) { return networkModel(10) }, rows, 2)
	if err != nil {
		t.Fatal(err)
	}
	edges, found, pairs, wrong := edgesOf(graph, g.Edges())
	t.Logf("found %d of %d edges, %d of %d others", found, edges, wrong, pairs)
	// .5 % of 75 pairs are .4; At least four of five edges are found, and at most 8 % of the others.
	if found < (4*edges+4)/5 || wrong > pairs*8/100 {
		t.Errorf("found %d of %d edges and %d of %d others", found, edges, wrong, pairs)
	}
}

// simulated returns rows of variables that follow coefficient times their own past, missing with probability
// gap. Odd ones follow the one before by edge as well.
func simulated(rng *rand.Rand, rows, d int, coefficient, edge, gap float64) (x [][]float64, truth [][]bool) {
	truth = make([][]bool, d)
	for i := range truth {
		truth[i] = make([]bool, d)
		if edge != 0 && i%2 == 1 {
			truth[i][i-1] = true
		}
	}
	now := make([]float64, d)
	for range rows {
		next, seen := make([]float64, d), make([]float64, d)
		for i := range next {
			next[i] = coefficient*now[i] + rng.NormFloat64()
			if i%2 == 1 {
				next[i] += edge * math.Tanh(now[i-1])
			}
			if seen[i] = next[i]; rng.Float64() < gap {
				seen[i] = math.NaN()
			}
		}
		now = next
		x = append(x, seen)
	}
	return x, truth
}

// Variables that follow their own past alone, and some with edges. Each pair without an edge is one with
// probability .005: .6 of 112, and 4 are 4 standard deviations of binomial counts above.
func TestEdgesAreNotChance(t *testing.T) {
	const d, seeds, n = 8, 2, 1000
	for _, c := range []struct {
		name                   string
		coefficient, edge, gap float64
	}{
		{"white noise", 0, 0, 0}, {"AR(.4)", .4, 0, 0}, {"AR(.95)", .95, 0, 0}, {"walk", 1, 0, 0},
		{"edges", .5, .5, 0}, {"edges and gaps", .5, .5, .05}, {"weak edges", .8, .3, 0},
	} {
		var edges, found, wrong int
		for seed := range uint64(seeds) {
			rows, truth := simulated(rand.New(rand.NewPCG(35, seed)), n, d, c.coefficient, c.edge, c.gap)
			g, err := InfluenceGraph(func() (eval.Model, error) {
				return auto.NewORFFVAR(auto.ORFFVARConfig{Dim: d, Order: 3, Horizon: 1, Seed: seed})
			}, rows, 2)
			if err != nil {
				t.Fatal(err)
			}
			e, f, _, w := edgesOf(g, truth)
			edges, found, wrong = edges+e, found+f, wrong+w
		}
		t.Logf("%s: found %d of %d edges, %d of %d others", c.name, found, edges, wrong, seeds*d*(d-1)-edges)
		if wrong > 4 || found < (4*edges+4)/5 {
			t.Errorf("%s: found %d of %d edges and %d others", c.name, found, edges, wrong)
		}
	}
}

// Of variables with the same season, at the same phase, none is an edge: a surrogate keeps the phase.
func TestSurrogatesKeepTheSeason(t *testing.T) {
	rows, _ := simulated(rand.New(rand.NewPCG(37, 38)), 1000, 2, 0, 0, 0)
	for t, row := range rows {
		row[0] += 3 * math.Sin(2*math.Pi*float64(t)/24)
	}
	for k, s := range surrogatesOf(rows, 0, 2) {
		var same, own float64
		for i, row := range s {
			same += row[0] * math.Sin(2*math.Pi*float64(i)/24)
			own += rows[i][0] * math.Sin(2*math.Pi*float64(i)/24)
			if row[1] != rows[i][1] {
				t.Fatal("another variable is shifted")
			}
		}
		// The join of end and beginning is one sixteenth of a day off.
		if !(same >= .8*own) {
			t.Errorf("surrogate %d has %.0f of the season's %.0f", k, same, own)
		}
	}
}

// Errors of 1 without the source and of 1 and 2, in turn, with it have products of 2 and 4 in both orders of the two
// surrogates: mean 3 and variance 20/19 in 20 batches of one row, behind a tenth of the rows. Fewer rows, or equal products,
// are no evidence.
func TestEvidenceIsStudentsT(t *testing.T) {
	repeated := func(rows int, values ...float64) (x [][]float64) {
		for t := range rows {
			x = append(x, values[t%len(values):][:1])
		}
		return x
	}
	for _, c := range []struct {
		rows int
		with []float64
		want float64
	}{{22, []float64{0, 1}, 3 * math.Sqrt(19)}, {21, []float64{0, 1}, 0}, {22, []float64{0}, 0}} {
		one := repeated(c.rows, -1)
		got := evidenceOf(0, repeated(c.rows, 0), repeated(c.rows, c.with...), [][][]float64{one, one})
		if !(math.Abs(got-c.want) <= 1e-12) { // rounding of 20 terms
			t.Errorf("%d rows, %v: t = %v, want %v", c.rows, c.with, got, c.want)
		}
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
		return auto.NewORFFVAR(auto.ORFFVARConfig{Dim: 2, Order: 1, Horizon: 1})
	}
	g, err := InfluenceGraph(newModel, rows, 2)
	if err != nil {
		panic(err)
	}
	fmt.Printf("first -> second: %t, %.0f\n", g.Edge(1, 0), math.Abs(g.Influence[2]))
	fmt.Printf("second -> first: %.0f\n", math.Abs(g.Influence[1]))
	// Output:
	// first -> second: true, 1
	// second -> first: 0
}
