package build

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
)

// calendarOf returns the calendar of a configuration, which was validated.
func calendarOf(c config.Model) eval.Calendar {
	calendar, err := eval.NewCalendar(c.Calendar, c.TimeZone)
	if err != nil {
		panic(err.Error())
	}
	return calendar
}

// inputsOf returns the number of inputs that the model is built for.
func inputsOf(c config.Model) int { return len(c.Exogenous) + calendarOf(c).Len() }
