package wire

import (
	"context"
	"time"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/eval/simulate"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream/sim"
)

var simulatedInput = kind[input]{
	name: "simulated", about: "synthetic data of a process from the literature",
	settings: func() input {
		return &SimulatedInput{Setting: "exponential", Noise: "white", Dim: 5, Rows: 1000, Seed: 1, Interval: time.Second}
	},
}

// SimulatedInput is synthetic data of a process from the literature.
type SimulatedInput struct {
	// `linear`, `exponential`, `sine`: Settings 1 to 3 of Brault 2017, chapter 8
	Setting string `yaml:"setting"`

	Noise    string        `yaml:"noise"`    // `white` or `toeplitz`
	Dim      int           `yaml:"dim"`      // number of variables
	Rows     int           `yaml:"rows"`     // number of samples; 0 = without end
	Seed     uint64        `yaml:"seed"`     // seed for the coefficients and the noise
	Interval time.Duration `yaml:"interval"` // spacing of the time stamps
	Speed    float64       `yaml:"speed"`    // multiple of real time, as `input.file.speed`
}

// Check implements config.Settings.
func (s *SimulatedInput) Check(v *config.Checker, path string, _ *config.Config) {
	v.OneOf(path+".setting", s.Setting, "linear", "exponential", "sine")
	v.OneOf(path+".noise", s.Noise, "white", "toeplitz")
	config.AtLeast(v, path+".dim", s.Dim, 1)
	config.AtLeast(v, path+".rows", s.Rows, 0)
	config.AtLeast(v, path+".interval", s.Interval, time.Nanosecond)
	config.AtLeast(v, path+".speed", s.Speed, 0)
}

// Variables returns the number of variables.
func (s *SimulatedInput) Variables() int { return s.Dim }

func (s *SimulatedInput) formatName(*config.Config) string { return "" }

func (s *SimulatedInput) try(context.Context, string, *config.Config) (string, error) { return "", nil }

func (s *SimulatedInput) open(*config.Config) (*Opened, error) {
	sc := sim.Config{
		Series:   []sim.Series{{Name: "simulated", New: s.generator}},
		Start:    simulatedStart,
		Interval: s.Interval,
		Steps:    int64(s.Rows),
	}
	if s.Speed > 0 {
		sc.Pace = time.Duration(float64(s.Interval) / s.Speed)
	}
	source, err := sim.NewSource(sc)
	if err != nil {
		return nil, err
	}
	decoder, err := source.Decoder()
	return &Opened{Source: source, Decoder: decoder, Name: "simulated"}, err
}

// processes are the names of the simulations of Brault 2017, section 8.3.2.
var processes = map[string]int{"linear": 1, "exponential": 2, "sine": 3}

// simulatedStart is the time of the first simulated sample.
var simulatedStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func (s *SimulatedInput) generator() simulate.Generator {
	return simulate.NewSetting(simulate.SettingConfig{Setting: processes[s.Setting], Toeplitz: s.Noise == "toeplitz", Dim: s.Dim, Seed: s.Seed})
}

// Simulate draws a simulated data set.
func Simulate(s *SimulatedInput) *scoring.Dataset {
	d := simulate.Collect("simulated", s.generator(), s.Rows)
	for i := range s.Rows {
		d.Series[0].Times = append(d.Series[0].Times, simulatedStart.Add(time.Duration(i)*s.Interval).UnixNano())
	}
	return d
}
