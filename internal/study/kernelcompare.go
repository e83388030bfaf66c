package study

import (
	"github.com/orffvar/forecaster/internal/report"
)

// Variant is one line of kernel compare: settings besides those of the user.
type Variant struct {
	Name string
	Sets string // a.b=c, separated by blanks
	Most int    // variables that its newton steps, cubic in them, take in reasonable time; then adagrad

	Groups bool // as few groups as divide the variables
}

// Variants are what kernel compare compares.
var Variants = []Variant{
	{Name: "VAR", Sets: "model.type=var1"},
	{Name: "orffvar", Sets: "model.type=orffvar"},
	{Name: "gaussian"},
	{Name: "laplacian", Sets: "model.kernel.name=laplacian"},
	{Name: "sinc", Sets: "model.kernel.name=sinc"},
	{Name: "matern12", Sets: "model.kernel.name=matern12"},
	{Name: "matern32", Sets: "model.kernel.name=matern32"},
	{Name: "matern52", Sets: "model.kernel.name=matern52"},
	{Name: "skewed_chi2", Sets: "model.kernel.name=skewed_chi2"},
	{Name: "angular", Sets: "model.kernel.name=angular"},
	{Name: "polynomial", Sets: "model.kernel.name=polynomial"},
	{Name: "exponential", Sets: "model.kernel.name=exponential"},
	{Name: "dot_product 1 + t + t²/2 + t³/6", Sets: "model.kernel.name=dot_product model.kernel.coefficients=1,1,.5,.1666667"},
	{Name: "compositional", Sets: "model.kernel.name=compositional"},
	{Name: "semigroup_exponential", Sets: "model.kernel.name=semigroup_exponential"},
	{Name: "semigroup_reciprocal", Sets: "model.kernel.name=semigroup_reciprocal"},
	{Name: "gaussian + laplacian", Sets: "model.kernel.plus.name=laplacian"},
	{Name: "gaussian x polynomial", Sets: "model.kernel.times.name=polynomial model.kernel.times.parameter=1"},
	{Name: "sampling: phase", Sets: "model.kernel.sampling=phase"},
	{Name: "sampling: orthogonal", Sets: "model.kernel.sampling=orthogonal"},
	{Name: "sampling: fastfood", Sets: "model.kernel.sampling=fastfood"},
	{Name: "sampling: sorf", Sets: "model.kernel.sampling=sorf"},
	{Name: "sampling: halton", Sets: "model.kernel.sampling=halton"},
	{Name: "sampling: sobol", Sets: "model.kernel.sampling=sobol"},
	{Name: "polynomial, sampling: kakade", Sets: "model.kernel.name=polynomial model.kernel.sampling=kakade"},
	{Name: "curl_free", Sets: "model.kernel.operator.name=curl_free", Most: 16},
	{Name: "curl_free, form: unbounded", Sets: "model.kernel.operator.name=curl_free model.kernel.operator.form=unbounded", Most: 16},
	{Name: "divergence_free", Sets: "model.kernel.operator.name=divergence_free", Most: 3},
	{Name: "divergence_free, reduced", Sets: "model.kernel.operator.name=divergence_free model.kernel.operator.reduced=true", Most: 3},
	{Name: "helmholtz", Sets: "model.kernel.operator.name=helmholtz", Most: 3},
	{Name: "transformable", Sets: "model.kernel.operator.name=transformable", Most: 16},
	{Name: "schur", Sets: "model.kernel.operator.name=schur", Most: 3},
	{Name: "tensor", Sets: "model.kernel.operator.name=tensor", Most: 16, Groups: true},
	{Name: "gamma: positions", Sets: "model.kernel.operator.gamma=positions"},
	{Name: "step: plain", Sets: "model.optimiser.step=plain"},
	{Name: "step: adagrad", Sets: "model.optimiser.step=adagrad"},
	{Name: "plain, warm: 1000", Sets: "model.optimiser.step=plain model.optimiser.warm=1000"},
	{Name: "adagrad, warm: 1000", Sets: "model.optimiser.step=adagrad model.optimiser.warm=1000"},
	{Name: "plain, manifold: 0.1", Sets: "model.optimiser.step=plain model.optimiser.manifold=.1"},
	{Name: "plain, group_lasso: 0.01", Sets: "model.optimiser.step=plain model.optimiser.group_lasso=.01 model.kernel.linear=false"},
	{Name: "plain, gamma: correlations", Sets: "model.optimiser.step=plain model.kernel.operator.gamma=correlations"},
	{Name: "plain, gamma: residuals", Sets: "model.optimiser.step=plain model.kernel.operator.gamma=residuals"},
	{Name: "loss: huber", Sets: "model.loss.name=huber"},
	{Name: "5 blocks", Sets: "model.optimiser.blocks=5"},
	{Name: "5 blocks, redraw: 500", Sets: "model.optimiser.blocks=5 model.optimiser.redraw=500"},
	{Name: "krls", Sets: "model.type=krls"},
	{Name: "nystroem", Sets: "model.type=nystroem"},
	{Name: "ngrc", Sets: "model.type=ngrc"},
	{Name: "okvar", Sets: "model.type=okvar"},
	{Name: "onorma", Sets: "model.type=onorma"},
}

// Compared is a line of kernel compare: one figure a file.
type Compared struct {
	Name   string          `json:"name"`
	Ratios []report.Number `json:"mse_over_persistence"`
}
