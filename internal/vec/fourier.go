package vec

import (
	"math"
	"unsafe"
)

// Float is what a Fourier computes with.
type Float interface{ float32 | float64 }

// Fourier is a map to random Fourier features that keeps its frequencies, and
// orders its features, as the kernels like them: in panels of as many
// frequencies as 64 bytes hold, first their cosines, then their sines. Only the
// first panel may have fewer of them; zeros fill it up. Learners that own their
// weights use it instead of Features and UpdateMatVec.
type Fourier[T Float] struct {
	inputs, n int
	len       int // features, filled up
	w         []T // inputs x n, filled up

	limit T // smaller inputs give angles below 2^46 turns

	x    []T // the inputs
	sums []T // products of the rows, on their way to y
}

// fourierRows is how many rows fourierMatVec multiplies.
const fourierRows = 12

// FourierTerms is how many terms UpdateMatVec adds in the same pass; others it adds in
// one of their own.
const FourierTerms = 3

// panelBytes is what a panel has of cosines or sines.
const panelBytes = 64

// NewFourier returns the map of the frequencies W in turns, inputs x n as in
// Features, for matrices of so many rows at most.
func NewFourier[T Float](w []float64, inputs, rows int) *Fourier[T] {
	if inputs < 1 || len(w) == 0 || len(w)%inputs != 0 {
		panic("vec: NewFourier: no frequencies, or not a whole number of them")
	}
	f := &Fourier[T]{inputs: inputs, n: len(w) / inputs, x: make([]T, inputs), sums: Aligned[T](max(rows, 16))}
	largest := 0.0
	for _, v := range w {
		largest = max(largest, math.Abs(v))
	}
	f.limit = T(1 << 46 / largest / float64(inputs))
	p := Panel[T]()
	stride := (f.n + p - 1) / p * p
	f.len = 2 * stride
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
func (f *Fourier[T]) Len() int { return f.len }

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

// MatVec sets y to (A + G^T U) phi, where phi has the cosines and sines of x and then
// given elements, all in one pass. rows has the rows of A, one for each element of
// y, those of U, which are k as in G, and last phi, of whose n elements the first Len
// are computed; n is a multiple of Panel. Without x they are zero.
func (f *Fourier[T]) MatVec(y []float64, rows []T, k int, g []T, n int, x []float64) {
	p := len(y)
	f.check(p, rows, k, g, n, x)
	phi := rows[(p+k)*n:]
	if len(x) == 0 {
		clear(phi[:f.len])
	}
	if isSingle[T]() {
		in := f.x[:len(x)]
		for i, v := range x {
			in[i] = T(v)
		}
		if fourierMatVec32((*Fourier[float32])(unsafe.Pointer(f)), y, as[float32](rows), k, as[float32](g), as[float32](phi), as[float32](in)) {
			return
		}
	} else if fourierMatVec((*Fourier[float64])(unsafe.Pointer(f)), y, as[float64](rows), k, as[float64](g), as[float64](phi), x) {
		return
	}
	sums := f.sums[:p+k]
	if k > 0 {
		addMatTVecOf(sums[:p], g, sums[p:])
	}
	for i := range y {
		y[i] = float64(sums[i])
	}
}

// UpdateMatVec adds G^T U to A and then sets y to A phi; see MatVec. Besides, it
// copies phi to the first row of U. The bits are those of AddOuters and MatVec.
func (f *Fourier[T]) UpdateMatVec(y []float64, rows []T, k int, g []T, n int, x []float64) {
	p := len(y)
	f.check(p, rows, k, g, n, x)
	if k == FourierTerms && p > 0 && p <= 8 && len(x) > 0 {
		if isSingle[T]() {
			in := f.x
			for i, v := range x {
				in[i] = T(v)
			}
			if fourierUpdate32((*Fourier[float32])(unsafe.Pointer(f)), y, as[float32](rows), as[float32](g), as[float32](in), n) {
				return
			}
		} else if fourierUpdate((*Fourier[float64])(unsafe.Pointer(f)), y, as[float64](rows), as[float64](g), x, n) {
			return
		}
	}
	AddOuters(rows[:p*n], g, rows[p*n:(p+k)*n], p, k, n)
	if k > 0 {
		copy(rows[p*n+f.len:(p+1)*n], rows[(p+k)*n+f.len:])
	}
	f.MatVec(y, rows[:(p+1)*n], 0, nil, n, x)
}

func (f *Fourier[T]) check(p int, rows []T, k int, g []T, n int, x []float64) {
	if len(x) != f.inputs && len(x) != 0 || n < f.len || n%Panel[T]() != 0 || k < 0 || p+k > len(f.sums) ||
		len(rows) != (p+k+1)*n || len(g) != k*p {
		panic("vec: Fourier: shapes differ")
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
