package anomaly

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval/detection"
	"github.com/orffvar/forecaster/internal/tools/testseries"
)

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

// An anomaly of another variable inside a change that lasts does not delay the new normal.
func TestAnomalyInsideDoesNotDelayTheNewNormal(t *testing.T) {
	const begin, inside, normal = 3000, 3080, 200
	for seed := range uint64(6) {
		s := NewScorer(Config{Dim: 2, NormalAfter: normal})
		level, samples := []float64{0, 0}, int64(0)
		for i, y := range testseries.Normals(6+seed, begin+2*normal, 2) {
			if i == begin {
				level[0] = 3
			} else if i == inside {
				level[1] = 30
			}
			y[0] += level[0]
			y[1] += level[1]
			s.Observe(int64(i)*minute, y, level)
			if e, ok := s.Ended(); ok && e.Normal && samples == 0 {
				samples = e.Samples
			}
		}
		// A view may score above 1 a few samples after the beginning.
		if samples < normal || samples > normal+10 {
			t.Errorf("series %d: the change is normal after %d samples", seed, samples)
		}
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

// A change during a gap is no anomaly, and a spike after the gap scores like other spikes.
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
