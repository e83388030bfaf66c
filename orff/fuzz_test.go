package orff_test

import (
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/internal/maptest"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/orff/maclaurin"
	"github.com/orffvar/forecaster/orff/nystroem"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/orff/vectorfield"
)

// A checkpoint is untrusted input: decoding any content returns an error, or a map that works.
func FuzzState(f *testing.F) {
	build := func() []orff.Map {
		g := spectrum.Gaussian{Sigma: 1}
		return []orff.Map{
			maptest.Must(withGamma(orff.NewFourier(g, 3, 4, random.New(1)))),
			maptest.Must(withGamma(orff.NewFastfood(1, 3, 4, random.New(1)))),
			maptest.Must(withGamma(maclaurin.New(maclaurin.Exponential{}, maclaurin.Geometric{P: 2}, maclaurin.Rademacher, 3, 4, random.New(1)))),
			maptest.Must(withGamma(maclaurin.NewCompositional(maclaurin.Exponential{}, maclaurin.Geometric{P: 2}, g, 3, 4, random.New(1)))),
			maptest.Must(withGamma(nystroem.New(g, 3, maptest.Normals(1, 9)))),
			maptest.Must(vectorfield.NewDivergenceFree(1, 3, 4, vectorfield.Bounded, true, random.New(1))),
			maptest.Must(orff.NewBlocks(2, 1, false, func(r random.Rand) (orff.Map, error) { return withGamma(orff.NewFourier(g, 3, 4, r)) })),
		}
	}
	for i, m := range build() {
		enc := snapshot.NewEncoder(nil)
		optional.State(m, enc)
		f.Add(uint8(i), enc.Bytes())
		f.Add(uint8(i), enc.Bytes()[:len(enc.Bytes())/2])
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		maps := build()
		m := maps[int(which)%len(maps)]
		dec := snapshot.NewDecoder(data)
		optional.State(m, dec)
		_ = dec.Finish()
		d := m.Dims()
		phi, y := make([]float64, d.Features), make([]float64, d.Out)
		m.FeaturesTo(phi, maptest.X)
		m.PredictTo(y, phi, make([]float64, d.Params))
		m.AddGradient(make([]float64, d.Params), 1, phi, y)
	})
}
