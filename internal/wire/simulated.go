package wire

import (
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/sim"
)

// settings are the names of the simulations of Brault 2017, section 8.3.2.
var settings = map[string]int{"linear": 1, "exponential": 2, "sine": 3}

// simulatedStart is the time of the first simulated sample.
var simulatedStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Simulate draws a data set.
func Simulate(c *config.Simulated) *eval.Dataset {
	d := eval.Collect("simulated", generator(c), c.Rows)
	for i := range c.Rows {
		d.Series[0].Times = append(d.Series[0].Times, simulatedStart.Add(time.Duration(i)*c.Interval).UnixNano())
	}
	return d
}

func generator(c *config.Simulated) eval.Generator {
	return eval.NewSetting(eval.SettingConfig{
		Setting: settings[c.Setting], Toeplitz: c.Noise == "toeplitz", Dim: c.Dim, Seed: c.Seed,
	})
}

// NewSimulated returns a source of simulated samples, with the decoder of its
// messages.
func NewSimulated(c *config.Simulated) (stream.Source, stream.Decoder, error) {
	sc := sim.Config{
		Series:   []sim.Series{{Name: "simulated", New: func() eval.Generator { return generator(c) }}},
		Start:    simulatedStart,
		Interval: c.Interval,
		Steps:    int64(c.Rows),
	}
	if c.Speed > 0 {
		sc.Pace = time.Duration(float64(c.Interval) / c.Speed)
	}
	source, err := sim.NewSource(sc)
	if err != nil {
		return nil, nil, err
	}
	decoder, err := source.Decoder()
	return source, decoder, err
}
