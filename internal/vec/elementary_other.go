//go:build !amd64

package vec

func logTo(dst, x []float64)                      { logToPortable(dst, x) }
func sinCos(sin, cos, t []float64)                { sinCosPortable(sin, cos, t) }
func features(phi, w, x []float64, scale float64) { featuresPortable(phi, w, x, scale) }
