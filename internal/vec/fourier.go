package vec

import (
	"math"
	"unsafe"

	"github.com/orffvar/forecaster/internal/snapshot"
)

// Float is what a Fourier computes with.
type Float interface{ float32 | float64 }

// Fourier is weights on random Fourier features, of which it keeps a few steps back:
// it multiplies the features with A + G^T U, where U has those of the steps.
//
// It keeps its frequencies, and orders its features, as the kernels like them: in
// panels of as many frequencies as 64 bytes hold, first their cosines, then their
// sines. Only the first panel may have fewer of them; zeros fill it up. After them come
// given features. Learners that own their weights use it instead of Features and
// UpdateMatVec.
type Fourier[T Float] struct {
	call fourierCall[T]

	inputs, n, given, outputs, steps int

	len  int // features of the frequencies, filled up
	row  int // with those given
	w    []T // inputs x n, filled up
	rows []T // A, U and the features of the last prediction
	g    []T // steps x outputs

	x    []T // the inputs
	sums []T // products of the rows, on their way to y
}

// fourierCall is what the kernels for AVX-512 want to know, in the order they know;
// lengths of rows are in bytes.
type fourierCall[T Float] struct {
	a, g, w, sums *T
	phi           int // from a to the features
	inputs, n     int
	rows          int // that are multiplied, of A and then of U
	row           int
	outputs       int // zero if they take more than one pass
	kept          int // rows of U
	limit         T   // smaller inputs give angles below 2^46 turns
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

// panelBytes is what a panel has of cosines or sines.
const panelBytes = 64

// NewFourier returns weights of zero for the frequencies W in turns, inputs x n as in
// Features, and features given beside, which keep so many steps back.
func NewFourier[T Float](w []float64, inputs, given, outputs, steps int) *Fourier[T] {
	if inputs < 1 || len(w) == 0 || len(w)%inputs != 0 || given < 0 || outputs < 0 || steps < 1 {
		panic("vec: NewFourier: no frequencies, or not a whole number of them, or no steps")
	}
	f := &Fourier[T]{inputs: inputs, n: len(w) / inputs, given: given, outputs: outputs, steps: steps}
	p := Panel[T]()
	fill := func(n int) int { return (n + p - 1) / p * p }
	stride := fill(f.n)
	f.len = 2 * stride
	f.row = f.len + fill(given)
	f.x = make([]T, inputs)
	f.sums = Aligned[T](max(outputs+steps, 16))
	f.w = Aligned[T](inputs * stride)
	f.rows = Aligned[T]((outputs + steps + 1) * f.row)
	f.g = make([]T, steps*outputs)
	largest := 0.0
	for i := range inputs {
		for k, v := range w[i*f.n : (i+1)*f.n] {
			f.w[i*stride+f.place(k)] = T(v)
			largest = max(largest, math.Abs(v))
		}
	}
	f.call = fourierCall[T]{
		w: &f.w[0], sums: &f.sums[0],
		inputs: inputs, n: f.n,
		limit: T(1 << 46 / largest / float64(inputs)),
	}
	if steps == FourierTerms && outputs <= fourierOutputs {
		f.call.outputs = outputs
	}
	f.point()
	return f
}

// point says where rows are and what is kept in them.
func (f *Fourier[T]) point() {
	f.call.a, f.call.g = unsafe.SliceData(f.rows), unsafe.SliceData(f.g)
	f.call.row = f.row * int(unsafe.Sizeof(T(0)))
	f.keep(f.call.kept)
}

// keep says how many steps are kept.
func (f *Fourier[T]) keep(k int) {
	all := f.outputs + k
	f.call.kept, f.call.phi = k, all*f.call.row
	f.call.rows = all - (max(all-fourierRows, 0)+7)/8*8
}

// Panel returns how many numbers make 64 bytes.
func Panel[T Float]() int { return panelBytes / int(unsafe.Sizeof(T(0))) }

// place returns where frequency k stands.
func (f *Fourier[T]) place(k int) int {
	p := Panel[T]()
	if first := (f.n-1)%p + 1; k >= first {
		return k - first + p
	}
	return k
}

// Place returns where feature j of Features, 0 <= j < 2n, stands in a row; those given
// stand behind all of them.
func (f *Fourier[T]) Place(j int) int {
	if j >= 2*f.n {
		return f.len + j - 2*f.n
	}
	p := Panel[T]()
	k := f.place(j % f.n)
	return k/p*2*p + k%p + j/f.n*p
}

// features returns those of step k kept back, or of the last prediction.
func (f *Fourier[T]) features(k int) []T {
	i := (f.outputs + k) * f.row
	return f.rows[i : i+f.row]
}

// Given returns the features beside those of the frequencies of the next prediction.
func (f *Fourier[T]) Given() []T { return f.features(f.call.kept)[f.len:][:f.given] }

// Weight returns that of output o for the feature of the given place.
func (f *Fourier[T]) Weight(o, place int) float64 {
	v := float64(f.rows[o*f.row+place])
	for k := range f.call.kept {
		v += float64(f.g[k*f.outputs+o]) * float64(f.features(k)[place])
	}
	return v
}

// PredictTo sets y to (A + G^T U) phi, where phi has the cosines and sines of x and
// the features given. Without x the former are zero. If no more steps can be kept
// back, it adds them to A before, with the bits of AddOuters.
func (f *Fourier[T]) PredictTo(y, x []float64) {
	if len(y) != f.outputs || len(x) != f.inputs && len(x) != 0 {
		panic("vec: Fourier: shapes differ")
	}
	if len(x) == 0 || f.call.outputs == 0 || !fourierCalls() {
		f.predictTo(y, x)
		return
	}
	fourier(f, &y[0], &f.narrow(x)[0])
	if f.call.kept == FourierTerms {
		f.keep(0)
	}
}

// predictTo is PredictTo in several passes.
func (f *Fourier[T]) predictTo(y, x []float64) {
	p, k, n := f.outputs, f.call.kept, f.row
	if k == f.steps {
		AddOuters(f.rows[:p*n], f.g, f.rows[p*n:(p+k)*n], p, k, n)
		copy(f.features(0)[f.len:], f.features(k)[f.len:])
		f.keep(0)
		k = 0
	}
	sums := f.sums[:p+k]
	if len(x) > 0 {
		fourierProducts(f, sums, f.narrow(x))
	} else {
		phi := f.features(k)
		clear(phi[:f.len])
		matVecOf(sums, f.rows[:(p+k)*n], phi)
	}
	if k > 0 {
		addMatTVecOf(sums[:p], f.g[:k*p], sums[p:])
	}
	for i := range y {
		y[i] = float64(sums[i])
	}
}

// narrow returns x in the type of the weights.
func (f *Fourier[T]) narrow(x []float64) []T {
	if !isSingle[T]() {
		return as[T](x)
	}
	in := f.x[:len(x)]
	for i, v := range x {
		in[i] = T(v)
	}
	return in
}

// Keep keeps back the step c e phi^T with the features of the last prediction, once at
// most after it.
func (f *Fourier[T]) Keep(c T, e []float64) {
	k := f.call.kept
	g := f.g[k*len(e) : (k+1)*len(e)]
	for o, v := range e {
		g[o] = c * T(v)
	}
	f.keep(k + 1)
}

// State saves or restores the weights and the steps kept back.
func (f *Fourier[T]) State(c *snapshot.Codec) {
	k := f.call.kept
	c.Index(&k, f.steps+1)
	f.keep(k)
	numbers(c, f.rows)
	numbers(c, f.g)
}

func numbers[T Float](c *snapshot.Codec, v []T) {
	if isSingle[T]() {
		c.Float32s(as[float32](v))
	} else {
		c.Float64s(as[float64](v))
	}
}

// AddOuters adds G^T U to A, where A is m x n, G k x m and U k x n; n is a multiple
// of Panel.
func AddOuters[T Float](a, g, u []T, m, k, n int) {
	if n < 1 || n%Panel[T]() != 0 || len(u) != k*n || len(a) != m*n || len(g) != k*m {
		panic("vec: AddOuters: shapes differ")
	}
	if isSingle[T]() {
		addOuters32(as[float32](a), as[float32](g), as[float32](u), m, k, n)
	} else {
		addOuters(as[float64](a), as[float64](g), as[float64](u), m, k, n)
	}
}

func addOutersPortable[T Float](a, g, u []T, m, k, n int) {
	for s := range k {
		row := u[s*n : (s+1)*n]
		for i, f := range g[s*m : (s+1)*m] {
			for j, v := range row {
				a[i*n+j] += T(f * v)
			}
		}
	}
}

// Aligned returns n zeros whose first address is a multiple of 64 bytes, a cache
// line.
func Aligned[T Float](n int) []T {
	size := int(unsafe.Sizeof(T(0)))
	b := make([]T, n+panelBytes/size-1)
	i := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b)))%panelBytes) / size
	return b[i : i+n : i+n]
}

