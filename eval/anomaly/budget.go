package anomaly

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
)

const (
	budgetEvery  = 1024 // samples between two updates of the rate
	budgetSpare  = 1    // alarms added to A and to E, so that one alarm changes little
	budgetMemory = 20   // E at which A and E are halved
	budgetMost   = .1   // largest rate, alarms per sample
	budgetRaise  = 3    // largest factor on the rate from the spacing
	budgetTail   = 2    // expected alarms whose samples stay in the tail of Jump
)

// budget keeps the number of alarms near Config.AlarmsPerDay, although the estimated tails may be too high or too
// low. It compares A, the alarms so far, with E, their expected number, and sets the rate of false alarms to
//
//	now = rate * min((E + budgetSpare) / (A + budgetSpare), budgetRaise).
type budget struct {
	rate, now        float64 // alarms per sample: rate from the spacing, now corrected by A; 0 = unknown
	expected, alarms float64 // E and A
}

// setRate sets the limits for a rate of false alarms per sample.
func (s *Scorer) setRate(rate float64) {
	s.rate = rate
	for v := range s.limits {
		s.limits[v] = -math.Log(rate * viewRates[v])
	}
}

// keepBudget counts the next sample, and the event that the last sample has begun.
func (s *Scorer) keepBudget() {
	if s.c.AlarmsPerDay == 0 {
		return
	}
	b := &s.budget
	b.expected += b.rate
	begins := s.event.begins
	if begins {
		b.alarms++
	}
	if b.expected > budgetMemory {
		b.expected, b.alarms = b.expected/2, b.alarms/2
	}
	if begins || s.n&(s.n-1) == 0 || s.n%budgetEvery == 0 {
		b.rate = min(s.c.AlarmsPerDay*s.clock.step/dayLen, budgetMost)
		if b.now = b.rate * min(budgetRaise, (b.expected+budgetSpare)/(b.alarms+budgetSpare)); b.now > 0 {
			s.followBudget()
		}
	}
}

// followBudget sets the limits to the present rate of the budget.
func (s *Scorer) followBudget() {
	s.setRate(s.budget.now)
	s.jump.memory = budgetTail / s.budget.now
}

func (b *budget) state(c *snapshot.Codec) {
	for _, x := range [...]*float64{&b.rate, &b.now, &b.expected, &b.alarms} {
		c.Float64(x)
	}
}
