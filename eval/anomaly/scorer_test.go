package anomaly

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval/detection"
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

// One anomaly is one event, with the rows between its alarms; it has the peak and the
// end, and nothing of it stays behind.
func TestAnomalyEvent(t *testing.T) {
	rows := testseries.Normals(5, 4000, 1)
	const begin, end = 3000, 3040
	for i := begin; i < end; i++ {
		rows[i][0] += 12
	}
	s := NewScorer(Config{Dim: 1})
	events, marked, last, highest := 0, 0, 0, 0.
	for i, y := range rows {
		before := s.Event()
		score, _ := s.Observe(int64(i)*minute, y, []float64{0})
		e := s.Event()
		if i >= begin {
			highest = max(highest, score)
			if s.Anomalous() {
				last = i
			}
		}
		if i >= begin && e.Open && (!before.Open || e.Begin != before.Begin) {
			events++
		}
		if i >= begin && i < end && s.Anomalous() {
			marked++
		}
		if i >= end+40 && s.Anomalous() {
			t.Fatalf("sample %d is part of an anomaly that ended at %d", i, end)
		}
	}
	e := s.Event()
	if events != 1 || marked < end-begin || e.Open {
		t.Errorf("%d events, %d of %d samples marked: %+v", events, marked, end-begin, e)
	}
	if e.Begin != begin*minute || e.Peak < begin*minute || e.Peak >= end*minute || last < end-1 || last > end+30 ||
		e.End != int64(last)*minute || e.Samples != int64(last-begin+1) {
		t.Errorf("begin %d, peak %d, end %d of %d after %d samples", e.Begin/minute, e.Peak/minute, e.End/minute, last, e.Samples)
	}
	if !(e.Score >= 2) || e.Score != highest || e.Shares[0] != 1 || e.Normal {
		t.Errorf("%+v", e)
	}
}

// Inside a long shift of one variable, a jump of another one and a far larger one of the
// same are anomalies of their own, and the shift stays described as what it was.
func TestAnomalyInsideALongOne(t *testing.T) {
	const begin, inside, end = 3000, 3080, 3160
	for _, c := range []struct {
		variable int
		size     float64
	}{{1, 40}, {0, 1e6}} {
		rows := testseries.Normals(9, end+150, 2)
		for i := begin; i < end; i++ {
			rows[i][0] += 8
		}
		rows[inside][c.variable] += c.size
		s := NewScorer(Config{Dim: 2})
		var begins []int
		var inner, shift Event
		for i, y := range rows {
			yhat := []float64{0, 0}
			if i > begin && i < end {
				yhat[0] = 8 // the forecasts know the shift after one sample
			}
			s.Observe(int64(i)*minute, y, yhat)
			if i < begin {
				continue
			}
			if s.Begins() {
				begins = append(begins, i)
			}
			if e, ok := s.Ended(); ok && e.Begin == inside*minute {
				inner = e
			} else if ok && e.Begin <= (begin+1)*minute {
				shift = e
				shift.Shares = append([]float64(nil), e.Shares...)
			}
			if i == inside && (s.Cause() != Jump || s.Shares()[c.variable] < .9 || !s.Anomalous()) {
				t.Errorf("%+v: cause %v, shares %.2f", c, s.Cause(), s.Shares())
			}
		}
		if len(begins) < 2 || begins[0] > begin+1 || begins[1] != inside {
			t.Errorf("%+v: anomalies begin at %v", c, begins)
		}
		if inner.Cause != Jump || inner.End > (inside+2)*minute || inner.Samples > 3 {
			t.Errorf("%+v: the anomaly inside is %+v", c, inner)
		}
		if shift.Cause == Jump || shift.Open || shift.End < (end-10)*minute || shift.Samples < end-begin || shift.Shares[0] < .8 {
			t.Errorf("%+v: the shift is %+v", c, shift)
		}
	}
}

