package orff

import (
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/orff/internal/maptest"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// A checkpoint is untrusted input: whatever it holds, decoding ends with an error
// or with a map that works.
func FuzzState(f *testing.F) {
	build := func() []Map {
		g := spectrum.Gaussian{Sigma: 1}
		return []Map{
			maptest.Must(withGamma(NewFourier(g, 3, 4, random.New(1)))),
			maptest.Must(withGamma(NewFastfood(1, 3, 4, random.New(1)))),
			maptest.Must(withGamma(NewMaclaurin(Exponential{}, Geometric{P: 2}, Rademacher, 3, 4, random.New(1)))),
			maptest.Must(withGamma(NewCompositional(Exponential{}, Geometric{P: 2}, g, 3, 4, random.New(1)))),
			maptest.Must(withGamma(NewNystroem(g, 3, maptest.Normals(1, 9)))),
			maptest.Must(NewDivergenceFree(1, 3, 4, Bounded, true, random.New(1))),
			maptest.Must(NewBlocks(2, 1, false, func(r random.Rand) (Map, error) { return withGamma(NewFourier(g, 3, 4, r)) })),
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
