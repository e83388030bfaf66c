package wire

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/spelling"
	"github.com/orffvar/forecaster/varmodel/auto"
)

// model is a row of the table of models, with all properties of a model.
type model struct {
	name     string   // value of model.type; a final N stands for a number of lags
	about    string   // line of the documentation
	when     string   // reason to choose it
	example  string   // keys below model:
	settings []string // keys below model: that this model reads, beside those that all models read
	trials   []Trial

	random bool // draws random frequencies, so the results depend on model.seed
	inputs bool // takes exogenous inputs
	kernel bool // reads model.kernel

	// influence returns the reason why the settings forbid model.influence; "": they allow it. nil: the model has
	// no derivatives.
	influence func(m *config.Model) string

	check func(v *config.Checker, c *config.Config) // checks relations between the settings; may be nil

	// make returns the model for series of dim variables.
	make func(c config.Model, dim int, s sharing) (eval.Model, error)
}

// sharing has the parts that models share.
type sharing struct {
	weights bool            // several series will share the model
	work    *auto.Workspace // scratch memory of all models of an engine; nil: each model has its own
}

// models is the table. A new model is a constructor, and a row.
var models = []model{
	{
		name: "auto", about: "online mixture of experts around ORFFVAR, nothing to choose; the default", example: "type: auto",
		settings: slices.Concat([]string{"tier", "experts", "season", "season_time", "seed"}, inputSettings),
		random:   true, inputs: true, influence: always, check: checkAuto, make: newAuto,
	},
	{
		name: "auto-light", about: "the same with `tier: light`, under its own name in comparisons", example: "type: auto-light",
		settings: slices.Concat([]string{"season", "season_time", "seed"}, inputSettings),
		random:   true, inputs: true, make: newAuto,
	},
	{
		name: "auto-tiny", about: "the same with `tier: tiny`", example: "type: auto-tiny",
		settings: slices.Concat([]string{"season", "season_time", "seed"}, inputSettings),
		random:   true, inputs: true, make: newAuto,
	},
	{
		name: "orffvar", about: "ORFFVAR alone: three vector autoregressions on random Fourier features, mixed", example: "type: orffvar, order: 4",
		settings: slices.Concat([]string{"order", "frequencies", "bandwidth", "ridge", "forgetting", "seed", "optimiser.step", "optimiser.rate"}, inputSettings),
		trials:   []Trial{{Name: "orffvar", Sets: "model.type=orffvar"}},
		random:   true, inputs: true, influence: influenceORFFVAR, check: checkORFFVAR, make: newORFFVAR,
	},
	{
		name: "varN", about: "N lags of all variables, linear", when: "always beside the others", example: "type: var2",
		settings: inputSettings, trials: []Trial{{Name: "VAR", Sets: "model.type=var1"}},
		inputs: true, influence: always, make: newVAR,
	},
	{name: "arN", about: "N lags of the same variable, linear", example: "type: ar6", make: newAR},
	{name: "persistence", about: "the last value", example: "type: persistence", make: newPersistence},
	{
		name: "seasonal", about: "the value one season ago", example: "type: seasonal, season: 24",
		settings: []string{"season", "season_time"}, check: checkSeasonal, make: newSeasonal,
	},
	{
		name: "kernelvar", about: "vector autoregression on random features of any kernel, by mini-batch doubly stochastic gradient descent",
		when: "every kernel, thousands of features", example: "type: kernelvar, kernel: {name: matern32}",
		settings: slices.Concat([]string{"order", "frequencies", "bandwidth", "forgetting", "seed", "kernel.lambda", "loss", "optimiser"}, featureSettings, []string{"kernel.operator"}),
		random:   true, kernel: true, influence: smooth, check: checkKernelVAR, make: newKernelVAR,
	},
	{
		name: "krls", about: "recursive least squares on the features: exact, the square of their number per sample",
		when: "a few hundred features, and every sample counts", example: "type: krls, frequencies: 100",
		settings: slices.Concat([]string{"order", "frequencies", "bandwidth", "ridge", "forgetting", "seed"}, featureSettings, gammaSettings),
		trials:   []Trial{{Name: "krls", Sets: "model.type=krls"}},
		random:   true, kernel: true, influence: smooth, check: checkKRLS, make: newKRLS,
	},
	{
		name: "nystroem", about: "the same on `landmarks` data points instead of frequencies",
		when: "the data fill little of their space", example: "type: nystroem, kernel: {landmarks: 100}",
		settings: slices.Concat([]string{"order", "bandwidth", "ridge", "forgetting", "seed", "kernel.name", "kernel.parameter", "kernel.inputs", "kernel.linear", "kernel.landmarks"}, gammaSettings),
		trials:   []Trial{{Name: "nystroem", Sets: "model.type=nystroem"}},
		random:   true, kernel: true, influence: smooth, check: checkNystroem, make: newNystroem,
	},
	{
		name: "ngrc", about: "products of the lags up to `degree`: next-generation reservoir computing",
		when: "few variables with polynomial dynamics; chaos", example: "type: ngrc, kernel: {degree: 3}",
		settings: []string{"order", "ridge", "forgetting", "kernel.degree"},
		trials:   []Trial{{Name: "ngrc", Sets: "model.type=ngrc"}}, influence: always, make: newNGRC,
	},
	{
		name: "okvar", about: "the exact kernel on the last `window` samples",
		when: "short series", example: "type: okvar, kernel: {window: 200, operator: {name: schur}}",
		settings: slices.Concat([]string{"order", "bandwidth", "kernel.linear", "kernel.window", "kernel.lambda"}, exactSettings, gammaSettings),
		trials:   []Trial{{Name: "okvar", Sets: "model.type=okvar"}},
		kernel:   true, influence: smooth, check: checkOKVAR, make: newOKVAR,
	},
	{
		name: "onorma", about: "gradient descent in kernel space, on the last `terms` samples",
		when: "as a baseline", example: "type: onorma, kernel: {terms: 500}",
		settings: slices.Concat([]string{"order", "bandwidth", "kernel.terms", "kernel.lambda", "loss"}, exactSettings, gammaSettings),
		trials:   []Trial{{Name: "onorma", Sets: "model.type=onorma"}},
		kernel:   true, influence: smooth, check: checkONORMA, make: newONORMA,
	},
}

