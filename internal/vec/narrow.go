package vec

// Narrow sets dst to x, rounded to float32.
func Narrow(dst []float32, x []float64) {
	whole := len(x) / tile * tile
	narrow(dst[:whole], x[:whole])
	narrowPortable(dst[whole:], x[whole:])
}

// Widen sets dst to x.
func Widen(dst []float64, x []float32) {
	whole := len(x) / tile * tile
	widen(dst[:whole], x[:whole])
	widenPortable(dst[whole:], x[whole:])
}

func narrowPortable(dst []float32, x []float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = float32(v)
	}
}

func widenPortable(dst []float64, x []float32) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = float64(v)
	}
}