func isSingle[T Float]() bool { return unsafe.Sizeof(T(0)) == 4 }

// as returns x, whose type is []S in fact.
func as[S, T Float](x []T) []S {
	return unsafe.Slice((*S)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// matVecOf is MatVec or MatVec32.
func matVecOf[T Float](y, a, x []T) {
	if isSingle[T]() {
		matVec32(as[float32](y), as[float32](a), as[float32](x))
	} else {
		matVec(as[float64](y), as[float64](a), as[float64](x))
	}
}

// addMatTVecOf is AddMatTVec or AddMatTVec32.
func addMatTVecOf[T Float](y, a, x []T) {
	if isSingle[T]() {
		AddMatTVec32(as[float32](y), as[float32](a), as[float32](x))
	} else {
		AddMatTVec(as[float64](y), as[float64](a), as[float64](x))
	}
}

// fourierFeaturesPortable sets phi to the features of x.
func fourierFeaturesPortable[T Float](phi, w, x []T, n int) {
	p := Panel[T]()
	stride := len(phi) / 2
	few := (n-1)%p + 1 // in the first panel
	var angles [panelBytes / 4]T
	t := angles[:p]
	for j := 0; j < stride; j += p {
		clear(t)
		for i, v := range x {
			for l, c := range w[i*stride+j : i*stride+j+p] {
				t[l] += T(v * c)
			}
		}
		cos, sin := phi[2*j:2*j+p], phi[2*j+p:2*j+2*p]
		for l, v := range t {
			var s, c T
			if isSingle[T]() {
				s32, c32 := sinCosTurns32(float32(v))
				s, c = T(s32), T(c32)
			} else {
				s64, c64 := sinCosTurns(float64(v))
				s, c = T(s64), T(c64)
			}
			cos[l], sin[l] = c, s
		}
		if j == 0 {
			clear(cos[few:])
			clear(sin[few:])
		}
	}
}