// A spike of one sample is one anomalous sample, although the forecast behind it repeats
// the spike and the means of the views remember it.
func TestAnomalyOfASingleSpike(t *testing.T) {
	const at, spikes = 3000, 15
	behind := 0
	for _, size := range []float64{20, 60, -500} {
		for seed := range uint64(5) {
			rows := testseries.Normals(20+seed, at+60, 1)
			rows[at][0] += size
			s := NewScorer(Config{Dim: 1})
			for i, y := range rows {
				yhat := 0.
				if i == at+1 {
					yhat = .8 * rows[at][0]
				}
				score, _ := s.Observe(int64(i)*minute, y, []float64{yhat})
				if i == at && !(score > 1 && s.Anomalous()) {
					t.Errorf("spike of %v: score %v", size, score)
				}
				if i > at && s.Anomalous() {
					behind++
				}
			}
		}
	}
	if behind > spikes { // some are odd by chance; without these rules there are 24 behind each
		t.Errorf("%d anomalous samples behind %d spikes", behind, spikes)
	}
}

// A large shift of one of two variables ends when it ends: Level, which is below its limit at first,
// does not learn what Correlation holds to be anomalous.
func TestAnomalyOfALargeShiftEnds(t *testing.T) {
	const begin, end = 1000, 1100
	for seed := range uint64(5) {
		rows := testseries.Normals(40+seed, end+150, 2)
		s := NewScorer(Config{Dim: 2})
		yhat, last := []float64{0, 0}, int64(0)
		for i, y := range rows {
			if i >= begin && i < end {
				y[1] += 40
			}
			s.Observe(int64(i)*minute, y, yhat)
			if e := s.Event(); e.Begin >= begin*minute && e.Begin < end*minute {
				last = e.End / minute
			}
			yhat[1] = y[1]
		}
		// Level and Noise forget within their spans, and an event goes on for half a score.
		if last < end-1 || last > end+40 {
			t.Errorf("seed %d: the anomaly ends at %d, the shift at %d", seed, last, end)
		}
	}
}

// A change that lasts is the new normal after NormalAfter samples, and its end is a
// change again.
func TestAnomalyNewNormal(t *testing.T) {
	rows := testseries.Normals(6, 6000, 1)
	const begin, normal = 3000, 200
	for i := begin; i < len(rows); i++ {
		rows[i][0] += 15
	}
	s := NewScorer(Config{Dim: 1, NormalAfter: normal})
	told := 0
	for i, y := range rows {
		yhat := 0.
		if i > begin {
			yhat = 15
		}
		s.Observe(int64(i)*minute, y, []float64{yhat})
		e := s.Event()
		if e.Normal && told == 0 {
			told = i
		}
		if i > begin+normal+200 && e.Open {
			t.Fatalf("sample %d: the event goes on: %+v", i, e)
		}
	}
	if told < begin+normal || told > begin+normal+50 {
		t.Errorf("the new normal was told at %d", told)
	}
}

// A change whose statistic rises and falls is the new normal as soon as one that stays.
func TestAnomalyThatComesAndGoesBecomesNormal(t *testing.T) {
	for seed := range uint64(5) {
		rows := testseries.Normals(seed+1, 4000, 1)
		const begin = 2000
		for i := begin; i < len(rows); i++ {
			rows[i][0] *= 5
		}
		s := NewScorer(Config{Dim: 1})
		most := int64(0)
		for i, y := range rows {
			s.Observe(int64(i)*minute, y, []float64{0})
			if e, ok := s.Ended(); ok && e.Samples > most {
				most = e.Samples
				if most > 300 && !e.Normal {
					t.Errorf("series %d: %d samples are no new normal", seed, most)
				}
			}
		}
		if most <= 300 || most > 300+eventQuiet+5 { // the first odd sample behind 300, and odd ones after it
			t.Errorf("series %d: the longest anomaly has %d samples", seed, most)
		}
	}
}

