package orff

import (
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// A checkpoint is untrusted input: whatever it holds, decoding ends with an error
// or with a map that works.
func FuzzState(f *testing.F) {
	build := func() []Map {
		g := Gaussian{1}
		return []Map{
			must(withGamma(NewFourier(g, 3, 4, NewRand(1)))),
			must(withGamma(NewFastfood(1, 3, 4, NewRand(1)))),
			must(withGamma(NewMaclaurin(Exponential{}, Geometric{2}, Rademacher, 3, 4, NewRand(1)))),
			must(withGamma(NewCompositional(Exponential{}, Geometric{2}, g, 3, 4, NewRand(1)))),
			must(withGamma(NewNystroem(g, 3, normals(1, 9)))),
			must(NewDivergenceFree(1, 3, 4, Bounded, true, NewRand(1))),
			must(NewBlocks(2, 1, false, func(r Rand) (Map, error) { return withGamma(NewFourier(g, 3, 4, r)) })),
		}
	}
	for i, m := range build() {
		enc := snapshot.NewEncoder(nil)
		state(m, enc)
		f.Add(uint8(i), enc.Bytes())
		f.Add(uint8(i), enc.Bytes()[:len(enc.Bytes())/2])
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		maps := build()
		m := maps[int(which)%len(maps)]
		dec := snapshot.NewDecoder(data)
		state(m, dec)
		_ = dec.Finish()
		d := m.Dims()
		phi, y := make([]float64, d.Features), make([]float64, d.Out)
		m.FeaturesTo(phi, refX)
		m.PredictTo(y, phi, make([]float64, d.Params))
		m.AddGradient(make([]float64, d.Params), 1, phi, y)
	})
}
