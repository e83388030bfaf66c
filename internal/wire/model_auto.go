package wire

import (
	"math"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/varmodel/auto"
)

func newAuto(c config.Model, dim int, s sharing) (eval.Model, error) {
	return auto.New(auto.Config{
		Dim: dim, Horizon: c.Horizon, Seed: c.Seed, Tier: TierNamed(c), Shared: s.weights, Workspace: s.work, Exogenous: inputsOf(c), Experts: c.Experts, Season: c.Season,
	})
}

func checkAuto(v *config.Checker, c *config.Config) {
	const path = "model.experts"
	m := &c.Model
	known := auto.ExpertNames()
	for i, name := range m.Experts {
		ok := slices.ContainsFunc([]string{"ar", "var", "orff"}, func(prefix string) bool {
			_, ok := numbered(name, prefix)
			return ok
		})
		v.Need(ok || slices.Contains(known, name), path, "must be names of %s, or arN, varN, orffN (N = number of lags), got %q", strings.Join(known, ", "), name)
		v.Need(!slices.Contains(m.Experts[:i], name), path, "has %q twice", name)
	}
}

// checkTier refuses settings of auto with another model.
func checkTier(v *config.Checker, c *config.Config) {
	m := &c.Model
	names := []string{"auto"}
	for _, t := range auto.Tiers {
		names = append(names, string(t))
	}
	v.OneOf("model.tier", m.Tier, names...)
	v.Need(m.Type == "auto" || m.Tier == "auto", "model.tier", "is for model.type: auto, not for %s", m.Type)
	v.Need(len(m.Experts) == 0 || m.Type == "auto", "model.experts", "is used by auto, not by %s", m.Type)
}

// TierNamed returns the tier of the default model in c, from model.tier or the name of the model.
func TierNamed(c config.Model) auto.Tier {
	switch {
	case c.Type == "auto-light":
		return auto.TierLight
	case c.Type == "auto-tiny":
		return auto.TierTiny
	case c.Tier == "auto":
		return auto.TierFull
	}
	return auto.Tier(c.Tier)
}

// growAfter is the number of samples after which a series of the default model moves from the young to the full tier.
// That is before the first refit, which adds the random features of the full tier. Until then the young tier is more
// accurate.
const growAfter = 24

// grows reports whether c is the default model without a configured tier or experts.
func grows(c config.Model) bool { return c.Type == "auto" && c.Tier == "auto" && len(c.Experts) == 0 }

// youngModel returns the model that growing series begin with; nil: series do not grow.
func youngModel(c config.Model, work *auto.Workspace) []engine.LighterModel {
	if !grows(c) {
		return nil
	}
	c.Tier = string(auto.TierYoung)
	return []engine.LighterModel{{
		Name: "auto-young",
		New:  func(dim int) (eval.Model, error) { return newEngineModel(c, dim, sharing{work: work}) },
	}}
}

// PageMemory returns the memory limit of the live page's histories in bytes: a quarter of the memory that ModelMemory
// leaves by default; 0: no limit.
func PageMemory() int64 {
	limit := debug.SetMemoryLimit(-1) // only asks
	if limit == math.MaxInt64 {
		return 0
	}
	return limit / 16
}

// BatchBytes returns the size of a full batch in bytes, if models may take memory bytes; memory 0: no limit. Four batches
// circulate. With seven variables, a batch of 8 MiB has about 6,000 samples.
func BatchBytes(memory int64) int {
	const least, most = 8 << 20, 32 << 20
	if memory == 0 {
		return most
	}
	return int(min(max(memory/64, least), most))
}

// ModelMemory returns the memory limit of a process's models in bytes: model.memory, or three quarters of the limit of the
// Go runtime, which is GOMEMLIMIT or follows from the container or the machine; 0: no limit.
func ModelMemory(c *config.Config) int64 {
	if m := int64(c.Model.Memory); m > 0 {
		return m
	}
	limit := debug.SetMemoryLimit(-1) // only asks
	if limit == math.MaxInt64 {
		return 0
	}
	return limit / 4 * 3
}
