package wire

import (
	"slices"

	"github.com/orffvar/forecaster/eval/anomaly"
	"github.com/orffvar/forecaster/internal/config"
)

// anomaliesOf returns the settings of the alarms of a series with the variables.
func anomaliesOf(c config.Model, variables []string) anomaly.Config {
	a := anomaly.Config{
		Dim: len(variables), FalseAlarms: c.Anomaly.FalseAlarms,
		NormalAfter: c.Anomaly.NormalAfter, MinDuration: c.Anomaly.MinDuration,
	}
	a.AlarmsPerDay, _ = c.Anomaly.AlarmsPerDay() // the configuration is checked
	for _, text := range c.Anomaly.Rules {
		r, err := config.ParseAnomalyRule(text)
		j := slices.Index(variables, r.Variable)
		if err != nil || j < 0 {
			continue // the configuration is checked; a series need not have the variable
		}
		if a.Rules == nil {
			a.Rules = make([]anomaly.Rule, len(variables))
		}
		a.Rules[j] = anomaly.Rule{MinDeviation: r.MinDeviation, MinRelative: r.MinRelative, Direction: r.Direction}
	}
	return a
}
