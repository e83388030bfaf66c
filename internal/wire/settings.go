package wire

import (
	"cmp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/orffvar/forecaster/eval/calendar/events"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/isa"
	"github.com/orffvar/forecaster/stream/checkpoint"
)

// stateVersion rises with every change that alters forecasts or the meaning of a checkpoint. A checkpoint of another
// version is refused.
const stateVersion = 49

// Settings returns the keys and values that the state of an engine depends on, beside its records, ascending by key: the
// settings of the engine, and the arithmetic of the build.
func Settings(c *config.Config) []checkpoint.Setting {
	list := []checkpoint.Setting{
		{Key: "build.state", Value: strconv.Itoa(stateVersion)},
		{Key: "build.architecture", Value: runtime.GOARCH},
		{Key: "build.level", Value: ReadInfo().Level},
		{Key: "build.vectors", Value: isa.Active.String()},
		{Key: "model.events.names", Value: strings.Join(events.Names(c.Model.Occurrences), ",")},
		{Key: "pipeline.assembly", Value: strconv.FormatBool(assemblyOf(c) != nil)},
	}
	for _, block := range []string{"pipeline", "model", "evaluate"} {
		for _, v := range c.Values(block) {
			if !slices.Contains(indifferent, v.Key) {
				list = append(list, checkpoint.Setting{Key: v.Key, Value: v.Text})
			}
		}
	}
	slices.SortFunc(list, func(a, b checkpoint.Setting) int { return cmp.Compare(a.Key, b.Key) })
	return list
}

// Adjustable are the settings that only add outputs. A state that was saved with other values of them is restored, and new
// parts start empty.
var Adjustable = []string{
	"evaluate.window",
	"model.anomaly.alarms", "model.anomaly.false_alarms", "model.anomaly.level_sets", "model.anomaly.min_duration",
	"model.anomaly.normal_after", "model.anomaly.rules",
	"model.horizon", "model.influence", "model.intervals", "model.joint", "model.levels", "model.limits",
	"pipeline.emit",
}

// indifferent are the keys within the blocks of Settings that the state does not depend on.
var indifferent = []string{
	"model.events",      // the file may move and grow; only its names count
	"model.memory",      // affects only new series
	"evaluate.interval", // changes only the times at which scores are written
}
