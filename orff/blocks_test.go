package orff

import (
	"testing"

	"github.com/orffvar/forecaster/internal/snapshot"
)

func fourierBlock(r Rand) (Map, error) {
	f, err := NewFourier(Gaussian{refSigma}, 3, 8, r)
	if err != nil {
		return nil, err
	}
	return NewDecomposable(f, Identity(2)), nil
}

func TestBlocksKeptAndRedrawnAreTheSame(t *testing.T) {
	kept := must(NewBlocks(5, 42, true, fourierBlock))
	redrawn := must(NewBlocks(5, 42, false, fourierBlock))
	d := kept.Dims()
	if redrawn.Dims() != d || d.Params != 5*2*16 {
		t.Fatalf("sizes %v and %v", d, redrawn.Dims())
	}
	theta := normals(1, d.Params)
	a, b := features(kept, refX, d.Features), features(redrawn, refX, d.Features)
	nearAll(t, "phi", b, a, 0)
	ya, yb := make([]float64, 2), make([]float64, 2)
	kept.PredictTo(ya, a, theta)
	redrawn.PredictTo(yb, b, theta)
	nearAll(t, "prediction", yb, ya, 0)
	for _, i := range []int{3, 0, 4, 4, 1} { // any order
		n := d.Features / 5
		nearAll(t, "block", features(redrawn.Block(i), refX, n), a[i*n:(i+1)*n], 0)
	}
	if n := testing.AllocsPerRun(10, func() { redrawn.FeaturesTo(b, refZ) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// C5.6: the sum over the blocks is Phi(x)^T theta with the concatenated W.
func TestBlocksEqualOneMapOfAllFrequencies(t *testing.T) {
	blocks := must(NewBlocks(5, 42, true, fourierBlock))
	var w []float64
	for i := range 5 {
		w = append(w, blocks.Block(i).(*Decomposable).Scalar().(*Fourier).Frequencies()...)
	}
	whole := NewDecomposable(FourierOf(w, 3), Identity(2))
	nearAll(t, "K~", mapKernel(blocks, refX, refZ), mapKernel(whole, refX, refZ), 1e-14)
	adjoint(t, blocks, refX, 5)
}

func TestBlocksState(t *testing.T) {
	for _, keep := range []bool{true, false} {
		a := must(NewBlocks(3, 42, keep, fourierBlock))
		b := must(NewBlocks(3, 43, keep, fourierBlock))
		enc := snapshot.NewEncoder(nil)
		a.State(enc)
		dec := snapshot.NewDecoder(enc.Bytes())
		b.State(dec)
		if err := dec.Finish(); err != nil {
			t.Fatal(err)
		}
		n := a.Dims().Features
		nearAll(t, "phi", features(b, refX, n), features(a, refX, n), 0)
	}
}

func TestBlocksRefuse(t *testing.T) {
	if _, err := NewBlocks(0, 1, true, fourierBlock); err == nil {
		t.Error("no blocks were accepted")
	}
	if _, err := NewBlocks(2, 1, false, func(Rand) (Map, error) {
		return NewDecomposable(FourierOf([]float64{1}, 1), Identity(1)), nil
	}); err == nil {
		t.Error("given frequencies were accepted as drawn ones")
	}
}
