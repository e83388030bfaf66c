package wire

import (
	"slices"

	"github.com/orffvar/forecaster/eval/anomaly"
	"github.com/orffvar/forecaster/internal/config"
)

// anomaliesOf returns the alarm settings of a series with the given variables.
func anomaliesOf(c config.Model, variables []string) anomaly.Config {
	a := anomaly.Config{
		Dim: len(variables), FalseAlarms: c.Anomaly.FalseAlarms,
		NormalAfter: c.Anomaly.NormalAfter, MinDuration: c.Anomaly.MinDuration,
	}
	a.AlarmsPerDay, _ = c.Anomaly.AlarmsPerDay() // the configuration was validated
	for _, text := range c.Anomaly.Rules {
		r, err := config.ParseAnomalyRule(text)
		j := slices.Index(variables, r.Variable)
		if err != nil || j < 0 {
			continue // the rule is valid, so this series lacks the variable
		}
		if a.Rules == nil {
			a.Rules = make([]anomaly.Rule, len(variables))
		}
		a.Rules[j] = anomaly.Rule{MinDeviation: r.MinDeviation, MinRelative: r.MinRelative, Direction: r.Direction}
	}
	return a
}
