package wire

import (
	"context"

	"github.com/orffvar/forecaster/internal/config"
)

var stdinInput = kind[input]{
	name: "stdin", about: "one pass over standard input",
	settings: func() input { return &StdinInput{Format: "jsonl", Series: "stdin"} },
}

// StdinInput is standard input, read once to its end.
type StdinInput struct {
	Format string `yaml:"format"` // `jsonl`, `csv` or `influx`
	Series string `yaml:"series"` // series name for rows without one
}

// Check implements config.Settings.
func (s *StdinInput) Check(v *config.Checker, path string, _ *config.Config) {
	v.OneOf(path+".format", s.Format, formatNames(func(f dataFormat) bool { return f.read != nil && !f.whole })...)
}

func (s *StdinInput) formatName(*config.Config) string { return s.Format }

func (s *StdinInput) try(context.Context, string, *config.Config) (string, error) { return "", nil }

func (s *StdinInput) open(c *config.Config) (*Opened, error) {
	return openLines(c, Opened{Name: "stdin"})
}