// An event of one of three related variables is one anomaly with the cause and the variable of the event,
// although the variable contradicts the others each time.
func TestAnomalyHasTheCauseOfWhatHappened(t *testing.T) {
	const begin, length = 3000, 60
	for _, c := range []struct {
		cause   View
		samples int64 // least number
		change  func(y []float64, before float64, i int, r *rand.Rand)
	}{
		{Level, length - 5, func(y []float64, _ float64, _ int, _ *rand.Rand) { y[1] -= 9 }},
		{Jump, 1, func(y []float64, _ float64, i int, _ *rand.Rand) {
			if i == 0 {
				y[1] += 30
			}
		}},
		{Flat, length - 1, func(y []float64, before float64, _ int, _ *rand.Rand) { y[1] = before }},
		{Correlation, length / 2, func(y []float64, _ float64, _ int, r *rand.Rand) { y[1] = 3 * r.NormFloat64() }},
	} {
		r := rand.New(rand.NewPCG(14, 14))
		s := NewScorer(Config{Dim: 3})
		var before float64
		for i, y := range testseries.Normals(14, begin+length, 3) {
			x := 3 * y[0]
			y[0], y[1], y[2] = x, x+.3*y[1], .3*y[2]-x
			if i >= begin {
				c.change(y, before, i-begin, r)
			}
			before = y[1]
			s.Observe(int64(i)*minute, y, []float64{0, 0, 0})
		}
		e := s.Event()
		if e.Begin > (begin+10)*minute || e.Cause != c.cause || e.Samples < c.samples || !(e.Shares[1] > .7) {
			t.Errorf("%v: %+v", c.cause, e)
		}
	}
}

// Anomalies that are a third of the rows do not become usual, although they are small.
func TestAnomalyScorerLearnsNothingFromLongAnomalies(t *testing.T) {
	const normal, odd, rounds = 700, 350, 16
	r := rand.New(rand.NewPCG(13, 13))
	s := NewScorer(Config{Dim: 4})
	y, yhat := make([]float64, 4), make([]float64, 4)
	var scores []float64
	var labels []bool
	for i := range rounds * (normal + odd) {
		is := i%(normal+odd) >= normal
		for j := range y {
			yhat[j] = 0
			y[j] = r.NormFloat64()
			if is {
				y[j] += 1.2
				yhat[j] = 1.2
			}
		}
		score, _ := s.Observe(int64(i)*minute, y, yhat)
		if i >= rounds/2*(normal+odd) {
			scores, labels = append(scores, score), append(labels, is)
		}
	}
	// It is .71, and .50 if they are learnt from. The rest are rows that are not odd themselves.
	if area := detection.AUPRC(scores, labels); !(area > .65) {
		t.Errorf("area under precision and recall %.3f", area)
	}
}

// What has changed during a gap is no anomaly, and a spike behind the gap scores like any
// other.
func TestAnomalyAfterAGap(t *testing.T) {
	const gap, spike = 3000, 3010
	for _, steps := range []int64{1, 300} {
		s := NewScorer(Config{Dim: 1})
		walk, last, time := 0., 0., int64(0)
		for i, step := range testseries.Normals(12, spike+1, 1) {
			time += minute
			walk += step[0]
			if i == gap {
				time += (steps - 1) * minute
				walk += 1.5 * math.Sqrt(float64(steps-1))
			}
			y := walk
			if i == spike {
				y += 30
			}
			score, _ := s.Observe(time, []float64{y}, []float64{last})
			last = y
			if i == gap && score > 1 {
				t.Errorf("gap of %d steps: score %.2f", steps, score)
			}
			if i == spike && (score < 2 || s.Cause() != Jump) {
				t.Errorf("spike behind a gap of %d steps: score %.2f by %v", steps, score, s.Cause())
			}
		}
	}
}

