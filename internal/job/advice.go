package job

import (
	"errors"
	"fmt"
	"strings"

	"github.com/orffvar/forecaster/internal/shell"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/file/filesink"
	"github.com/orffvar/forecaster/stream/kafka"
)

// ResetCommand returns the command that removes the checkpoints of a job with this configuration. It leaves out settings
// from the command line, because they may be secret.
func ResetCommand(files, sets []string) string {
	args := []string{"forecaster checkpoint reset"}
	for _, f := range files {
		args = append(args, "-c "+shell.Quote(f))
	}
	if len(sets) > 0 {
		args = append(args, "--set …")
	}
	return strings.Join(append(args, "--yes"), " ")
}

// advise adds the remedy to the error of checkpoints that do not fit. reset is the command that removes them; "": unknown.
func advise(err error, reset string) error {
	if reset == "" || err == nil {
		return err
	}
	changed, first := new(checkpoint.SettingsError), ""
	switch {
	case errors.As(err, &changed):
		if first = "Go back to what the checkpoint has, or start over"; strings.HasPrefix(changed.Changed[0].Key, "build.") {
			first = "Start the build that wrote the checkpoint, or start over"
		}
	case errors.Is(err, checkpoint.ErrVersion):
		first = "Start the build that wrote the checkpoint, or start over"
	case errors.Is(err, checkpoint.ErrCorrupt), errors.Is(err, kafka.ErrNoState):
		first = "Restore the checkpoint, or start over"
	case errors.Is(err, kafka.ErrRecreated), errors.Is(err, kafka.ErrBeyondEnd), errors.Is(err, kafka.ErrPartitions):
		first = "Start over"
	case errors.Is(err, file.ErrOtherFile):
		first = "Name the file that the checkpoint has learnt, give the other one another state.dir, or start over"
	case errors.Is(err, filesink.ErrCut):
		first = "The other path gets the forecasts of new records alone. For those of all records, start over"
	default:
		return err
	}
	return fmt.Errorf("%w. %s with: %s", err, first, reset)
}
