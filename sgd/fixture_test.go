package sgd_test

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/sgd"
)

// The fixture of all golden numbers: d = p = D = 2, N = 3.
var (
	fixW      = []float64{1, .5, -.3, .8}
	fixB      = []float64{1, 0, .5, .8}
	fixX      = []float64{.1, .2, -.4, .3, .5, -.6}
	fixY      = []float64{1, 0, .5, -1, -.2, .7}
	fixLambda = .1

	// Ridge solution at lambda = 0.1 and 0.05, p' x r row-major.
	fixTheta = []float64{
		0.2211349788772778, 0.35125135701166316, 0.29433932605373997, 0.30495554908504485,
		-0.213359572503337, -0.3205985007004207, 0.5092387057491907, -0.933763625607645,
	}
	fixThetaHalf = []float64{
		0.18425676047484654, 0.43273193075568844, 0.4997371240604267, 0.5744399980179409,
		-0.23422284007437624, -0.3940502942115737, 0.7985277558797612, -1.4046866296592582,
	}
	fixPrediction = []float64{
		0.4688282791472969, -0.07494642164791936, 0.40842680357722966, -0.3398076266824295, 0.2682487317792164, 0.23772007119462887,
	}
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// fixMap is the whole map of the fixture.
func fixMap() *orff.Decomposable {
	return orff.NewDecomposable(orff.FourierOf(fixW, 2), must(coupling.FromFactor(2, 2, fixB)))
}

// fixBlocks is the map of the fixture as two blocks of one frequency.
func fixBlocks() *orff.Blocks {
	i := 0
	return must(orff.NewBlocks(2, 1, true, func(random.Rand) (orff.Map, error) {
		i++
		return orff.NewDecomposable(orff.FourierOf(fixW[2*(i-1):2*i], 2), must(coupling.FromFactor(2, 2, fixB))), nil
	}))
}

// maps lists the blocks of b.
func maps(b *orff.Blocks) []sgd.Map {
	m := make([]sgd.Map, b.Blocks())
	for i := range m {
		m[i] = b.Block(i)
	}
	return m
}

// matrix turns the weights of the blocks of fixBlocks into Theta, p' x r
// row-major with all cosines first.
func matrix(blocks []float64) []float64 {
	theta := make([]float64, 8)
	for j := range 2 {
		for trig := range 2 { // cos, sin
			for i := range 2 {
				theta[4*i+2*trig+j] = blocks[4*j+2*i+trig]
			}
		}
	}
	return theta
}

// colMajor turns p' x r row-major into vec(Theta), the layout of the bilinear models.
func colMajor(theta []float64, rows int) []float64 {
	cols := len(theta) / rows
	v := make([]float64, len(theta))
	for i := range rows {
		for c := range cols {
			v[c*rows+i] = theta[i*cols+c]
		}
	}
	return v
}

func fixConfig() sgd.DoublyStochasticConfig {
	m := maps(fixBlocks())
	return sgd.DoublyStochasticConfig{Blocks: m, Batch: 1, Lambda: fixLambda, Rate: sgd.Constant(.5), Decay: sgd.DecayBlock}
}

// near fails when a number is further than tol from the wanted one.
func near(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tol) {
			t.Fatalf("%s: entry %d is %.16g, want %.16g +- %g", what, i, got[i], want[i], tol)
		}
	}
}

// same fails unless the bits are equal.
func same(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Fatalf("%s: entry %d is %v, want %v, bit for bit", what, i, got[i], want[i])
		}
	}
}

// restore copies the state of from into to.
func restore(t *testing.T, from, to snapshot.Stateful) {
	t.Helper()
	e := snapshot.NewEncoder(nil)
	from.State(e)
	d := snapshot.NewDecoder(e.Bytes())
	to.State(d)
	if err := d.Finish(); err != nil {
		t.Fatal(err)
	}
}

// source is a small deterministic generator of test data.
type source struct{ s uint64 }

func (r *source) uniform() float64 {
	r.s += 0x9E3779B97F4A7C15
	z := r.s
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return (float64((z^z>>31)>>11) + .5) / (1 << 53)
}

func (r *source) normal() float64 {
	return math.Sqrt(-2*math.Log(r.uniform())) * math.Cos(2*math.Pi*r.uniform())
}

func (r *source) normals(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.normal()
	}
	return v
}

var errCorrupt = snapshot.ErrCorrupt

func snapshotBytes(s snapshot.Stateful) []byte {
	e := snapshot.NewEncoder(nil)
	s.State(e)
	return e.Bytes()
}

func decode(b []byte, s snapshot.Stateful) error {
	d := snapshot.NewDecoder(b)
	s.State(d)
	return d.Finish()
}
