package eval_test

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/dataset"
	"github.com/orffvar/forecaster/internal/snapshot"
)

// open reads a data set that is too large, or not free, to be bundled: from the
// folder that FORECASTER_DATA names. Without it the test is skipped.
func open(t testing.TB, file string) *eval.Dataset {
	t.Helper()
	dir := os.Getenv("FORECASTER_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data")
	}
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(file)))
	if err != nil {
		t.Skipf("data set not there (set FORECASTER_DATA to its folder): %v", err)
	}
	defer f.Close()
	d, err := dataset.Read(file, f)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// persistence forecasts the last sample.
type persistence struct {
	last []float64
	seen bool
}

func (p *persistence) Observe(y []float64) error { copy(p.last, y); p.seen = true; return nil }
func (p *persistence) ForecastTo(dst []float64) bool {
	copy(dst, p.last)
	return p.seen
}
func (p *persistence) State(*snapshot.Codec) {}

type persistenceModel struct{ dim int }

func (m persistenceModel) NewSeries() eval.Forecaster {
	return &persistence{last: make([]float64, m.dim)}
}
func (persistenceModel) State(*snapshot.Codec) {}

// The online benchmark on ETTh2 of FSNet and OneNet at horizon 1: persistence
// has .404, to the three digits it is known to.
func TestPersistenceOnETTh2(t *testing.T) {
	d := open(t, "ETTh2.csv")
	r, err := eval.Prequential(persistenceModel{d.Dim()}, d, eval.Options{ScaleRows: 2880, From: 3600, To: 14400})
	if err != nil {
		t.Fatal(err)
	}
	s := r.Score(eval.All, 0)
	if s.N != 14400-3600 || math.Abs(s.MSE-.404) > .0005 {
		t.Errorf("N = %d, MSE = %.6f, want 10800, .404", s.N, s.MSE)
	}
	t.Logf("MSE = %.6f", s.MSE)
}

// fourierBlock draws frequencies N(0, 1/sigma^2).
func fourierBlock(in, frequencies int, sigma float64, seed uint64) eval.Block {
	r := rand.New(rand.NewPCG(seed, 2017))
	w := make([]float64, in*frequencies)
	for i := range w {
		w[i] = r.NormFloat64() / sigma
	}
	scale := 1 / math.Sqrt(float64(frequencies))
	return eval.Block{Len: 2 * frequencies, FeaturesTo: func(phi, x []float64) {
		for i := range frequencies {
			a := 0.
			for j, v := range x {
				a += w[i*in+j] * v
			}
			sin, cos := math.Sincos(a)
			phi[i], phi[frequencies+i] = sin*scale, cos*scale
		}
	}}
}

func TestTiming(t *testing.T) {
	for _, e := range eval.Experiments() {
		t0 := time.Now()
		row, err := e.Run(open(t, e.File), eval.TableOptions{Features: fourierBlock, Seeds: []uint64{1, 2, 3}})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%-28s %6d x %d scored %d pers %.6g VAR %.6f (%.6f) %.6f (%.6f) ORFF %.6f %v (%v) %v", e.Name, row.Rows, row.Dim, row.Scored, row.Persistence.MSE,
			e.VAR1.MSE, row.VAR1.MSE, e.VAR1.SD, row.VAR1.SD, e.ORFFVAR.MSE, row.ORFFVAR.MSE, row.ORFFVAR.SD, time.Since(t0))
	}
}
