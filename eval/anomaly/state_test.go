package anomaly

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval/detection"
	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/internal/tools/testseries"
)

// stateScores returns the scores of the state of rows a minute apart, whose forecasts are the rows before.
func stateScores(rows [][]float64) []float64 {
	s := NewScorer(Config{Dim: len(rows[0])})
	scores := make([]float64, len(rows))
	var last []float64
	for i, y := range rows {
		s.Observe(int64(i)*minute, y, last)
		scores[i], _ = s.StateScore()
		last = y
	}
	return scores
}

// The score of the state begins with the other scores, after a warm-up of normal samples, and stays.
func TestStateScoreBegins(t *testing.T) {
	s := NewScorer(Config{Dim: 3})
	first := -1
	for i, y := range testseries.Normals(8, 1000, 3) {
		s.Observe(int64(i)*minute, y, make([]float64, 3))
		score, ok := s.StateScore()
		if ok && first < 0 {
			first = i
		}
		if ok != (first >= 0) || ok && !(score >= 0) {
			t.Fatalf("row %d: %v, %v, the first was in row %d", i, score, ok, first)
		}
	}
	if first < anomalyWarmup-1 || first > 3*anomalyWarmup {
		t.Errorf("the first score is that of row %d", first)
	}
}

// The least standard deviation is the smallest step; a variable that rests or is missing takes none.
func TestTheLeastDeviationIsTheSmallestStep(t *testing.T) {
	s, last := newNormalState(1), []float64{0}
	for _, v := range []float64{3, 2.5, 2.5, math.NaN(), 7, 9} {
		y := []float64{v}
		s.resolve(y, last)
		last = y
	}
	if s.scale(); s.resolution[0] != .5 || s.inverse[0] != 2 {
		t.Errorf("resolution %v, inverse deviation %v, want .5, 2", s.resolution[0], s.inverse[0])
	}
}

// On servers whose variables rest, move seldom, or follow a load, the state ranks the rows of long
// incidents before normal ones. Six other seeds have a mean area of .89, and .86 of the incidents.
func TestStateOfServers(t *testing.T) {
	var areas, found []float64
	for _, seed := range []uint64{11, 12} {
		rows, incidents := testseries.Servers(seed)
		scores := stateScores(rows)
		labels := make([]bool, len(rows))
		for _, a := range incidents {
			for i := a.From; i < a.To; i++ {
				labels[i] = true
			}
		}
		var normal []float64
		for i := testseries.ServersHistory; i < len(rows); i++ {
			if !labels[i] {
				normal = append(normal, scores[i])
			}
		}
		slices.Sort(normal)
		limit, hits := normal[len(normal)-1-len(normal)/1000], 0. // .1 % false rows
		for _, a := range incidents {
			if slices.Max(scores[a.From:a.To]) > limit {
				hits++
			}
		}
		areas = append(areas, detection.AUPRC(scores[testseries.ServersHistory:], labels[testseries.ServersHistory:]))
		found = append(found, hits/float64(len(incidents)))
	}
	t.Logf("areas %.3f, found %.3f at .1 %% false rows", areas, found)
	if area, part := scoring.Summarize(areas...).Mean, scoring.Summarize(found...).Mean; !(area >= .8) || !(part >= .75) {
		t.Errorf("mean area %.3f, found %.3f", area, part)
	}
}

// The state stays high for as long as a shift of many variables lasts, also where the event has become
// the new normal, and falls in the end.
func TestStateLastsAsLongAsTheAnomaly(t *testing.T) {
	const from, to = 4000, 5500
	rows := testseries.Normals(3, 9000, 12)
	for i := from; i < to; i++ {
		for j := range rows[i] {
			rows[i][j] += 2.5
		}
	}
	for i := to + 500; i < len(rows); i++ { // and one that stays
		rows[i][0] += 3
		rows[i][3] -= 4
		rows[i][7] += 4
		rows[i][9] -= 4
	}
	scores := stateScores(rows)
	above := func(from, to int) (part float64) {
		for _, s := range scores[from:to] {
			if s > 1 {
				part++
			}
		}
		return part / float64(to-from)
	}
	if part := above(from, to); !(part >= .9) {
		t.Errorf("%.2f of the rows of the shift are above 1", part)
	}
	if part := above(to, to+500); !(part <= .02) {
		t.Errorf("%.2f of the rows behind it are above 1", part)
	}
}

// On series that do not change, the state is above 1 in no more rows than asked for, whatever their law.
func TestStateIsCalibrated(t *testing.T) {
	const n, rate = 30_000, 1e-3
	for _, c := range []struct {
		name string
		dim  int
		next func(r *rand.Rand, y []float64)
	}{
		{"white noise", 1, func(r *rand.Rand, y []float64) { y[0] = r.NormFloat64() }},
		{"AR(1)", 1, func(r *rand.Rand, y []float64) { y[0] = .9*y[0] + r.NormFloat64() }},
		{"t with 3 degrees of freedom", 1, func(r *rand.Rand, y []float64) { y[0] = student(r) }},
		{"eight of them", 8, func(r *rand.Rand, y []float64) {
			for j := range y {
				y[j] = student(r)
			}
		}},
	} {
		r, rows := rand.New(rand.NewPCG(3, 4)), make([][]float64, n)
		y := make([]float64, c.dim)
		for i := range rows {
			c.next(r, y)
			rows[i] = slices.Clone(y)
		}
		if part := float64(alarms(stateScores(rows))) / n; !(part <= 2*rate) {
			t.Errorf("%s: %v of the rows are above 1", c.name, part)
		}
	}
}

// student draws from Student's law with 3 degrees of freedom.
func student(r *rand.Rand) float64 {
	a, b, c := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
	return r.NormFloat64() / math.Sqrt((a*a+b*b+c*c)/3)
}