// Rules keep alarms back, but a variable without one raises them.
func TestAnomalyRules(t *testing.T) {
	jump := func(c Config, variable int, size float64, length int) int {
		c.Dim = 2
		rows := testseries.Normals(8, 3100, 2)
		for i := range length {
			rows[3000+i][variable] = size
		}
		return alarms(anomalyScores(NewScorer(c), rows)[3000:3020])
	}
	if jump(Config{}, 0, 50, 1) == 0 || jump(Config{}, 0, -50, 1) == 0 {
		t.Fatal("no alarm without rules")
	}
	for _, rule := range []Rule{{MinDeviation: 60}, {Direction: Below}} {
		c := Config{Rules: []Rule{rule, {}}}
		if n := jump(c, 0, 50, 1); n != 0 {
			t.Errorf("%+v: %d alarms", rule, n)
		}
		if n := jump(c, 0, -70, 1); n == 0 {
			t.Errorf("%+v: no alarm for -70", rule)
		}
		if n := jump(c, 1, 50, 1); n == 0 {
			t.Errorf("%+v: no alarm of the other variable", rule)
		}
	}
	if !(Rule{MinRelative: .1}).admits(100, 11) || (Rule{MinRelative: .1}).admits(100, -9) {
		t.Error("relative deviation")
	}
	if n := jump(Config{MinDuration: 3}, 0, 50, 1); n != 0 {
		t.Errorf("%d alarms of one sample where three are asked for", n)
	}
}

// An alarm needs variables that are odd enough for it without those that a rule suppresses, in
// every view, and they alone are to blame.
func TestAnomalyRulesLookAtTheOtherVariablesAlone(t *testing.T) {
	const at = 3000
	quiet := Rule{MinDeviation: 1e9}
	for _, c := range []struct {
		name   string
		rules  []Rule
		change func(y []float64, i int)
		blamed int // -1: there is no alarm
	}{
		{"jump beside a suppressed one", []Rule{quiet, {}, {}}, func(y []float64, i int) {
			if i == 0 {
				y[0], y[2] = y[0]+1000, 40
			}
		}, 2},
		{"odd, but no jump, beside a suppressed one", []Rule{quiet, {}, {}}, func(y []float64, i int) {
			if i == 0 {
				y[0], y[2] = y[0]+25, 3
			}
		}, -1},
		{"shift beside a suppressed one", []Rule{quiet, {}, {}}, func(y []float64, _ int) {
			y[0] += 400
			y[2] += 4
		}, 2},
		{"suppressed shift that contradicts a variable", []Rule{quiet, {}, {}}, func(y []float64, _ int) { y[0] -= 9 }, -1},
		{"shift that contradicts a suppressed variable", []Rule{{}, quiet, {}}, func(y []float64, _ int) { y[0] -= 9 }, 0},
		{"all suppressed", []Rule{quiet, quiet, quiet}, func(y []float64, _ int) { y[0] += 30; y[2] += 30 }, -1},
	} {
		rows := testseries.Normals(14, at+30, 3)
		for i, y := range rows {
			y[0] *= 3
			y[1] = y[0] + .3*y[1]
			if i >= at {
				c.change(y, i-at)
			}
		}
		s := NewScorer(Config{Dim: 3, Rules: c.rules})
		for i, y := range rows {
			score, _ := s.Observe(int64(i)*minute, y, make([]float64, 3))
			if i < at {
				continue
			}
			if score > 1 && c.blamed < 0 {
				t.Errorf("%s: row %d has the score %.2f by %v, shares %.2f", c.name, i-at, score, s.Cause(), s.Shares())
			}
			for j, share := range s.Shares() {
				if score > 1 && c.rules[j] == quiet && share > 0 {
					t.Errorf("%s: row %d: variable %d is suppressed, shares %.2f", c.name, i-at, j, s.Shares())
				}
			}
		}
		if e := s.Event(); c.blamed >= 0 && (!(e.Begin >= at*minute) || !(e.Shares[c.blamed] > .9)) {
			t.Errorf("%s: %+v", c.name, e)
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
