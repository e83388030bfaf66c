package vec

import (
	"math"
	"unsafe"

	"github.com/orffvar/forecaster/internal/snapshot"
)

// FourierWeights are linear weights A, outputs x features, on random Fourier features
// phi, with the latest rank-1 steps kept apart:
//
//	y = (A + G^T U) phi
//
// Row k of U has the features of step k, row k of G its error times its rate. Adding
// several steps to A in one pass saves stores; see sgd.FourierNLMS.
//
// Features stand in panels of eight frequencies: eight cosines, then eight sines. Only
// the first panel may have fewer, with zeros in the free places. Behind the panels come
// the given features, also filled up with zeros.
type FourierWeights struct {
	call fourierCall

	inputs, n, given, outputs, steps int

	len  int       // places of random features in a row
	row  int       // length of a row: len and the places of given features
	w    []float64 // frequencies, inputs x len/2
	rows []float64 // A, U and the features of the last prediction, one below the other
	g    []float64 // G, steps x outputs

	sums []float64 // scratch: products of the rows of A and U with phi
}

// fourierCall has the arguments of the AVX-512 kernel, in its order. Distances are in
// bytes.
type fourierCall struct {
	a, g, w, sums *float64
	phi           int // distance from a to the features
	inputs, n     int
	rows          int     // rows of A and then of U that the kernel multiplies
	row           int     // distance from row to row
	outputs       int     // number of outputs if the kernel computes them, else 0
	kept          int     // rows of U
	limit         float64 // an angle of inputs below it is below 2^46 turns
}

// FourierSteps is the number of steps that the pass of a prediction adds to A, with at
// most fourierOutputs outputs. Another number of steps takes a pass of its own.
const FourierSteps = 3

const (
	fourierRows    = 12 // rows that the kernel multiplies at most
	fourierOutputs = 8  // outputs that the kernel computes at most
)

// Panel is the number of frequencies in a panel: their cosines fill a cache line.
const Panel = 8

// NewFourierWeights returns zero weights for the frequencies W in turns, inputs x n as
// in Features, and for given features, with room for a number of steps.
func NewFourierWeights(w []float64, inputs, given, outputs, steps int) *FourierWeights {
	if inputs < 1 || len(w) == 0 || len(w)%inputs != 0 || given < 0 || outputs < 0 || steps < 1 {
		panic("vec: NewFourierWeights: no frequencies, or not a whole number of them, or no steps")
	}
	f := &FourierWeights{inputs: inputs, n: len(w) / inputs, given: given, outputs: outputs, steps: steps}
	fill := func(n int) int { return (n + Panel - 1) / Panel * Panel }
	stride := fill(f.n)
	f.len = 2 * stride
	f.row = f.len + fill(given)
	f.sums = Aligned(max(outputs+steps, 16))
	f.w = Aligned(inputs * stride)
	f.rows = Aligned((outputs + steps + 1) * f.row)
	f.g = make([]float64, steps*outputs)
	largest := 0.0
	for i := range inputs {
		for k, v := range w[i*f.n : (i+1)*f.n] {
			f.w[i*stride+f.place(k)] = v
			largest = max(largest, math.Abs(v))
		}
	}
	f.call = fourierCall{
		w: &f.w[0], sums: &f.sums[0],
		inputs: inputs, n: f.n,
		limit: 1 << 46 / largest / float64(inputs),
	}
	if steps == FourierSteps && outputs <= fourierOutputs {
		f.call.outputs = outputs
	}
	f.point()
	return f
}

// point sets the addresses in call.
func (f *FourierWeights) point() {
	f.call.a, f.call.g = unsafe.SliceData(f.rows), unsafe.SliceData(f.g)
	f.call.row = 8 * f.row
	f.keep(f.call.kept)
}

// keep sets the number of steps in U.
func (f *FourierWeights) keep(k int) {
	all := f.outputs + k
	f.call.kept, f.call.phi = k, all*f.call.row
	f.call.rows = all - (max(all-fourierRows, 0)+7)/8*8
}

// place returns the place of frequency k among all: the first panel may be short.
func (f *FourierWeights) place(k int) int {
	if first := (f.n-1)%Panel + 1; k >= first {
		return k - first + Panel
	}
	return k
}

// Place returns the place in a row of feature j: for j < 2n that of Features, beyond
// it given feature j - 2n.
func (f *FourierWeights) Place(j int) int {
	if j >= 2*f.n {
		return f.len + j - 2*f.n
	}
	k := f.place(j % f.n)
	return k/Panel*2*Panel + k%Panel + j/f.n*Panel
}

// features returns row k of U, or the features of the last prediction for k = kept.
func (f *FourierWeights) features(k int) []float64 {
	i := (f.outputs + k) * f.row
	return f.rows[i : i+f.row]
}

// Given returns the given features of the next prediction, for the caller to set.
func (f *FourierWeights) Given() []float64 { return f.features(f.call.kept)[f.len:][:f.given] }

// Weight returns the weight of output o for the feature at the given place.
func (f *FourierWeights) Weight(o, place int) float64 {
	v := f.rows[o*f.row+place]
	for k := range f.call.kept {
		v += float64(f.g[k*f.outputs+o] * f.features(k)[place])
	}
	return v
}

