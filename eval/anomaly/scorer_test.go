package anomaly

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/testseries"
)

const minute = 60e9 // ns

// anomalyScores returns the score of every row whose forecast is 0, NaN where there is
// none. Rows are a minute apart.
func anomalyScores(s *Scorer, rows [][]float64) []float64 {
	zero := make([]float64, len(rows[0]))
	scores := make([]float64, len(rows))
	for i, y := range rows {
		score, ok := s.Observe(int64(i)*minute, y, zero)
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

// A series that does not change has as many alarms as were asked for, within a factor
// of two, whatever its dimension. At 1e-2, alarms within the same event are missing.
// TestFalseAlarmsOfKnownNoise has laws of one variable.
func TestAnomalyScorerKeepsTheRateOfFalseAlarms(t *testing.T) {
	const n = 40_000
	for _, c := range []struct {
		name string
		dim  int
		next func(r *rand.Rand, y, yhat []float64)
	}{
		{"random walk", 1, func(r *rand.Rand, y, yhat []float64) { yhat[0] = y[0]; y[0] += r.NormFloat64() }},
		{"three factors", 20, func(r *rand.Rand, y, _ []float64) {
			f := [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
			for j := range y {
				y[j] = .5*r.NormFloat64() + f[j%3] + .3*f[(j+1)%3]
			}
		}},
	} {
		for _, rate := range []float64{1e-2, 1e-3} {
			r := rand.New(rand.NewPCG(1, 2))
			s := NewScorer(Config{Dim: c.dim, FalseAlarms: rate})
			y, yhat := make([]float64, c.dim), make([]float64, c.dim)
			count := 0
			for i := range n {
				c.next(r, y, yhat)
				if score, _ := s.Observe(int64(i)*minute, y, yhat); score > 1 {
					count++
				}
			}
			if got := float64(count) / n; !(got >= rate/2 && got <= 2*rate) {
				t.Errorf("%s at %v: %v alarms per sample", c.name, rate, got)
			}
		}
	}
}

// The larger the jump, the larger the score, without a limit.
func TestAnomalyScorerGrowsWithTheJump(t *testing.T) {
	for _, dim := range []int{1, 4} {
		last := 0.
		for _, jump := range []float64{3, 10, 30, 100, 1000, 1e6} {
			rows := testseries.Normals(7, 3001, dim)
			rows[3000][0] = jump
			scores := anomalyScores(NewScorer(Config{Dim: dim}), rows)
			if !(scores[3000] > last) {
				t.Errorf("%d variables: a jump of %v has the score %.3f, a smaller one %.3f", dim, jump, scores[3000], last)
			}
			last = scores[3000]
		}
		if !(last >= 2) {
			t.Errorf("%d variables: the largest jump has the score %.2f", dim, last)
		}
	}
}

// Each kind of change is found, with the variable to blame.
func TestAnomalyScorerFindsEachKindOfChange(t *testing.T) {
	const at, length = 3000, 100
	// Variables 0 to 2 share a factor, so that they say something of each other.
	made := func() [][]float64 {
		rows := testseries.Normals(2, 4000, 4)
		for _, y := range rows {
			f := 3 * y[3]
			y[0], y[1], y[2] = f+.3*y[0], f+.3*y[1], -f+.3*y[2]
			y[3] = f
		}
		return rows
	}
	for _, c := range []struct {
		view   View
		share  float64 // least, of variable 2
		change func(y []float64, r *rand.Rand)
	}{
		{Correlation, .7, func(y []float64, r *rand.Rand) { y[2] = 3 * r.NormFloat64() }},
		{Correlation, .7, func(y []float64, _ *rand.Rand) { y[2] += 2 }},
		{Jump, .1, func(y []float64, _ *rand.Rand) { // all together, as their correlation has it
			for j, sign := range []float64{1, 1, -1, 1} {
				y[j] += 500 * sign
			}
		}},
	} {
		rows, r := made(), rand.New(rand.NewPCG(3, 3))
		for i := at; i < at+length; i++ {
			c.change(rows[i], r)
		}
		s := NewScorer(Config{Dim: 4})
		scores, first := make([]float64, len(rows)), -1
		for i, y := range rows {
			scores[i], _ = s.Observe(int64(i)*minute, y, make([]float64, 4))
			if i < at || scores[i] <= 1 || first >= 0 {
				continue
			}
			first = i
			if view, shares := s.Cause(), s.Shares(); view != c.view || !(shares[2] >= c.share) {
				t.Errorf("%v: sample %d: view %v, shares %.2f", c.view, i, view, shares)
			}
		}
		if first < at || first > at+length/2 {
			t.Errorf("%v: first alarm at %d, the change is at %d", c.view, first, at)
		}
		if e := s.Event(); e.Begin < int64(first)*minute {
			t.Errorf("%v: the last event begins at %d", c.view, e.Begin)
		}
	}
}

// The view Level knows the time of day: a day without its usual shape is an anomaly,
// although each of its values is one that comes every day.
func TestAnomalyScorerKnowsTheTimeOfDay(t *testing.T) {
	const day = 288
	r := rand.New(rand.NewPCG(4, 4))
	s := NewScorer(Config{Dim: 1})
	last, found := 0., 0
	for i := range 10 * day {
		y := r.NormFloat64()
		if i%day >= 100 && i%day < 180 && i/day != 8 {
			y += 50
		}
		score, _ := s.Observe(int64(i)*5*minute, []float64{y}, []float64{last})
		last = y
		if i/day == 8 && score > 1 && found == 0 {
			found = i % day
			if view := s.Cause(); view != Level {
				t.Errorf("view %v", view)
			}
		}
	}
	if found < 100 || found > 110 {
		t.Errorf("found at %d of the day, the shape is missing from 100 on", found)
	}
}

// Variables that hardly move together are an anomaly, although each value is usual and the forecasts
// are as good as ever. One variable alone may rest.
func TestAnomalyOfVariablesThatStandStill(t *testing.T) {
	const at, length, dim = 3000, 150, 4
	for _, still := range []int{0, 1, dim} {
		r := rand.New(rand.NewPCG(15, 15))
		s := NewScorer(Config{Dim: dim})
		y, yhat := make([]float64, dim), make([]float64, dim)
		found := false
		for i := range at + length {
			for j := range y {
				if i < at || j >= still {
					y[j] = math.Sin(float64(i)/10+float64(j)) + .1*r.NormFloat64()
				} else {
					y[j] += 1e-4 * r.NormFloat64()
				}
				yhat[j] = y[j] + .1*r.NormFloat64()
			}
			score, _ := s.Observe(int64(i)*minute, y, yhat)
			found = found || i >= at && score > 1 && s.Cause() == Flat
		}
		if want := still == dim; found != want {
			t.Errorf("%d of %d variables stand still: found %v", still, dim, found)
		}
	}
}

// A small contradiction between variables that lasts is found by its length: none of its samples is
// odd enough by itself.
func TestAnomalyOfASmallContradictionThatLasts(t *testing.T) {
	const at, length = 4000, 300
	for _, size := range []float64{0, .3} {
		for seed := range uint64(3) {
			rows := testseries.Normals(30+seed, at+length, 3)
			for i, y := range rows {
				y[1] = y[0] + .3*y[1]
				y[2] = y[0] + .3*y[2]
				if i >= at {
					y[2] += size
				}
			}
			s := NewScorer(Config{Dim: 3})
			found := false
			for i, y := range rows {
				score, _ := s.Observe(int64(i)*minute, y, make([]float64, 3))
				found = found || i >= at && score > 1 && s.Cause() == Correlation && s.Shares()[2] > .5
			}
			if found != (size > 0) {
				t.Errorf("by %v, seed %d: found %v", size, seed, found)
			}
		}
	}
}

// An anomaly that the state has seen first is the new normal of Correlation only after Correlation has seen it for as long as
// all others: the next one of the kind is an anomaly, too.
func TestViewsSettleForThemselves(t *testing.T) {
	const dim, after = 3, 300
	s := NewScorer(Config{Dim: dim, NormalAfter: after})
	anomalyScores(s, testseries.Normals(5, 500, dim))
	e, usual := &s.event, slices.Clone(s.residuals.Usual)
	see := func(from, to int64, v View) {
		s.scores, s.leading = [viewCount]float64{}, v
		s.scores[v] = 2
		for e.age = from; e.age < to; e.age++ {
			s.residuals.Mean[0] = 100
			s.takePart(e.age*minute, 2)
		}
	}
	s.scores[State], s.leading = 2, State
	s.begin(0, 2, false)
	see(2, 250, State)
	see(250, 250+after, Correlation)
	if e.Normal || !slices.Equal(s.residuals.Usual, usual) {
		t.Errorf("%d samples of Correlation are the new normal: %+v", after, e.Event)
	}
	see(250+after, 251+after, Correlation)
	if !e.Normal || s.residuals.Usual[0] == usual[0] {
		t.Errorf("%d samples of Correlation are no new normal: %+v", after+1, e.Event)
	}
}

// A variable that has rested and begins to move now and then is not flat in between: it was so before.
func TestVariableAtRestBeginsToMove(t *testing.T) {
	const at, most = 3000, 12
	rows, moves := testseries.Normals(6, 2*at, 3), testseries.Normals(7, 2*at, 1)
	for i := range rows {
		if rows[i][2] = 0; i >= at && i%100 < most {
			rows[i][2] = moves[i][0]
		}
	}
	s := NewScorer(Config{Dim: 3})
	for i, y := range rows {
		s.Observe(int64(i)*minute, y, make([]float64, 3))
		if s.scores[Flat] > 1 && !s.standing {
			t.Fatalf("row %d: Flat has the score %.2f", i, s.scores[Flat])
		}
	}
}

// A variable that is missing or constant has no part in the score, and a series without
// values has none.
func TestAnomalyScorerIgnoresMissingVariables(t *testing.T) {
	rows := testseries.Normals(4, 1000, 2)
	s := NewScorer(Config{Dim: 4})
	for i, y := range rows {
		score, ok := s.Observe(int64(i)*minute, []float64{y[0], y[1], math.NaN(), 0}, make([]float64, 4))
		if ok != (i >= anomalyWarmup) || math.IsNaN(score) || !(score <= 3) {
			t.Fatalf("sample %d: score %v, %v", i, score, ok)
		}
		if shares := s.Shares(); ok && !(shares[2]+shares[3] <= 0) {
			t.Fatalf("sample %d: shares %v", i, shares)
		}
	}
	none := NewScorer(Config{Dim: 1})
	for i := range 300 {
		if _, ok := none.Observe(int64(i)*minute, []float64{math.NaN()}, nil); ok {
			t.Fatal("a score of nothing")
		}
	}
	if shares := none.Shares(); shares != nil {
		t.Error("shares of nothing")
	}
}

// Errors that repeat exactly never exceed the largest ones that are kept, however often
// the past samples lose half their weight.
func TestAnomalyScorerOfARepeatedError(t *testing.T) {
	s := NewScorer(Config{Dim: 1})
	const n = 20 * tailMemory
	count := 0
	for i := range n {
		if score, _ := s.Observe(int64(i)*minute, []float64{float64(i % 2)}, []float64{0}); score > 1 {
			count++
		}
	}
	if count > n/1000 {
		t.Errorf("%d alarms", count)
	}
	if score, _ := s.Observe(0, []float64{100}, []float64{0}); !(score > 1) {
		t.Errorf("an error of 100 after 0 and 1: score %v", score)
	}
}

func TestAnomalyScorerAllocatesNothing(t *testing.T) {
	s, y, yhat := NewScorer(Config{Dim: 3}), []float64{1, 2, 3}, []float64{1, 2, 2}
	i := int64(0)
	if n := testing.AllocsPerRun(300, func() { s.Observe(i*minute, y, yhat); i++; y[1] = -y[1] }); n != 0 {
		t.Errorf("%v allocations per step", n)
	}
}

// Samples of an open anomaly that are no alarms rank before those outside of any.
func TestAnomalyScoreRanksSamples(t *testing.T) {
	rows := testseries.Normals(7, 4000, 3)
	for i := 3000; i < 3060; i++ {
		rows[i][1] += 6
	}
	s := NewScorer(Config{Dim: 3})
	within := 0
	for i, y := range rows {
		score, _ := s.Observe(int64(i)*minute, y, []float64{0, 0, 0})
		if score > 1 || !s.Event().Open {
			continue
		}
		if within++; !(score >= eventOpen) {
			t.Fatalf("sample %d of an anomaly: score %v", i, score)
		}
	}
	if within < 20 {
		t.Errorf("%d samples below 1 within an anomaly", within)
	}
}

// BenchmarkAnomalyScorer times one sample: its score, and that of each variable.
func BenchmarkAnomalyScorer(b *testing.B) {
	for _, dim := range []int{1, 7, 31} {
		b.Run(fmt.Sprintf("d=%d", dim), func(b *testing.B) {
			s := NewScorer(Config{Dim: dim})
			rows, yhat, each := testseries.Normals(1, 512, dim), make([]float64, dim), make([]float64, dim)
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				s.Observe(int64(n)*minute, rows[n%512], yhat)
				s.VariablesTo(each)
			}
		})
	}
}
