package vec

import "unsafe"

// Float is what a Fourier computes with.
type Float interface{ float32 | float64 }

// Fourier is a map to random Fourier features that keeps its frequencies, and
// orders its features, as the kernels like them: in panels of as many
// frequencies as 64 bytes hold, first their cosines, then their sines. Only the
// first panel may have fewer of them; zeros fill it up. Learners that own their
// weights use it instead of Features and UpdateMatVec.
type Fourier[T Float] struct {
	inputs, n int
	w         []T // inputs x n, filled up

	sums []T // products of the first rows, on their way to y
}

// fourierRows is how many rows fourierStep updates in one pass.
const fourierRows = 8

// panelBytes is what a panel has of cosines or sines.
const panelBytes = 64

// NewFourier returns the map of the frequencies W in turns, inputs x n as in
// Features.
func NewFourier[T Float](w []float64, inputs int) *Fourier[T] {
	if inputs < 1 || len(w) == 0 || len(w)%inputs != 0 {
		panic("vec: NewFourier: no frequencies, or not a whole number of them")
	}
	f := &Fourier[T]{inputs: inputs, n: len(w) / inputs, sums: Aligned[T](fourierRows)}
	stride := f.Len() / 2
	f.w = Aligned[T](inputs * stride)
	for i := range inputs {
		for k := range f.n {
			f.w[i*stride+f.place(k)] = T(w[i*f.n+k])
		}
	}
	return f
}

// Panel returns how many numbers make 64 bytes.
func Panel[T Float]() int { return panelBytes / int(unsafe.Sizeof(T(0))) }

// Len returns the number of features, filled up to whole panels.
func (f *Fourier[T]) Len() int {
	p := Panel[T]()
	return 2 * ((f.n + p - 1) / p * p)
}

// place returns where frequency k stands.
func (f *Fourier[T]) place(k int) int {
	p := Panel[T]()
	if first := (f.n-1)%p + 1; k >= first {
		return k - first + p
	}
	return k
}

// Place returns where feature j of Features, 0 <= j < 2n, stands among Len.
func (f *Fourier[T]) Place(j int) int {
	p := Panel[T]()
	k := f.place(j % f.n)
	return k/p*2*p + k%p + j/f.n*p
}

// FeaturesTo sets phi, of length Len, to scale times the cosines and sines of x.
func (f *Fourier[T]) FeaturesTo(phi, x []T, scale T) {
	if len(phi) != f.Len() || len(x) != f.inputs {
		panic("vec: Fourier.FeaturesTo: wrong length")
	}
	if isSingle[T]() {
		fourierFeatures32(as[float32](phi), as[float32](f.w), as[float32](x), float32(scale), f.n)
	} else {
		fourierFeatures(as[float64](phi), as[float64](f.w), as[float64](x), float64(scale), f.n)
	}
}

// FourierStep is what Fourier.Step works on. It is a type because so many
// arguments would take a tenth of the time.
type FourierStep[T Float] struct {
	Y     []T // one element a row of A
	A     []T // len(Y) x len(Phi)
	G, U  []T // len(Y), len(Phi)
	Phi   []T // a multiple of Panel long; the elements after Len are given
	X     []T
	Scale T
}

// Step sets the first Len elements of Phi to Scale times the cosines and sines of X,
// adds G U^T to A and sets Y to the product of the new A with Phi, all in one
// pass.
func (f *Fourier[T]) Step(s *FourierStep[T]) {
	if len(s.X) != f.inputs || len(s.Phi) < f.Len() || len(s.Phi)%Panel[T]() != 0 ||
		len(s.U) != len(s.Phi) || len(s.G) != len(s.Y) || len(s.A) != len(s.Y)*len(s.Phi) {
		panic("vec: Fourier.Step: shapes differ")
	}
	if isSingle[T]() {
		fourierStep32((*Fourier[float32])(unsafe.Pointer(f)), (*FourierStep[float32])(unsafe.Pointer(s)))
	} else {
		fourierStep((*Fourier[float64])(unsafe.Pointer(f)), (*FourierStep[float64])(unsafe.Pointer(s)))
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

// The following are the functions for float64 or float32, as T says.

// MatVecOf is MatVec or MatVec32.
func MatVecOf[T Float](y, a, x []T) {
	if isSingle[T]() {
		MatVec32(as[float32](y), as[float32](a), as[float32](x))
	} else {
		MatVec(as[float64](y), as[float64](a), as[float64](x))
	}
}

// AddOuterOf is AddOuter or AddOuter32.
func AddOuterOf[T Float](a []T, alpha T, x, y []T) {
	if isSingle[T]() {
		AddOuter32(as[float32](a), float32(alpha), as[float32](x), as[float32](y))
	} else {
		AddOuter(as[float64](a), float64(alpha), as[float64](x), as[float64](y))
	}
}

// AddMatTVecOf is AddMatTVec or AddMatTVec32.
func AddMatTVecOf[T Float](y, a, x []T) {
	if isSingle[T]() {
		AddMatTVec32(as[float32](y), as[float32](a), as[float32](x))
	} else {
		AddMatTVec(as[float64](y), as[float64](a), as[float64](x))
	}
}

// AddMatMulOf is AddMatMul or AddMatMul32.
func AddMatMulOf[T Float](c []T, alpha T, a, b []T, m, n, k int) {
	if isSingle[T]() {
		AddMatMul32(as[float32](c), float32(alpha), as[float32](a), as[float32](b), m, n, k)
	} else {
		AddMatMul(as[float64](c), float64(alpha), as[float64](a), as[float64](b), m, n, k)
	}
}

// fourierFeaturesPortable sets phi to scale times the features of x.
func fourierFeaturesPortable[T Float](phi, w, x []T, scale T, n int) {
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
			cos[l], sin[l] = T(scale*c), T(scale*s)
		}
		if j == 0 {
			clear(cos[few:])
			clear(sin[few:])
		}
	}
}
