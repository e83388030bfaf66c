package eval

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/snapshot"
)

// noisy returns n samples of dim independent standard normal variables. Their best
// forecast is 0.
func noisy(seed uint64, n, dim int) [][]float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, dim)
		for j := range rows[i] {
			rows[i][j] = r.NormFloat64()
		}
	}
	return rows
}

// surprises returns the score of every row whose forecast is 0, NaN where there is
// none.
func surprises(s *Surprise, rows [][]float64) []float64 {
	zero := make([]float64, len(rows[0]))
	scores := make([]float64, len(rows))
	for i, y := range rows {
		score, ok := s.Observe(y, zero)
		if !ok {
			score = math.NaN()
		}
		scores[i] = score
	}
	return scores
}

func alarms(scores []float64) int {
	n := 0
	for _, s := range scores {
		if s > 1 {
			n++
		}
	}
	return n
}

// Stationary noise raises no alarm. In units of its limit, a smoothed level has
// the standard deviation 1/sqrt(2*50) = 0.1 and a log energy, of a chi square of one
// degree of freedom, 2.2 * 0.1, so a limit is four deviations away or more.
func TestSurpriseIsQuietOnNoise(t *testing.T) {
	scores := surprises(NewSurprise(4), noisy(1, 5000, 4))
	if n := alarms(scores); n > 0 {
		t.Errorf("%d alarms", n)
	}
	for i, s := range scores {
		if math.IsNaN(s) != (i < surpriseWarmup) {
			t.Fatalf("score of sample %d: %v", i, s)
		}
	}
}

// Each kind of change is found, by its own view, with the variable to blame.
func TestSurpriseFindsEachKindOfChange(t *testing.T) {
	const at, length = 2000, 200
	for _, c := range []struct {
		view   View
		change func(rows [][]float64)
		follow float64 // by how much the forecasts follow the change
	}{
		{Level, func(rows [][]float64) {
			for i := at; i < at+length; i++ {
				rows[i][2] += 4
			}
		}, 4},
		{Noise, func(rows [][]float64) {
			for i := at; i < at+length; i++ {
				rows[i][2] *= .01 // quieter than usual is as odd as louder
			}
		}, 0},
		{Jump, func(rows [][]float64) { rows[at][2] = 40 }, 0},
	} {
		rows := noisy(2, 4000, 4)
		c.change(rows)
		s, yhat := NewSurprise(4), make([]float64, 4)
		first, before := -1, 0
		for i, y := range rows {
			yhat[2] = 0
			if i > at && i < at+length {
				yhat[2] = c.follow
			}
			score, _ := s.Observe(y, yhat)
			if score <= 1 {
				continue
			}
			if i < at {
				before++
			}
			if first < 0 {
				first = i
				if view, shares := s.Leading(); view != c.view || shares[2] < .7 {
					t.Errorf("%v: sample %d: view %v, shares %.2f", c.view, i, view, shares)
				}
			}
		}
		if before > 0 || first < at || first > at+length/2 {
			t.Errorf("%v: %d alarms before the change at %d, the first alarm at %d", c.view, before, at, first)
		}
	}
}

// A third of the samples anomalous: what is usual still is what was usual, because
// values are clipped as they are learnt.
func TestSurpriseLearnsLittleFromAnomalies(t *testing.T) {
	rows := noisy(3, 12_000, 2)
	labels := make([]bool, len(rows))
	for i := range rows {
		if labels[i] = i%1200 > 800; labels[i] {
			rows[i][0] += 6
			rows[i][1] += 6
		}
	}
	s, scores := NewSurprise(2), make([]float64, len(rows))
	yhat := make([]float64, 2) // of persistence of the level
	for i, y := range rows {
		scores[i], _ = s.Observe(y, yhat)
		yhat[0], yhat[1] = 0, 0
		if labels[i] {
			yhat[0], yhat[1] = 6, 6
		}
	}
	// Random scores have the share of the labelled, 1/3, and an alarm at each
	// sample the F1 of 1/2.
	if got := AUPRC(scores, labels); got < .9 {
		t.Errorf("AUPRC = %.3f", got)
	}
	if d := Detect(scores, labels, 1); d.F1 < .8 {
		t.Errorf("%+v", d)
	}
}

// A score is a matter of the shape of the series, not of its units, and a variable
// that is missing or constant has no part in it.
func TestSurpriseIgnoresUnitsAndMissingVariables(t *testing.T) {
	rows := noisy(4, 1000, 2)
	want := surprises(NewSurprise(2), rows)
	other := make([][]float64, len(rows))
	for i, y := range rows {
		other[i] = []float64{y[0] * 1e6, y[1] * 1e-6, math.NaN(), 0}
	}
	for i, got := range surprises(NewSurprise(4), other) {
		if math.IsNaN(want[i]) != math.IsNaN(got) || math.Abs(got-want[i]) > 1e-9*want[i] { // rounding
			t.Fatalf("sample %d: %v, want %v", i, got, want[i])
		}
	}
	s := NewSurprise(1)
	for range 300 {
		if _, ok := s.Observe([]float64{math.NaN()}, nil); ok {
			t.Fatal("a score of nothing")
		}
	}
	if _, shares := s.Leading(); shares != nil {
		t.Error("shares of nothing")
	}
}

func TestSurpriseState(t *testing.T) {
	rows := noisy(5, 600, 3)
	whole := NewSurprise(3)
	surprises(whole, rows[:300])
	enc := snapshot.NewEncoder(nil)
	whole.State(enc)
	restored := NewSurprise(3)
	dec := snapshot.NewDecoder(enc.Bytes())
	restored.State(dec)
	if err := dec.Finish(); err != nil {
		t.Fatal(err)
	}
	a, b := surprises(whole, rows[300:]), surprises(restored, rows[300:])
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("sample %d: %v after restoring, want %v", i, b[i], a[i])
		}
	}
	again := snapshot.NewEncoder(nil)
	restored.State(again)
	final := snapshot.NewEncoder(nil)
	whole.State(final)
	if !bytes.Equal(again.Bytes(), final.Bytes()) {
		t.Error("the states differ")
	}
}

func TestSurpriseAllocatesNothing(t *testing.T) {
	s, y, yhat := NewSurprise(3), []float64{1, 2, 3}, []float64{1, 2, 2}
	if n := testing.AllocsPerRun(300, func() { s.Observe(y, yhat); y[1] = -y[1] }); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
}
