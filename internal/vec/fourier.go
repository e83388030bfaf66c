package vec

import (
	"math"
	"unsafe"

	"github.com/orffvar/forecaster/internal/snapshot"
)

// Fourier is weights on random Fourier features, of which it keeps a few steps back:
// it multiplies the features with A + G^T U, where U has those of the steps.
//
// It keeps its frequencies, and orders its features, as the kernels like them: in
// panels of eight frequencies, first their cosines, then their sines. Only the first
// panel may have fewer of them; zeros fill it up. After them come given features.
type Fourier struct {
	call fourierCall

	inputs, n, given, outputs, steps int

	len  int       // features of the frequencies, filled up
	row  int       // with those given
	w    []float64 // inputs x n, filled up
	rows []float64 // A, U and the features of the last prediction
	g    []float64 // steps x outputs

	sums []float64 // products of the rows, on their way to y
}

// fourierCall is what the kernels for AVX-512 want to know, in the order they know;
// lengths of rows are in bytes.
type fourierCall struct {
	a, g, w, sums *float64
	phi           int // from a to the features
	inputs, n     int
	rows          int // that are multiplied, of A and then of U
	row           int
	outputs       int     // zero if they take more than one pass
	kept          int     // rows of U
	limit         float64 // smaller inputs give angles below 2^46 turns
}

// FourierTerms is how many steps are added to A in the pass of a prediction, if there
// are not many outputs; other numbers are in one of their own.
const FourierTerms = 3

// The kernels multiply so many rows, and so many when they have the outputs ready at
// the end.
const (
	fourierRows    = 12
	fourierOutputs = 8
)

// Panel is how many cosines, or sines, a panel has: 64 bytes of them.
const Panel = 8

// NewFourier returns weights of zero for the frequencies W in turns, inputs x n as in
// Features, and features given beside, which keep so many steps back.
func NewFourier(w []float64, inputs, given, outputs, steps int) *Fourier {
	if inputs < 1 || len(w) == 0 || len(w)%inputs != 0 || given < 0 || outputs < 0 || steps < 1 {
		panic("vec: NewFourier: no frequencies, or not a whole number of them, or no steps")
	}
	f := &Fourier{inputs: inputs, n: len(w) / inputs, given: given, outputs: outputs, steps: steps}
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
	if steps == FourierTerms && outputs <= fourierOutputs {
		f.call.outputs = outputs
	}
	f.point()
	return f
}

// point says where rows are and what is kept in them.
func (f *Fourier) point() {
	f.call.a, f.call.g = unsafe.SliceData(f.rows), unsafe.SliceData(f.g)
	f.call.row = 8 * f.row
	f.keep(f.call.kept)
}

// keep says how many steps are kept.
func (f *Fourier) keep(k int) {
	all := f.outputs + k
	f.call.kept, f.call.phi = k, all*f.call.row
	f.call.rows = all - (max(all-fourierRows, 0)+7)/8*8
}

// place returns where frequency k stands.
func (f *Fourier) place(k int) int {
	if first := (f.n-1)%Panel + 1; k >= first {
		return k - first + Panel
	}
	return k
}

// Place returns where feature j of Features, 0 <= j < 2n, stands in a row; those given
// stand behind all of them.
func (f *Fourier) Place(j int) int {
	if j >= 2*f.n {
		return f.len + j - 2*f.n
	}
	k := f.place(j % f.n)
	return k/Panel*2*Panel + k%Panel + j/f.n*Panel
}

// features returns those of step k kept back, or of the last prediction.
func (f *Fourier) features(k int) []float64 {
	i := (f.outputs + k) * f.row
	return f.rows[i : i+f.row]
}

// Given returns the features beside those of the frequencies of the next prediction.
func (f *Fourier) Given() []float64 { return f.features(f.call.kept)[f.len:][:f.given] }

// Weight returns that of output o for the feature of the given place.
func (f *Fourier) Weight(o, place int) float64 {
	v := f.rows[o*f.row+place]
	for k := range f.call.kept {
		v += float64(f.g[k*f.outputs+o] * f.features(k)[place])
	}
	return v
}

// PredictTo sets y to (A + G^T U) phi, where phi has the cosines and sines of x and
// the features given. Without x the former are zero. If no more steps can be kept
// back, it adds them to A before, with the bits of AddOuters.
func (f *Fourier) PredictTo(y, x []float64) {
	if len(y) != f.outputs || len(x) != f.inputs && len(x) != 0 {
		panic("vec: Fourier: shapes differ")
	}
	if len(x) == 0 || f.call.outputs == 0 || !fourierCalls() {
		f.predictTo(y, x)
		return
	}
	fourier(f, &y[0], &x[0])
	if f.call.kept == FourierTerms {
		f.keep(0)
	}
}

// predictTo is PredictTo in several passes.
func (f *Fourier) predictTo(y, x []float64) {
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

// Keep keeps back the step c e phi^T with the features of the last prediction, once at
// most after it.
func (f *Fourier) Keep(c float64, e []float64) {
	k := f.call.kept
	g := f.g[k*len(e) : (k+1)*len(e)]
	for o, v := range e {
		g[o] = c * v
	}
	f.keep(k + 1)
}

// State saves or restores the weights and the steps kept back.
func (f *Fourier) State(c *snapshot.Codec) {
	k := f.call.kept
	c.Index(&k, f.steps+1)
	f.keep(k)
	c.Float64s(f.rows)
	c.Float64s(f.g)
}

// AddOuters adds G^T U to A, where A is m x n, G k x m and U k x n; n is a multiple
// of Panel.
func AddOuters(a, g, u []float64, m, k, n int) {
	if n < 1 || n%Panel != 0 || len(u) != k*n || len(a) != m*n || len(g) != k*m {
		panic("vec: AddOuters: shapes differ")
	}
	addOuters(a, g, u, m, k, n)
}

func addOutersPortable(a, g, u []float64, m, k, n int) {
	for s := range k {
		row := u[s*n : (s+1)*n]
		for i, f := range g[s*m : (s+1)*m] {
			for j, v := range row {
				a[i*n+j] += float64(f * v)
			}
		}
	}
}

// fourierFeaturesPortable sets phi to the features of x.
func fourierFeaturesPortable(phi, w, x []float64, n int) {
	stride := len(phi) / 2
	few := (n-1)%Panel + 1 // in the first panel
	var t [Panel]float64
	for j := 0; j < stride; j += Panel {
		clear(t[:])
		for i, v := range x {
			for l, c := range w[i*stride+j : i*stride+j+Panel] {
				t[l] += float64(v * c)
			}
		}
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
