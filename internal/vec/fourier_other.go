//go:build !amd64

package vec

func fourierCalls() bool                          { return false }
func fourier(*FourierWeights, *float64, *float64) {}
func fourierProducts(f *FourierWeights, sums, x []float64) {
	phi := f.features(f.call.kept)
	fourierFeaturesPortable(phi[:f.len], f.w, x, f.n)
	matVec(sums, f.rows[:len(sums)*f.row], phi)
}