// Settings that several models read: exogenous inputs, a scalar kernel, its random features, the matrix between outputs,
// and a kernel that is evaluated exactly.
var (
	inputSettings   = []string{"exogenous", "calendar", "time_zone", "events"}
	scalarSettings  = []string{"kernel.name", "kernel.parameter", "kernel.coefficients", "kernel.inputs", "kernel.plus", "kernel.times"}
	featureSettings = slices.Concat(scalarSettings, []string{"kernel.sampling", "kernel.linear"})
	gammaSettings   = []string{"kernel.operator.gamma", "kernel.operator.matrix", "kernel.operator.rank", "kernel.operator.eta", "kernel.operator.positions", "kernel.operator.length"}
	exactSettings   = slices.Concat(scalarSettings, []string{"kernel.operator.name", "kernel.operator.mix", "kernel.operator.groups"})
)

func always(*config.Model) string { return "" }

func modelNames(m model) []string { return []string{m.name} }

// ModelNames returns the names of the models, with N for a number of lags.
func ModelNames() []string { return namesOf(models, modelNames, nil) }

// InfluenceModels returns the models that can compute the influence between variables.
func InfluenceModels() []string {
	return namesOf(models, modelNames, func(m model) bool { return m.influence != nil })
}

// modelNamed returns the row for a value of model.type.
func modelNamed(name string) (model, error) {
	for _, m := range models {
		prefix, family := strings.CutSuffix(m.name, "N")
		if _, ok := numbered(name, prefix); family && ok || name == m.name && !family {
			return m, nil
		}
	}
	text := fmt.Sprintf("must be one of %s (N = number of lags, 1 to 999), got %q", strings.Join(ModelNames(), ", "), name)
	if best := nearestModel(name); best != "" {
		text += fmt.Sprintf(", did you mean %s?", best)
	}
	return model{}, errors.New(text)
}

// nearestModel returns the model that a misspelt name probably means, with its number of lags; "": none is near.
func nearestModel(name string) string {
	lags := name[len(strings.TrimRight(name, "0123456789")):]
	var names []string
	for _, known := range ModelNames() {
		if prefix, family := strings.CutSuffix(known, "N"); family && lags != "" {
			known = prefix + lags
		}
		if known == name { // the number of lags is wrong, and the name is right
			return ""
		}
		names = append(names, known)
	}
	return spelling.Nearest(name, names)
}

// IsKernelModel reports whether a model reads model.kernel.
func IsKernelModel(name string) bool {
	m, err := modelNamed(name)
	return err == nil && m.kernel
}

// IsRandom reports whether the results of a model depend on model.seed.
func IsRandom(name string) bool {
	m, err := modelNamed(name)
	return err == nil && m.random
}
