package wire

import (
	"context"
	"log/slog"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
)

var discardOutput = kind[output]{name: "discard", about: "counts of points only, for measurements", settings: func() output { return new(DiscardOutput) }}

// DiscardOutput only counts points.
type DiscardOutput struct{}

// Check implements config.Settings.
func (*DiscardOutput) Check(*config.Checker, string, *config.Config) {}

func (*DiscardOutput) open(*config.Config, stream.DeadLetters, *slog.Logger) ([]stream.Sink, error) {
	return nil, nil
}

func (*DiscardOutput) try(context.Context, string, *config.Config) (string, error) { return "", nil }
