package vec

import "unsafe"

// Float is what a Fourier computes with.
type Float interface{ float32 | float64 }

// Fourier is a map to random Fourier features that keeps its frequencies, and
// orders its features, as the kernels like them: in panels of as many
// frequencies as 64 bytes hold, first their cosines, then their sines. Only the
// first panel may have fewer of them; zeros fill it up. Learners that own their
// weights use it instead of Features, for UpdateMatVec.
type Fourier[T Float] struct {
	inputs, n int
	w         []T // inputs x n, filled up
}

// panelBytes is what a panel has of cosines or sines.
const panelBytes = 64

// NewFourier returns the map of the frequencies W in turns, inputs x n as in
// Features.
func NewFourier[T Float](w []float64, inputs int) *Fourier[T] {
	if inputs < 1 || len(w) == 0 || len(w)%inputs != 0 {
		panic("vec: NewFourier: no frequencies, or not a whole number of them")
	}
	f := &Fourier[T]{inputs: inputs, n: len(w) / inputs}
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

// UpdateMatVec sets the first Len elements of phi to the features of x, adds
// g u^T to A, which is len(y) x len(phi), and sets y to the product of the new A
// with phi, all in one pass. len(phi) is a multiple of Panel; the elements after
// Len are given.
func (f *Fourier[T]) UpdateMatVec(y, a, g, u, phi, x []T, scale T) {
	if len(x) != f.inputs || len(phi) < f.Len() || len(phi)%Panel[T]() != 0 ||
		len(u) != len(phi) || len(g) != len(y) || len(a) != len(y)*len(phi) {
		panic("vec: Fourier.UpdateMatVec: shapes differ")
	}
	if isSingle[T]() {
		fourierStep32(as[float32](y), as[float32](a), as[float32](g), as[float32](u), as[float32](phi),
			as[float32](f.w), as[float32](x), float32(scale), f.n)
	} else {
		fourierStep(as[float64](y), as[float64](a), as[float64](g), as[float64](u), as[float64](phi),
			as[float64](f.w), as[float64](x), float64(scale), f.n)
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

// DotOf is Dot.
func DotOf[T Float](x, y []T) T {
	var s [1]T
	MatVecOf(s[:], x, y)
	return s[0]
}

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

// UpdateMatVecOf is UpdateMatVec or UpdateMatVec32.
func UpdateMatVecOf[T Float](y, a, g, u, x []T) {
	if isSingle[T]() {
		UpdateMatVec32(as[float32](y), as[float32](a), as[float32](g), as[float32](u), as[float32](x))
	} else {
		UpdateMatVec(as[float64](y), as[float64](a), as[float64](g), as[float64](u), as[float64](x))
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
