package anomaly

import (
	"math"
	"math/bits"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

const (
	runBins  = 12 // number of counted lengths of runs: 1, 2, 4, ..., 2048 repetitions
	runLeast = 3  // number of repetitions below which no run is a surprise
	runParts = 4  // weight of a run; an alarm has the weight 1
)

// valueRun is the present run of equal values of a variable, and the lengths of its earlier runs.
type valueRun struct {
	age     uint16          // number of repetitions of the last value
	begin   int64           // time of the first repetition, ns; 0 = no repetition
	reached [runBins]uint16 // weight of the ended runs of at least 2^i repetitions; invariant: reached[i+1] <= reached[i]
}

// surprisal returns -log P that a run reaches the present length, given n samples. With R_i the number of runs of
// at least 2^i repetitions, and 2^k the largest power of 2 up to age,
//
//	P = (R_0 + 1/2) / (n - age + 1) * product over i < k of (R_(i+1) + 1/2) / (R_i + 1).
//
// The 1/2, of Krichevsky and Trofimov, gives a run that has never occurred a probability.
func (r *valueRun) surprisal(n float64) float64 { return math.Log(r.inverse(n)) }

// inverse returns 1/P.
func (r *valueRun) inverse(n float64) float64 {
	if r.age < runLeast {
		return 1
	}
	runs := func(i int) float64 { return float64(r.reached[i]) / runParts }
	bin := min(bits.Len16(r.age)-1, runBins-1)
	inverse := (n - float64(r.age) + 1) / (runs(0) + .5)
	for i := range bin {
		inverse *= (runs(i) + 1) / (runs(i+1) + .5)
	}
	return inverse
}

// repeat counts a repetition at the time.
func (r *valueRun) repeat(time int64) {
	if r.age == 0 {
		r.begin = time
	}
	if r.age < math.MaxUint16 {
		r.age++
	}
}

// end learns the run with the weight parts, out of runParts.
func (r *valueRun) end(parts uint16) {
	for i := range min(bits.Len16(r.age), runBins) {
		r.reached[i] += parts
	}
	r.age, r.begin = 0, 0
}

// state saves or restores the run. It takes three bytes for a variable without repetitions.
func (r *valueRun) state(c *snapshot.Codec) {
	c.Uint16(&r.age)
	if r.age > 0 {
		c.Int64(&r.begin)
	} else {
		r.begin = 0
	}
	used := runBins
	for used > 0 && r.reached[used-1] == 0 {
		used--
	}
	c.Index(&used, runBins+1)
	clear(r.reached[used:])
	for i := range r.reached[:used] {
		c.Uint16(&r.reached[i])
	}
}

// anomalyRuns detects values that stand still, of one variable and of all variables together.
type anomalyRuns struct {
	n     float64 // number of samples
	last  []float64
	vars  []valueRun
	rows  valueRun
	share float64 // logarithm of the number of variables that may stand still

	// State of the last sample.
	odds  []float64 // inverse probability of the run of each variable; 0 = none
	begin int64     // beginning of the least probable run
	age   int64     // length of the least probable run
}

func newAnomalyRuns(dim int) anomalyRuns {
	r := anomalyRuns{last: make([]float64, dim), vars: make([]valueRun, dim), odds: make([]float64, dim), share: math.Log(float64(dim))}
	vec.FillNaN(r.last)
	return r
}

// observeRuns learns the values y at a time, and returns the surprisal of the least probable run. known reports
// whether another day had samples at this time: repetitions in the first night are no surprise. A run of more than
// NormalAfter repetitions is the new normal.
func (s *Scorer) observeRuns(time int64, y []float64, known bool) (surprisal float64) {
	r := &s.runs
	if r.n++; r.n >= anomalyMemory {
		r.forget()
	}
	moved, repeats := false, false
	for j, value := range y {
		switch v := &r.vars[j]; {
		case value == r.last[j]:
			v.repeat(time)
			repeats = true
		case vec.Finite(value):
			if int(v.age) >= s.c.NormalAfter {
				s.startFlat(j, math.Abs(value-r.last[j]))
			}
			if v.age > 0 && s.endRun(v, min(r.n, s.levels.Count[j]), r.share) {
				s.forgetLately(j)
			}
			r.last[j] = value
			moved = true
		}
	}
	switch {
	case !moved && repeats:
		r.rows.repeat(time)
	case r.rows.age > 0 && moved:
		if s.endRun(&r.rows, r.n, 0) {
			for j := range y {
				s.forgetLately(j)
			}
		}
	}
	if !repeats || !known {
		return 0
	}
	return s.rarestRun(y)
}

// rarestRun returns the surprisal of the least probable run, of one variable or of all together. If it is an alarm,
// rarestRun sets the shares of Flat. Runs of suppressed variables do not count.
func (s *Scorer) rarestRun(y []float64) (surprisal float64) {
	r := &s.runs
	lead, allowed, most := (*valueRun)(nil), false, 1.
	for j := range r.vars {
		v := &r.vars[j]
		r.odds[j] = 0
		if int(v.age) == s.c.NormalAfter+1 && s.event.Open {
			s.becomeNormal()
		}
		if int(v.age) > s.c.NormalAfter || s.c.Rules != nil && s.suppressed(Flat, j, y) {
			continue
		}
		allowed = true
		r.odds[j] = v.inverse(min(r.n, s.levels.Count[j]))
		if r.odds[j] > most {
			most, lead = r.odds[j], v
		}
	}
	if surprisal = math.Log(most) - r.share; !(surprisal > 0) {
		surprisal, lead = 0, nil
	}
	if odds := r.rows.surprisal(r.n); allowed && odds > surprisal && int(r.rows.age) <= s.c.NormalAfter {
		surprisal, lead = odds, &r.rows
	}
	if lead != nil {
		r.begin, r.age = lead.begin, int64(lead.age)
	}
	return surprisal
}

// forget halves the weight of all runs so far.
func (r *anomalyRuns) forget() {
	r.n /= 2
	r.rows.halve()
	for j := range r.vars {
		r.vars[j].halve()
	}
}

func (r *valueRun) halve() {
	for i := range r.reached {
		r.reached[i] /= 2
	}
}

func (r *anomalyRuns) state(c *snapshot.Codec) {
	c.Float64(&r.n)
	for j := range r.vars {
		c.Float64(&r.last[j])
		r.vars[j].state(c)
	}
	r.rows.state(c)
}

// endRun ends a run and learns its length. An alarm that did not become the new normal has a small weight. share is
// the logarithm of the number of variables that could have had the run.
func (s *Scorer) endRun(v *valueRun, n, share float64) (alarm bool) {
	parts := uint16(runParts)
	if alarm = int(v.age) <= s.c.NormalAfter && v.surprisal(n)-share > s.limits[Flat]; alarm {
		parts = 1
	}
	v.end(parts)
	return alarm
}

// forgetLately removes an ended anomaly of variable j, such as a run, from the recent means of the views.
func (s *Scorer) forgetLately(j int) {
	s.errors.Lately[j] = s.errors.Usual[j]
	s.levels.Deviation[j] = 0
	if s.lively != nil {
		s.lively.Lately[j] = s.lively.Usual[j]
	}
	if s.residuals != nil {
		s.residuals.Mean[j] = 0
	}
}
