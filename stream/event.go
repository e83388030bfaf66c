package stream

import (
	"strings"

	"github.com/orffvar/forecaster/stream/event"
)

// AllSeries is the name of the series of an event that concerns every series. Names of
// metrics over all series begin with AllSeries; see engine.Config.Pool.
const AllSeries = "_all"

// IsPool reports whether name is a series name for metrics over all series.
func IsPool(name string) bool { return name == AllSeries || strings.HasPrefix(name, AllSeries+" ") }

// Event reports a change of a series or of its model.
type Event struct {
	Series string
	Tags   []Tag // tags of Series
	Time   int64
	Kind   string // one of event.Kinds
	Text   string

	Anomaly *event.AnomalyPhase // set if Kind is event.Anomaly, else nil
}
