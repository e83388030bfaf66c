package stream

import (
	"strings"

	"github.com/orffvar/forecaster/stream/event"
)

// AllSeries is the name of the series of an event that concerns every series. Names of
// metrics over all series begin with AllSeries; see engine.Config.Pool.
const AllSeries = "_all"

// IsPool reports whether a name is one of a series over all series.
func IsPool(name string) bool { return name == AllSeries || strings.HasPrefix(name, AllSeries+" ") }

// Event reports a change of a series or of its model.
type Event struct {
	Series string
	Tags   []Tag // as of Series
	Time   int64
	Kind   string // one of event.Kinds
	Text   string

	Anomaly *event.AnomalyPhase // of the kind event.Anomaly; nil for others
}
