package vec

import (
	"unsafe"

	"github.com/orffvar/forecaster/internal/isa"
)

//go:generate go run -C gen . -family fourier -out ../fourier_amd64.s -stubs ../fourier_stubs_amd64.go -pkg vec

// The functions below choose an implementation. A kernel reads nothing when a length is
// zero, but a pointer to the first element must exist.

// fourierCalls returns whether fourierCall is of use.
func fourierCalls() bool { return isa.Active == isa.AVX512 }

// fourier does what f.call says, with the inputs from x on.
func fourier(f *Fourier, y, x *float64) {
	fourierAVX512(y, x, (*uintptr)(unsafe.Pointer(&f.call)))
}

// fourierProducts sets the features of the next prediction to those of x, and sums to
// the products of the rows with them.
func fourierProducts(f *Fourier, sums, x []float64) {
	all, phi := len(sums), f.features(f.call.kept)
	switch isa.Active {
	case isa.AVX512:
		fourier(f, nil, &x[0])
		// The rest of the rows finds the features in the first cache.
		if some := f.call.rows; some < all {
			matVec(sums[some:], f.rows[some*f.row:all*f.row], phi)
		}
		return
	case isa.AVX2:
		fourierFeaturesAVX2(&phi[0], &f.w[0], &x[0], len(x), f.n)
	default:
		fourierFeaturesPortable(phi[:f.len], f.w, x, f.n)
	}
	matVec(sums, f.rows[:all*f.row], phi)
}
