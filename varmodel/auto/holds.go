package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	holdAges     = 6    // number of classes of ages, see holdAge
	holdMemory   = .999 // weight of an outcome after the next outcome of its class
	holdOutcomes = 20   // outcomes of a class before its factor may differ from 1
	holdLimit    = 2    // largest factor
	holdEvidence = 3    // standard errors at which a slope is shrunk halfway to 1
)

// holds multiplies the one-step increments of variables that repeat their last value. Examples are a sensor
// that reports only changes, and a sensor that is read more often than it measures. The probability of a change
// depends on the age, the number of samples since the last change. Experts forecast the mean increment over all
// ages.
//
// The factor of an age is the slope b of the regression of outcomes on forecasts at this age, shrunk towards 1:
//
//	factor = 1 + (b - 1) (b - 1)^2 / ((b - 1)^2 + (holdEvidence se)^2),
//
// where b is limited to [0, holdLimit] and se is its standard error. Variables that never repeated a value have the
// factor 1.
type holds struct {
	age       []int         // dim: samples since the last change
	increment []float64     // dim: last forecast increment before multiplication, in typical steps
	ages      [][]holdSlope // dim x holdAges; nil row: the variable never repeated a value
}

// holdSlope is the regression of outcomes on forecasts, without intercept, for one class of ages.
type holdSlope struct {
	product, square float64 // sums of forecast * outcome and of forecast^2, with forgetting
	noise           float64 // sum of forecast^2 * error^2, with forgetting
	count           float64 // number of outcomes, with forgetting
}

// holdAge returns the class of an age: ages 0 to 3 are classes 0 to 3, ages 4 to 7 are class 4, others class 5.
func holdAge(age int) int {
	switch {
	case age < 4:
		return age
	case age < 8:
		return 4
	}
	return 5
}

func newHolds(dim int) *holds {
	return &holds{age: make([]int, dim), increment: make([]float64, dim), ages: make([][]holdSlope, dim)}
}

// factor returns the factor of the next increment of variable j.
func (h *holds) factor(j int) float64 {
	if h.ages[j] == nil {
		return 1
	}
	return h.ages[j][holdAge(h.age[j])].factor()
}

func (s *holdSlope) factor() float64 {
	if s.count < holdOutcomes || s.square <= 0 {
		return 1
	}
	distance := series.ClipTo(s.product/s.square, 0, holdLimit) - 1
	// distance^2 and its standard error squared, both times square^2: 0/0 is no distance.
	signal := distance * distance * s.square * s.square
	if signal == 0 {
		return 1
	}
	return 1 + distance*signal/(signal+holdEvidence*holdEvidence*s.noise)
}

// learn updates the sums with a forecast increment and its outcome, both in typical steps.
func (s *holdSlope) learn(forecast, outcome float64) {
	forecast = series.ClipTo(forecast, -shrinkageLimit, shrinkageLimit)
	outcome = series.ClipTo(outcome, -shrinkageLimit, shrinkageLimit)
	e := outcome - s.factor()*forecast
	s.product = holdMemory*s.product + forecast*outcome
	s.square = holdMemory*s.square + forecast*forecast
	s.noise = holdMemory*s.noise + forecast*forecast*e*e
	s.count = holdMemory*s.count + 1
}

func (h *holds) learn(s *autoSeries, o *outcome) {
	h.Observe(o.target, o.before, s.scaler.PerStep, s.pending)
}

// Observe updates ages and slopes with the sample y after the sample last, NaN where missing. If learn is false,
// there was no forecast. perStep holds the inverse typical steps at the time of the forecast.
func (h *holds) Observe(y, last, perStep []float64, learn bool) {
	for j, v := range y {
		step := v - last[j]
		if step != step {
			continue
		}
		if ages := h.ages[j]; ages != nil && learn {
			ages[holdAge(h.age[j])].learn(h.increment[j], step*perStep[j])
		}
		if step != 0 {
			h.age[j] = 0
			continue
		}
		h.age[j]++
		if h.ages[j] == nil {
			h.ages[j] = make([]holdSlope, holdAges)
		}
	}
}

func (h *holds) forecast(s *autoSeries) { h.forecastTo(s.next, s.past.Lag(0), s.scaler.PerStep) }

// forecastTo multiplies the increments next - last by the factors.
func (h *holds) forecastTo(next, last, perStep []float64) {
	for j, v := range next {
		step := v - last[j]
		h.increment[j] = step * perStep[j]
		if f := h.factor(j); f != 1 {
			next[j] = last[j] + f*step
		}
	}
}

func (h *holds) interrupt(*autoSeries) { clear(h.age) }

func (h *holds) stateOf(c *snapshot.Codec, _ *autoSeries) {
	c.Section("holds")
	c.Float64s(h.increment)
	for j := range h.age {
		c.Index(&h.age[j], math.MaxInt)
		has := h.ages[j] != nil
		c.Bool(&has)
		if c.Decoding() {
			h.ages[j] = nil
			if has {
				h.ages[j] = make([]holdSlope, holdAges)
			}
		}
		for i := range h.ages[j] {
			s := &h.ages[j][i]
			for _, v := range []*float64{&s.product, &s.square, &s.noise, &s.count} {
				c.Float64(v)
			}
		}
	}
}
