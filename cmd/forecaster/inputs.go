package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/study"
	"github.com/orffvar/forecaster/stream"
)

const knownFlag = "known-inputs"

// knownInputsFlag adds the flag that sets job.ReplayOptions.Known.
func knownInputsFlag(cmd *cobra.Command) {
	cmd.Flags().Bool(knownFlag, false, "read the exogenous inputs (model.exogenous) of later rows ahead")
}

// inputsEnd returns a note on the first forecast for a time more than half a step after the last known input of its series.
// The intervals of such forecasts are those for known inputs, and too narrow.
func inputsEnd(forecasts []stream.Forecast, until map[string]int64) string {
	for i := range forecasts {
		f := &forecasts[i]
		end, known := until[f.Series.Name]
		if half := (f.Time - f.Origin) / int64(2*f.Horizon); known && f.Time-end > half {
			return fmt.Sprintf("the inputs of series %s end at %s: later forecasts take their last values, and their intervals are too narrow; add rows with inputs for all times that are forecast",
				f.Series.Name, study.TableTime(time.Unix(0, end).UTC().Format(time.RFC3339Nano)))
		}
	}
	return ""
}
