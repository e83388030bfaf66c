package main

import (
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
)

// settings are the names of the simulations of Brault 2017, section 8.3.2.
var settings = map[string]int{"linear": 1, "exponential": 2, "sine": 3}

// simulate draws a data set.
func simulate(c *config.Simulated) *eval.Dataset {
	d := eval.Collect("simulated", generator(c), c.Rows)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range c.Rows {
		d.Series[0].Times = append(d.Series[0].Times, start.Add(time.Duration(i)*c.Interval).UnixNano())
	}
	return d
}

func generator(c *config.Simulated) eval.Generator {
	return eval.NewSetting(eval.SettingConfig{
		Setting: settings[c.Setting], Toeplitz: c.Noise == "toeplitz", Dim: c.Dim, Seed: c.Seed,
	})
}
