package orff_test

import (
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/internal/maptest"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/orff/vectorfield"
)

func fourierBlock(r random.Rand) (orff.Map, error) {
	f, err := orff.NewFourier(spectrum.Gaussian{Sigma: maptest.Sigma}, 3, 8, r)
	if err != nil {
		return nil, err
	}
	return orff.NewDecomposable(f, coupling.Identity(2)), nil
}

func TestBlocksKeptAndRedrawnAreTheSame(t *testing.T) {
	kept := maptest.Must(orff.NewBlocks(5, 42, true, fourierBlock))
	redrawn := maptest.Must(orff.NewBlocks(5, 42, false, fourierBlock))
	d := kept.Dims()
	if redrawn.Dims() != d || d.Params != 5*2*16 {
		t.Fatalf("sizes %v and %v", d, redrawn.Dims())
	}
	theta := maptest.Normals(1, d.Params)
	a, b := maptest.Features(kept, maptest.X, d.Features), maptest.Features(redrawn, maptest.X, d.Features)
	maptest.NearAll(t, "phi", b, a, 0)
	ya, yb := make([]float64, 2), make([]float64, 2)
	kept.PredictTo(ya, a, theta)
	redrawn.PredictTo(yb, b, theta)
	maptest.NearAll(t, "prediction", yb, ya, 0)
	for _, i := range []int{3, 0, 4, 4, 1} { // any order
		n := d.Features / 5
		maptest.NearAll(t, "block", maptest.Features(redrawn.Block(i), maptest.X, n), a[i*n:(i+1)*n], 0)
	}
	if n := testing.AllocsPerRun(10, func() { redrawn.FeaturesTo(b, maptest.Z) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// C5.6: the sum over the blocks is Phi(x)^T theta with the concatenated W.
func TestBlocksEqualOneMapOfAllFrequencies(t *testing.T) {
	blocks := maptest.Must(orff.NewBlocks(5, 42, true, fourierBlock))
	var w []float64
	for i := range 5 {
		w = append(w, blocks.Block(i).(*orff.Decomposable).Scalar().(*orff.Fourier).Frequencies()...)
	}
	whole := orff.NewDecomposable(orff.FourierOf(w, 3), coupling.Identity(2))
	maptest.NearAll(t, "K~", maptest.Kernel(blocks, maptest.X, maptest.Z), maptest.Kernel(whole, maptest.X, maptest.Z), 1e-14)
	maptest.Adjoint(t, blocks, maptest.X, 5)
}

func TestBlocksState(t *testing.T) {
	for _, keep := range []bool{true, false} {
		a := maptest.Must(orff.NewBlocks(3, 42, keep, fourierBlock))
		b := maptest.Must(orff.NewBlocks(3, 43, keep, fourierBlock))
		enc := snapshot.NewEncoder(nil)
		a.State(enc)
		dec := snapshot.NewDecoder(enc.Bytes())
		b.State(dec)
		if err := dec.Finish(); err != nil {
			t.Fatal(err)
		}
		n := a.Dims().Features
		maptest.NearAll(t, "phi", maptest.Features(b, maptest.X, n), maptest.Features(a, maptest.X, n), 0)
	}
}

// Grown blocks equal blocks drawn at once. Rounding: each grown block is weighted twice instead of once.
func TestBlocksGrow(t *testing.T) {
	grown, whole := maptest.Must(orff.NewBlocks(2, 42, true, fourierBlock)), maptest.Must(orff.NewBlocks(4, 42, true, fourierBlock))
	for range 2 {
		if err := grown.Grow(); err != nil {
			t.Fatal(err)
		}
	}
	if grown.Dims() != whole.Dims() {
		t.Fatalf("%v, want %v", grown.Dims(), whole.Dims())
	}
	n := whole.Dims().Features
	maptest.NearAll(t, "phi", maptest.Features(grown, maptest.X, n), maptest.Features(whole, maptest.X, n), 1e-15)
	if err := maptest.Must(orff.NewBlocks(2, 42, false, fourierBlock)).Grow(); err == nil {
		t.Error("blocks that are not kept have grown")
	}
	grown.Redraw(1)
	if err := grown.Grow(); err == nil {
		t.Error("blocks that were drawn again have grown")
	}
}

func TestBlocksRefuse(t *testing.T) {
	if _, err := orff.NewBlocks(0, 1, true, fourierBlock); err == nil {
		t.Error("no blocks were accepted")
	}
	if _, err := orff.NewBlocks(2, 1, false, func(random.Rand) (orff.Map, error) {
		return orff.NewDecomposable(orff.FourierOf([]float64{1}, 1), coupling.Identity(1)), nil
	}); err == nil {
		t.Error("given frequencies were accepted as drawn ones")
	}
	if _, err := orff.NewBlocks(2, 1, true, func(random.Rand) (orff.Map, error) { return foreign{}, nil }); err == nil {
		t.Error("a map without a weight was accepted")
	}
}

// A redrawn block has new frequencies. They are equal whether the block is kept or not, and after a restart.
func TestBlocksRedraw(t *testing.T) {
	const D = 3
	build := func(r random.Rand) (orff.Map, error) {
		return maptest.AsMap(vectorfield.NewCurlFree(maptest.Sigma, 3, D, vectorfield.Bounded, r))
	}
	kept, drawn := maptest.Must(orff.NewBlocks(3, 7, true, build)), maptest.Must(orff.NewBlocks(3, 7, false, build))
	phi := func(b *orff.Blocks, i int) []float64 {
		return append([]float64(nil), maptest.Features(b.Block(i), maptest.X, 2*D)...)
	}
	seen := [][]float64{phi(kept, 0), phi(kept, 1), phi(kept, 2)}
	for range 3 {
		if !kept.Redraw(1) || !drawn.Redraw(1) {
			t.Fatal("not drawn again")
		}
		now := phi(kept, 1)
		for _, old := range seen {
			if old[0] == now[0] {
				t.Error("drawn again, but the same")
			}
		}
		seen = append(seen, now)
		for i := range 3 {
			maptest.NearAll(t, "block", phi(drawn, i), phi(kept, i), 0)
		}
	}
	maptest.NearAll(t, "other block", phi(kept, 2), seen[2], 0)
	for _, keep := range []bool{true, false} {
		from, to := map[bool]*orff.Blocks{true: kept, false: drawn}[keep], maptest.Must(orff.NewBlocks(3, 8, keep, build))
		enc := snapshot.NewEncoder(nil)
		from.State(enc)
		dec := snapshot.NewDecoder(enc.Bytes())
		to.State(dec)
		if err := dec.Finish(); err != nil {
			t.Fatal(err)
		}
		from.Redraw(0)
		to.Redraw(0)
		for i := range 3 {
			maptest.NearAll(t, "restored", phi(to, i), phi(from, i), 0)
		}
	}
}
