package study

import (
	"testing"

	"github.com/orffvar/forecaster/internal/report"
)

// The members with random features find in nonlinear systems what the linear ones cannot, at one step and,
// where the noise leaves something, at four. At 24 steps nothing is left, and they must not harm.
func TestRandomFeaturesFindWhatIsNonlinear(t *testing.T) {
	lines, err := NewAblation(t.Context(), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		t.Logf("%+v", l)
		most := report.Number(1.01) // members that say the same are still mixed
		if l.Horizon == 1 || l.Horizon == 4 && l.System != "threshold autoregression" {
			most = .9
		}
		if !(l.Auto <= most*l.Linear) || !(l.Auto < 1) {
			t.Errorf("%s, %d steps: %.3f of persistence, %.3f without random features", l.System, l.Horizon, l.Auto, l.Linear)
		}
	}
}
