package build

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/varmodel"
)

func newAuto(c config.Model, dim int, shared bool) (eval.Model, error) {
	return varmodel.NewAuto(varmodel.AutoConfig{
		Dim: dim, Horizon: c.Horizon, Seed: c.Seed, Tier: TierNamed(c), Shared: shared, Inputs: inputsOf(c), Experts: c.Experts, Season: c.Season,
	})
}

func checkAuto(v *config.Checker, c *config.Config) {
	const path = "model.experts"
	m := &c.Model
	known := varmodel.ExpertNames()
	for i, name := range m.Experts {
		ok := slices.ContainsFunc([]string{"ar", "var", "orff"}, func(prefix string) bool {
			_, ok := numbered(name, prefix)
			return ok
		})
		v.Need(ok || slices.Contains(known, name), path, "must be names of %s, or arN, varN, orffN (N = number of lags), got %q", strings.Join(known, ", "), name)
		v.Need(!slices.Contains(m.Experts[:i], name), path, "has %q twice", name)
	}
}

// checkTier refuses the settings of auto that another model ignores.
func checkTier(v *config.Checker, c *config.Config) {
	m := &c.Model
	names := []string{"auto"}
	for _, t := range varmodel.Tiers {
		names = append(names, string(t))
	}
	v.OneOf("model.tier", m.Tier, names...)
	v.Need(m.Type == "auto" || m.Tier == "auto", "model.tier", "is for model.type: auto, not for %s", m.Type)
	v.Need(m.Memory == 0 || m.Type == "auto" && m.Tier == "auto", "model.memory", "chooses the tier of model.type: auto; it has no effect with a tier or another type")
	_, known := c.Dim()
	v.Need(m.Memory == 0 || known, "model.memory", "needs the number of variables: pipeline.variables")
	v.Need(len(m.Experts) == 0 || m.Type == "auto", "model.experts", "is used by auto, not by %s", m.Type)
}

// TierNamed returns the tier of the default model that c names, by its own name or
// by that of the model.
func TierNamed(c config.Model) varmodel.Tier {
	switch {
	case c.Type == "auto-light":
		return varmodel.TierLight
	case c.Type == "auto-tiny":
		return varmodel.TierTiny
	case c.Tier == "auto":
		return varmodel.TierFull
	}
	return varmodel.Tier(c.Tier)
}

// TierFor returns the tier that c asks for: with model.memory the most accurate one
// of which pipeline.max_series series fit.
func TierFor(c *config.Config) (string, error) {
	dim, ok := c.Dim()
	if c.Model.Memory == 0 || !ok {
		return c.Model.Tier, nil
	}
	series := int64(c.Pipeline.MaxSeries)
	if c.Pipeline.Scope == "shared" {
		return "", fmt.Errorf("model.memory: is for pipeline.scope: series")
	}
	var need int64
	for _, t := range varmodel.Tiers {
		bytes, err := varmodel.AutoMemory(varmodel.AutoConfig{
			Dim: dim, Horizon: c.Model.Horizon, Season: c.Model.Season, Levels: c.Model.Levels, Tier: t,
		})
		if err != nil {
			return "", err
		}
		if need = series * bytes; need <= int64(c.Model.Memory) {
			return string(t), nil
		}
	}
	return "", fmt.Errorf("model.memory: %d series of %d variables (pipeline.max_series) need %s even in the tier tiny", series, dim, config.Size(need>>20<<20))
}
