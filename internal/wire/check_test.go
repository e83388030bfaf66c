package wire_test

import (
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
)

// load applies settings such as "model.type=okvar".
func load(sets ...string) (*config.Config, error) {
	var src config.Sources
	for _, s := range sets {
		path, value, _ := strings.Cut(s, "=")
		src.Set = append(src.Set, config.Setting{Path: path, Value: value, From: "--set"})
	}
	return wire.Load(src)
}

// What cannot be combined is refused with the reason, and only for a model that
// would use it.
func TestKernelCombinations(t *testing.T) {
	for _, c := range []struct{ sets, want string }{
		{"model.influence=true model.kernel.name=laplacian", "no variance"},
		{"model.influence=true model.kernel.name=matern12", "no variance"},
		{"model.influence=true model.kernel.name=angular", "constant almost everywhere"},
		{"model.influence=true model.type=persistence", "not for persistence"},
		{"model.influence=true model.type=orffvar model.optimiser.step=plain", "needs model.optimiser.step: newton"},
		{"model.type=orffvar model.optimiser.step=adagrad", "must be newton or plain"},
		{"model.type=orffvar model.optimiser.step=plain model.optimiser.rate=2", "must be < 2"},
		{"model.influence=true model.type=okvar model.kernel.name=angular", "constant almost everywhere"},
		{"model.influence=true model.type=nystroem model.kernel.name=laplacian", "no variance"},
		{"input.simulated.dim=7 model.kernel.sampling=sorf model.order=2", "biased below 32 inputs"},
		{"model.kernel.sampling=orthogonal model.kernel.name=sinc", "a way to draw the frequencies of gaussian"},
		{"model.kernel.sampling=fastfood model.kernel.name=angular", "a way to draw the frequencies of gaussian"},
		{"model.kernel.sampling=halton model.kernel.name=matern32", "independent frequencies"},
		{"model.kernel.sampling=sobol input.simulated.dim=20 model.order=2", "37 inputs"},
		{"model.kernel.sampling=phase model.kernel.name=polynomial", "frequencies"},
		{"model.kernel.name=skewed_chi2 model.kernel.inputs=standardised", "negative values"},
		{"model.kernel.name=semigroup_reciprocal model.kernel.inputs=standardised", "negative values"},
		{"model.kernel.name=polynomial model.kernel.parameter=2.5", "whole number"},
		{"model.kernel.operator.name=curl_free model.order=2", "model.order: must be 1"},
		{"model.kernel.operator.name=divergence_free model.order=2", "model.order: must be 1"},
		{"model.kernel.operator.name=curl_free model.order=1 model.kernel.name=sinc", "gaussian kernel"},
		{"model.kernel.operator.name=helmholtz model.order=1 model.kernel.sampling=orthogonal", "must be iid"},
		{"model.type=krls model.kernel.operator.name=schur", "decomposable operator"},
		{"model.type=nystroem model.kernel.name=angular", "kernel of differences"},
		{"model.kernel.operator.gamma=graph", "matrix: must be given"},
		{"model.kernel.operator.gamma=matrix model.kernel.operator.matrix=1,0,0,1 input.simulated.dim=3", "3 x 3 numbers"},
		{"model.kernel.operator.gamma=low_rank model.kernel.operator.matrix=1", "rank: must be >= 1"},
		{"model.kernel.operator.gamma=correlations", "plain or adagrad"},
		{"model.kernel.operator.gamma=residuals model.type=okvar", "kernelvar alone"},
		{"model.optimiser.group_lasso=.1", "needs step: plain"},
		{"model.optimiser.group_lasso=.1 model.optimiser.step=plain", "linear: false"},
		{"model.optimiser.group_lasso=.1 model.optimiser.step=plain model.kernel.linear=false model.kernel.sampling=phase", "cosine and a sine"},
		{"model.optimiser.blocks=3", "must divide"},
		{"model.loss.name=pinball", "level of pinball"},
		{"model.loss.name=insensitive", "curvature"},
		{"model.kernel.name=gausian", "must be one of"},
		{"model.kernel.degree=5", "2 or 3"},
		{"model.type=varx", "model.type: must be one of auto, "},
		{"model.type=var1 model.experts=ar6", "model.experts: is used by auto, not by var1"},
		{"model.type=auto model.experts=ar6,ar6", `has "ar6" twice`},
		{"model.type=var1 model.tier=light", "is for model.type: auto"},
		{"model.type=seasonal", "needs the steps of a season"},
		{"model.type=ar2 model.exogenous=x", "is used by auto"},
		{"output.dead_letters.path=x output.dead_letters.drop=early", "must be one of malformed, "},
	} {
		_, err := load(append([]string{"model.type=kernelvar"}, strings.Fields(c.sets)...)...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v does not say %q", c.sets, err, c.want)
		}
	}
	for _, sets := range []string{
		"model.type=auto model.kernel.sampling=sorf input.simulated.dim=2",
		"model.type=kernelvar model.kernel.sampling=sorf input.simulated.dim=20 model.order=1",
		"model.type=kernelvar model.kernel.name=laplacian",
		"model.type=var3 model.influence=true",
		"model.type=kernelvar model.kernel.operator.name=curl_free model.order=1",
		"model.type=kernelvar model.optimiser.group_lasso=.1 model.optimiser.step=plain model.kernel.linear=false",
		"model.type=onorma model.loss.name=insensitive",
	} {
		if _, err := load(strings.Fields(sets)...); err != nil {
			t.Errorf("%s: %v", sets, err)
		}
	}
}
