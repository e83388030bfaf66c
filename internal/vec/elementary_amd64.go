package vec

import (
	"github.com/orffvar/forecaster/internal/isa"
)

//go:generate go run -C ../tools/asmgen . -family elementary -out ../../vec/elementary_amd64.s -stubs ../../vec/elementary_stubs_amd64.go -pkg vec

// The functions below call the kernel of the active instruction set.

func logTo(dst, x []float64) {
	if isa.Active == isa.Portable || len(x) < 4 { // a register takes longer than three numbers
		logToPortable(dst, x)
		return
	}
	logToAVX2(&dst[0], &x[0], len(x))
}

func sinCos(sin, cos, t []float64) {
	if len(t) == 0 {
		return
	}
	if isa.Active == isa.Portable {
		sinCosPortable(sin, cos, t)
		return
	}
	sinCosAVX2(&sin[0], &cos[0], &t[0], len(t))
}

func features(phi, w, x []float64, scale float64) {
	d := len(phi) / 2
	if d == 0 {
		return
	}
	if len(x) == 0 {
		featuresPortable(phi, w, x, scale)
		return
	}
	switch isa.Active {
	case isa.AVX512:
		featuresAVX512(&phi[0], &phi[d], &w[0], &x[0], scale, len(x), d)
	case isa.AVX2:
		featuresAVX2(&phi[0], &phi[d], &w[0], &x[0], scale, len(x), d)
	default:
		featuresPortable(phi, w, x, scale)
	}
}

func fourierFeatures(phi, w, x []float64, n int) {
	if isa.Active == isa.Portable {
		fourierFeaturesPortable(phi, w, x, n)
		return
	}
	fourierFeaturesAVX2(&phi[0], &w[0], &x[0], len(x), n)
}
