//go:build !amd64

package vec

func logTo(dst, x []float64)                      { logToPortable(dst, x) }
func sinCos(sin, cos, t []float64)                { sinCosPortable(sin, cos, t) }
func fourierFeatures(phi, w, x []float64, n int)  { fourierFeaturesPortable(phi, w, x, n) }
func features(phi, w, x []float64, scale float64) { featuresPortable(phi, w, x, scale) }
