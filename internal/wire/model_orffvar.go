package wire

import (
	"fmt"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/varmodel/auto"
)

func newORFFVAR(c config.Model, dim int, s sharing) (eval.Model, error) {
	cfg := auto.ORFFVARConfig{
		Dim: dim, Order: c.Order, Horizon: c.Horizon, Seed: c.Seed,
		Frequencies: c.Frequencies, Bandwidth: c.Bandwidth, Ridge: c.Ridge.Penalty(c.Forgetting), Forgetting: c.Forgetting,
		Exogenous: inputsOf(c), Shared: s.weights, Workspace: s.work,
	}
	if c.Optimiser.Step == "plain" {
		cfg.Optimiser, cfg.Step = auto.NLMS, c.Optimiser.Rate
	}
	return auto.NewORFFVAR(cfg)
}

func checkORFFVAR(v *config.Checker, c *config.Config) {
	o := &c.Model.Optimiser
	v.Need(o.Step != "adagrad", "model.optimiser.step", "must be newton or plain with model.type: orffvar, got adagrad")
	v.Need(o.Step != "plain" || o.Rate < 2, "model.optimiser.rate", "must be < 2 with model.type: orffvar, got %v", o.Rate)
}

func influenceORFFVAR(m *config.Model) string {
	if m.Optimiser.Step == "newton" {
		return ""
	}
	return fmt.Sprintf("needs model.optimiser.step: newton with orffvar, got %s", m.Optimiser.Step)
}
