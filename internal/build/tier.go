package build

import (
	"fmt"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/varmodel"
)

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
