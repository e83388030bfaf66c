package anomaly

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/testseries"
)

// A run of 4 repetitions is as improbable as its beginning, and two doublings of its length.
func TestSurprisalOfARun(t *testing.T) {
	v := valueRun{age: 4, reached: [runBins]uint16{10 * runParts, 4 * runParts, runParts}}
	near(t, "surprisal", v.surprisal(1003), -math.Log(10.5/1000*4.5/11*1.5/5), 1e-12) // rounding of a product
	v.age = 3
	near(t, "surprisal of 3, which is that of 2", v.surprisal(1002), -math.Log(10.5/1000*4.5/11), 1e-12)
	v.age = 2
	near(t, "surprisal of 2, which is too short", v.surprisal(1002), 0, 0)
}

// standing observes rows a minute apart with forecasts that err like white noise. It returns the
// number of alarms, and of runs of equal values that are odd enough for one.
func standing(s *Scorer, rng *rand.Rand, rows [][]float64) (alarms, runs int) {
	yhat := make([]float64, len(rows[0]))
	for i, y := range rows {
		for j := range y {
			yhat[j] = y[j] + .1*rng.NormFloat64()
		}
		before := s.standing
		score, _ := s.Observe(int64(i)*minute, y, yhat)
		if s.standing && score > 1 {
			alarms++
		}
		if s.standing && !before {
			runs++
		}
	}
	return alarms, runs
}

// A sensor that stands still although it never did before is an anomaly, by itself and among others.
// It lasts from the first repetition to the last one, and is the sensor's.
func TestAnomalyOfASensorThatIsStuck(t *testing.T) {
	const at, length = 3000, 40
	for _, dim := range []int{1, 4} {
		rng := rand.New(rand.NewPCG(91, uint64(dim)))
		rows := testseries.Normals(91, at+length, dim)
		for i := at; i < at+length; i++ {
			rows[i][dim-1] = rows[at-1][dim-1]
		}
		s := NewScorer(Config{Dim: dim})
		if _, runs := standing(s, rng, rows); runs != 1 {
			t.Errorf("%d variables: %d runs", dim, runs)
		}
		e := s.Event()
		if !e.Open || e.Begin != at*minute || e.Samples != length || e.Cause != Flat || !(e.Shares[dim-1] > .9) {
			t.Errorf("%d variables: begins at %d: %+v", dim, e.Begin/minute, e)
		}
		for i, y := range testseries.Normals(92, 40, dim) {
			s.Observe(int64(at+length+i)*minute, y, y)
			if s.Anomalous() && s.Event().Cause == Flat {
				t.Errorf("%d variables: sample %d after the end is part of the anomaly", dim, i)
			}
		}
	}
}

// All variables may stand still together for a while now and then: that is rarer than the runs of each
// of them, and an anomaly each time.
func TestAnomalyOfRowsThatRepeat(t *testing.T) {
	rng := rand.New(rand.NewPCG(93, 93))
	rows := testseries.Normals(93, 6*1440, 7)
	for _, at := range []int{2000, 2500, 3000} {
		for i := range 24 {
			rows[at+i] = rows[at]
		}
	}
	if _, runs := standing(NewScorer(Config{Dim: 7}), rng, rows); runs != 3 {
		t.Errorf("%d runs, want 3", runs)
	}
}

// Where values hold often there are no more alarms than are asked for: a sensor that reports changes
// only, with lengths that have no mean; nights without a change; a variable that never changes.
func TestRunsThatAreUsual(t *testing.T) {
	const n = 20_000
	cases := map[string]func(rng *rand.Rand, i int, before float64) float64{
		"changes only": func(rng *rand.Rand, _ int, before float64) float64 { return before },
		"nights": func(rng *rand.Rand, i int, _ float64) float64 {
			return max(0, math.Sin(2*math.Pi*float64(i)/1440)) * (1 + .1*rng.NormFloat64())
		},
		"constant": func(*rand.Rand, int, float64) float64 { return 5 },
	}
	for name, next := range cases {
		rng := rand.New(rand.NewPCG(94, 94))
		rows, hold := make([][]float64, n), 0.
		value := 0.
		for i := range rows {
			if hold--; name == "changes only" && hold < 0 {
				value, hold = rng.NormFloat64(), math.Floor(1/rng.Float64())
			} else {
				value = next(rng, i, value)
			}
			rows[i] = []float64{value}
		}
		// Flat has a part of .3 of one alarm in 1,000; 6 are expected, 2.4 of them by chance more or less.
		alarms, _ := standing(NewScorer(Config{Dim: 1}), rng, rows)
		if most := 11; alarms > most {
			t.Errorf("%s: %d alarms, at most %d", name, alarms, most)
		}
		t.Logf("%s: %d alarms", name, alarms)
	}
}

// What is stuck for longer than NormalAfter is the new normal, and no anomaly any more.
func TestARunBecomesNormal(t *testing.T) {
	rng := rand.New(rand.NewPCG(95, 95))
	rows := testseries.Normals(95, 3400, 1)
	for i := 3000; i < len(rows); i++ {
		rows[i][0] = 1
	}
	s := NewScorer(Config{Dim: 1, NormalAfter: 200})
	standing(s, rng, rows)
	if e := s.Event(); e.Open || !e.Normal || e.End >= 3210*minute {
		t.Errorf("%+v, which ends at %d", e, e.End/minute)
	}
}

// A jump to another level, where the variable stays for 12 samples, is an anomaly of 12 samples.
func TestAnomalyOfAShiftOfTwelveSamples(t *testing.T) {
	const at, length, size = 3000, 12, 12.
	rng := rand.New(rand.NewPCG(96, 96))
	s := NewScorer(Config{Dim: 1})
	y, level := 0., 0.
	for i := range at + length + 30 {
		yhat := y
		level += rng.NormFloat64()
		y = level
		if i >= at && i < at+length {
			y += size
		}
		error := y - yhat
		if i == at+length {
			error *= .35 // the forecast expected most of the return, which is no alarm
		}
		s.Observe(int64(i)*minute, []float64{y}, []float64{y - error})
	}
	if e, begin, end := s.Event(), int64(at), int64(at+length-1); e.Begin != begin*minute || e.End < end*minute || e.End > (end+1)*minute || e.Samples != (e.End-begin*minute)/minute+1 {
		t.Errorf("from %d to %d, want %d to %d: %d samples", e.Begin/minute, e.End/minute, begin, end, e.Samples)
	}
}
