package wire

import (
	"github.com/orffvar/forecaster/eval/calendar"
	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/internal/config"
)

// calendarOf returns the calendar of a validated configuration.
func calendarOf(c config.Model) calendar.Calendar {
	terms, err := calendar.New(c.Calendar, c.TimeZone)
	if err != nil {
		panic(err.Error())
	}
	return terms.WithEvents(c.Occurrences)
}

// boundsOf returns the lower and upper bounds of the variables of a series; nil: no bounds.
func boundsOf(c config.Model, variables []string) (low, high []float64) {
	list, err := c.Ranges()
	if err != nil || len(list) == 0 {
		return nil, nil // err is nil: the configuration was validated
	}
	for _, name := range variables {
		b := config.BoundOf(list, name)
		low, high = append(low, b.Low), append(high, b.High)
	}
	return low, high
}

// Limits returns the limits of model.limits for the variables of a series.
func Limits(c *config.Config) func(variables []string) []scoring.Limit {
	return func(variables []string) []scoring.Limit { return limitsOf(c.Model, variables) }
}

// limitsOf returns the limits of the variables of a series; nil: no limits.
func limitsOf(c config.Model, variables []string) (limits []scoring.Limit) {
	list, err := c.Thresholds()
	if err != nil || len(list) == 0 {
		return nil // err is nil: the configuration was validated
	}
	for _, name := range variables {
		b := config.BoundOf(list, name)
		limits = append(limits, scoring.Limit{Low: b.Low, High: b.High})
	}
	return limits
}

// inputsOf returns the number of inputs of the model.
func inputsOf(c config.Model) int { return len(c.Exogenous) + calendarOf(c).Len() }
