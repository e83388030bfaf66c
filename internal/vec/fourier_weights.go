package vec

import (
	"github.com/orffvar/forecaster/eval/snapshot"
)

// FourierWeights are linear weights A, outputs x features, on random Fourier features phi. The latest rank-1 steps are
// kept separately:
//
//	y = (A + G^T U) phi
//
// Row k of U has the features of step k. Row k of G has the error of step k times its rate. Adding several steps to A
// in one pass saves stores; see sgd.FourierNLMS.
//
// Features are stored in panels of eight frequencies: eight cosines, then eight sines. Only the first panel may have
// fewer, with zeros in the unused places. The given features follow the panels, padded with zeros.
type FourierWeights struct {
	inputs, n, given, outputs, steps int

	kept int // number of rows of U in use

	len  int       // number of places for random features in a row
	row  int       // length of a row: len, and the places of the given features
	w    []float64 // frequencies, inputs x len/2
	rows []float64 // A, U and the features of the last prediction, stacked
	g    []float64 // G, steps x outputs

	sums []float64 // scratch: products of the rows of A and U with phi
}

// Panel is the number of frequencies per panel: the cosines of a panel fill a cache line.
const Panel = 8

// NewFourierWeights returns zero weights for the frequencies W in turns, inputs x n as in Features, and for the given
// number of given features. It has room for the given number of steps.
func NewFourierWeights(w []float64, inputs, given, outputs, steps int) *FourierWeights {
	if inputs < 1 || len(w) == 0 || len(w)%inputs != 0 || given < 0 || outputs < 0 || steps < 1 {
		panic("vec: NewFourierWeights: no frequencies, or not a whole number of them, or no steps")
	}
	f := &FourierWeights{inputs: inputs, n: len(w) / inputs, given: given, outputs: outputs, steps: steps}
	fill := func(n int) int { return (n + Panel - 1) / Panel * Panel }
	stride := fill(f.n)
	f.len = 2 * stride
	f.row = f.len + fill(given)
	f.sums = Aligned(outputs + steps)
	f.w = Aligned(inputs * stride)
	f.rows = Aligned((outputs + steps + 1) * f.row)
	f.g = make([]float64, steps*outputs)
	for i := range inputs {
		for k, v := range w[i*f.n : (i+1)*f.n] {
			f.w[i*stride+f.place(k)] = v
		}
	}
	return f
}

// place returns the place of frequency k in a row. The first panel may have fewer than Panel frequencies.
func (f *FourierWeights) place(k int) int {
	if first := (f.n-1)%Panel + 1; k >= first {
		return k - first + Panel
	}
	return k
}

// Place returns the place of feature j in a row. j < 2n numbers the random features as in Features; 2n + i is given
// feature i.
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

// Given returns the given features of the next prediction. The caller sets them.
func (f *FourierWeights) Given() []float64 { return f.features(f.kept)[f.len:][:f.given] }

// Weight returns the weight of output o for the feature at the given place.
func (f *FourierWeights) Weight(o, place int) float64 {
	v := f.rows[o*f.row+place]
	for k := range f.kept {
		v += float64(f.g[k*f.outputs+o] * f.features(k)[place])
	}
	return v
}

// PredictTo sets y = (A + G^T U) phi, where phi has the cosines and sines of x, and the given features. If x is empty,
// the cosines and sines are zero. If U is full, PredictTo first adds its steps to A, with the bits of AddOuters.
func (f *FourierWeights) PredictTo(y, x []float64) {
	if len(y) != f.outputs || len(x) != f.inputs && len(x) != 0 {
		panic("vec: FourierWeights: shapes differ")
	}
	p, k, n := f.outputs, f.kept, f.row
	if k == f.steps {
		AddOuters(f.rows[:p*n], f.g, f.rows[p*n:(p+k)*n], p, k, n)
		copy(f.features(0)[f.len:], f.features(k)[f.len:])
		k = 0
		f.kept = 0
	}
	sums, phi := f.sums[:p+k], f.features(k)
	if len(x) > 0 {
		fourierFeatures(phi[:f.len], f.w, x, f.n)
	} else {
		clear(phi[:f.len])
	}
	MatVec(sums, f.rows[:(p+k)*n], phi)
	if k > 0 {
		AddMatTVec(sums[:p], f.g[:k*p], sums[p:])
	}
	copy(y, sums)
}

// Keep adds the step c e phi^T, where phi has the features of the last PredictTo. It may be called once per PredictTo.
func (f *FourierWeights) Keep(c float64, e []float64) {
	k := f.kept
	g := f.g[k*len(e) : (k+1)*len(e)]
	for o, v := range e {
		g[o] = c * v
	}
	f.kept = k + 1
}

// State saves or restores A, G and U.
func (f *FourierWeights) State(c *snapshot.Codec) {
	c.Index(&f.kept, f.steps+1)
	c.Float64s(f.rows)
	c.Float64s(f.g)
}

// AddOuters sets A += G^T U, where A is m x n, G is k x m, U is k x n, and n is a multiple of Panel.
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
		for ; s+3 <= k; s += 3 {
			addThree(row, g[s*m+i], g[(s+1)*m+i], g[(s+2)*m+i], u[s*n:(s+3)*n])
		}
		for ; s < k; s++ {
			axpyPortable(g[s*m+i], u[s*n:(s+1)*n], row)
		}
	}
}

// addThree adds f x_0 + g x_1 + h x_2 to y, where x_i is row i of x, in one pass over y. It gives the bits of three
// calls of axpyPortable.
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
