//go:build !amd64

package vec

func fourierCalls() bool                   { return false }
func fourier(*Fourier, *float64, *float64) {}
func fourierProducts(f *Fourier, sums, x []float64) {
	phi := f.features(f.call.kept)
	fourierFeaturesPortable(phi[:f.len], f.w, x, f.n)
	matVec(sums, f.rows[:len(sums)*f.row], phi)
}