// PredictTo sets y = (A + G^T U) phi, where phi has the cosines and sines of x and the
// given features. With no x the cosines and sines are zero. If U is full, its steps are
// added to A first, with the bits of AddOuters.
func (f *FourierWeights) PredictTo(y, x []float64) {
	if len(y) != f.outputs || len(x) != f.inputs && len(x) != 0 {
		panic("vec: FourierWeights: shapes differ")
	}
	if len(x) == 0 || f.call.outputs == 0 || !fourierCalls() {
		f.predictTo(y, x)
		return
	}
	fourier(f, &y[0], &x[0])
	if f.call.kept == FourierSteps {
		f.keep(0)
	}
}

// predictTo is PredictTo in several passes over the rows.
func (f *FourierWeights) predictTo(y, x []float64) {
	p, k, n := f.outputs, f.call.kept, f.row
	if k == f.steps {
		AddOuters(f.rows[:p*n], f.g, f.rows[p*n:(p+k)*n], p, k, n)
		copy(f.features(0)[f.len:], f.features(k)[f.len:])
		f.keep(0)
		k = 0
	}
	sums := f.sums[:p+k]
	if len(x) > 0 {
		fourierProducts(f, sums, x)
	} else {
		phi := f.features(k)
		clear(phi[:f.len])
		MatVec(sums, f.rows[:(p+k)*n], phi)
	}
	if k > 0 {
		AddMatTVec(sums[:p], f.g[:k*p], sums[p:])
	}
	copy(y, sums)
}

// Keep adds the step c e phi^T, where phi has the features of the last PredictTo. It
// follows a PredictTo at most once.
func (f *FourierWeights) Keep(c float64, e []float64) {
	k := f.call.kept
	g := f.g[k*len(e) : (k+1)*len(e)]
	for o, v := range e {
		g[o] = c * v
	}
	f.keep(k + 1)
}

// State saves or restores A, G and U.
func (f *FourierWeights) State(c *snapshot.Codec) {
	k := f.call.kept
	c.Index(&k, f.steps+1)
	f.keep(k)
	c.Float64s(f.rows)
	c.Float64s(f.g)
}

// AddOuters adds G^T U to A, where A is m x n, G is k x m, U is k x n and n is a multiple
// of Panel.
func AddOuters(a, g, u []float64, m, k, n int) {
	if n < 1 || n%Panel != 0 || len(u) != k*n || len(a) != m*n || len(g) != k*m {
		panic("vec: AddOuters: shapes differ")
	}
	addOuters(a, g, u, m, k, n)
}

func addOutersPortable(a, g, u []float64, m, k, n int) {
	for i := range m {
		row := a[i*n : (i+1)*n]
		s := 0
		for ; s+FourierSteps <= k; s += FourierSteps {
			addThree(row, g[s*m+i], g[(s+1)*m+i], g[(s+2)*m+i], u[s*n:(s+FourierSteps)*n])
		}
		for ; s < k; s++ {
			axpyPortable(g[s*m+i], u[s*n:(s+1)*n], row)
		}
	}
}

// addThree adds f x_0 + g x_1 + h x_2 to y, where x_i is row i of x, with the bits of three
// calls of axpyPortable, in one pass over y.
func addThree(y []float64, f, g, h float64, x []float64) {
	n := len(y)
	x0, x1, x2 := x[:n], x[n:2*n], x[2*n:3*n]
	for i := 0; i+4 <= n; i += 4 { // n is a multiple of Panel
		d, p, q, r := y[i:i+4:i+4], x0[i:i+4:i+4], x1[i:i+4:i+4], x2[i:i+4:i+4]
		d[0] = d[0] + float64(f*p[0]) + float64(g*q[0]) + float64(h*r[0])
		d[1] = d[1] + float64(f*p[1]) + float64(g*q[1]) + float64(h*r[1])
		d[2] = d[2] + float64(f*p[2]) + float64(g*q[2]) + float64(h*r[2])
		d[3] = d[3] + float64(f*p[3]) + float64(g*q[3]) + float64(h*r[3])
	}
}

// fourierFeaturesPortable sets phi to the cosines and sines of W^T x turns, in panels.
func fourierFeaturesPortable(phi, w, x []float64, n int) {
	stride := len(phi) / 2
	few := (n-1)%Panel + 1 // frequencies in the first panel
	for j := 0; j < stride; j += Panel {
		var t0, t1, t2, t3, t4, t5, t6, t7 float64
		at := j
		for _, v := range x {
			c := (*[Panel]float64)(w[at:])
			t0 += float64(v * c[0])
			t1 += float64(v * c[1])
			t2 += float64(v * c[2])
			t3 += float64(v * c[3])
			t4 += float64(v * c[4])
			t5 += float64(v * c[5])
			t6 += float64(v * c[6])
			t7 += float64(v * c[7])
			at += stride
		}
		t := [Panel]float64{t0, t1, t2, t3, t4, t5, t6, t7}
		cos, sin := phi[2*j:2*j+Panel], phi[2*j+Panel:2*j+2*Panel]
		for l, v := range t {
			sin[l], cos[l] = sinCosTurns(v)
		}
		if j == 0 {
			clear(cos[few:])
			clear(sin[few:])
		}
	}
}
