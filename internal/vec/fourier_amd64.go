package vec

import (
	"unsafe"

	"github.com/orffvar/forecaster/internal/isa"
)

//go:generate go run -C ../tools/asmgen . -family fourier -out ../../vec/fourier_amd64.s -stubs ../../vec/fourier_stubs_amd64.go -pkg vec

// The functions below call the kernel of the active instruction set.

// fourierCalls reports whether a kernel takes a fourierCall.
func fourierCalls() bool { return isa.Active == isa.AVX512 }

// fourier computes what f.call describes for the inputs x.
func fourier(f *FourierWeights, y, x *float64) {
	fourierAVX512(y, x, (*uintptr)(unsafe.Pointer(&f.call)))
}

// fourierProducts computes the features of x and sets sums to the products of the rows
// of A and U with them.
func fourierProducts(f *FourierWeights, sums, x []float64) {
	all, phi := len(sums), f.features(f.call.kept)
	switch isa.Active {
	case isa.AVX512:
		fourier(f, nil, &x[0])
		// The other rows find the features in the first level cache.
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
