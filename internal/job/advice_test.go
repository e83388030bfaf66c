package job

import (
	"errors"
	"fmt"
	"testing"

	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/file/filesink"
	"github.com/orffvar/forecaster/stream/kafka"
)

// TestAdvice: a checkpoint that does not fit is refused with what differs and the next command.
func TestAdvice(t *testing.T) {
	const reset = "forecaster checkpoint reset -c FILE --yes"
	differs := func(list ...checkpoint.SettingChange) error {
		return fmt.Errorf("partition 0: %w", &checkpoint.SettingsError{Changed: list})
	}
	order := checkpoint.SettingChange{Key: "model.order", Saved: "3", Now: "4"}
	for _, c := range []struct {
		err  error
		want string
	}{
		{differs(order), "partition 0: model.order: the checkpoint has 3, the configuration 4. Go back to what the checkpoint has, or start over with: " + reset},
		{
			differs(checkpoint.SettingChange{Key: "build.state", Saved: "8", Now: "9"}, order),
			"partition 0: build.state: the checkpoint has 8, this build 9; model.order: the checkpoint has 3, the configuration 4. Start the build that wrote the checkpoint, or start over with: " + reset,
		},
		{fmt.Errorf("%w: format 2", checkpoint.ErrVersion), "stream: checkpoint of another version: format 2. Start the build that wrote the checkpoint, or start over with: " + reset},
		{fmt.Errorf("x: %w", checkpoint.ErrCorrupt), "x: stream: damaged checkpoint. Restore the checkpoint, or start over with: " + reset},
		{
			fmt.Errorf("b.csv: line 7 is not the one that was processed before: %w", file.ErrOtherFile),
			"b.csv: line 7 is not the one that was processed before: it is not the file it was. " +
				"Name the file that the checkpoint has learnt, give the other one another state.dir, or start over with: " + reset,
		},
		{fmt.Errorf("x: %w", kafka.ErrRecreated), "x: " + kafka.ErrRecreated.Error() + ". Start over with: " + reset},
		{fmt.Errorf("x: %w", kafka.ErrNoState), "x: " + kafka.ErrNoState.Error() + ". Restore the checkpoint, or start over with: " + reset},
		{fmt.Errorf("x: %w", filesink.ErrCut), "x: " + filesink.ErrCut.Error() + ". The other path gets the forecasts of new records alone. For those of all records, start over with: " + reset},
		{errors.New("something else"), "something else"},
	} {
		if got := advise(c.err, reset).Error(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
