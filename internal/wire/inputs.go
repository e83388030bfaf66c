package wire

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
)

// calendarOf returns the calendar of a configuration, which was validated.
func calendarOf(c config.Model) eval.Calendar {
	calendar, err := eval.NewCalendar(c.Calendar, c.TimeZone)
	if err != nil {
		panic(err.Error())
	}
	all := make([]eval.Event, len(c.Occurrences))
	for i, e := range c.Occurrences {
		all[i] = eval.Event(e)
	}
	return calendar.WithEvents(all)
}

// limitsOf returns what the variables of a series cannot leave; nil for nothing.
func limitsOf(c config.Model, variables []string) (low, high []float64) {
	list, err := c.Limits()
	if err != nil || len(list) == 0 {
		return nil, nil // the configuration is checked
	}
	low, high = make([]float64, len(variables)), make([]float64, len(variables))
	for j, name := range variables {
		low[j], high[j] = math.Inf(-1), math.Inf(1)
		own := slices.ContainsFunc(list, func(b config.Bound) bool { return b.Variable == name })
		for _, b := range list {
			if b.Variable == name || b.Variable == "*" && !own {
				low[j], high[j] = b.Low, b.High
			}
		}
	}
	return low, high
}

// inputsOf returns the number of inputs that the model is built for.
func inputsOf(c config.Model) int { return len(c.Exogenous) + calendarOf(c).Len() }
