//go:build !race

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// kernelConfig is a configuration of 7 variables whose model has the given lines.
func kernelConfig(model string) string {
	text := "input:\n  simulated: {dim: 7}\noutput:\n  discard: {}\nmodel:\n"
	for line := range strings.Lines(strings.TrimSpace(model) + "\n") {
		text += "  " + line
	}
	return text
}

// lint prints every combination that cannot be, with the line of the setting and
// the reason.
func TestLintRefusesWhatAKernelCannot(t *testing.T) {
	const first = 6 // line of the model's first one
	for _, c := range []struct {
		model string // lines below model:
		line  int    // of the model, from 0, that is at fault
		want  string
	}{
		// Laplacian, Matern 1/2 and angular have no Jacobian.
		{"type: kernelvar\ninfluence: true\nkernel: {name: laplacian}", 1, "no variance"},
		{"type: krls\ninfluence: true\nkernel: {name: matern12}", 1, "no variance"},
		{"type: okvar\ninfluence: true\nkernel: {name: angular}", 1, "constant almost everywhere"},
		{"type: nystroem\ninfluence: true\nkernel: {name: laplacian}", 1, "no variance"},
		{"type: kernelvar\ninfluence: true\nkernel:\n  times: {name: laplacian}", 1, "no variance"},
		{"type: auto\ninfluence: true", -1, ""},
		{"type: ar2\ninfluence: true", 1, "not for ar2"},
		// Ways to draw.
		{"type: kernelvar\norder: 4\nkernel:\n  sampling: sorf", -1, ""}, // 28 inputs pad to 32
		{"type: kernelvar\norder: 2\nkernel:\n  sampling: sorf", 3, "biased below 32 inputs"},
		{"type: kernelvar\nkernel:\n  name: sinc\n  sampling: orthogonal", 3, "frequencies of gaussian, not of sinc"},
		{"type: kernelvar\nkernel:\n  name: laplacian\n  sampling: fastfood", 3, "frequencies of gaussian"},
		{"type: kernelvar\nkernel:\n  name: matern52\n  sampling: halton", 3, "independent frequencies"},
		{"type: kernelvar\norder: 6\nkernel:\n  sampling: sobol", 3, "direction numbers for 37 inputs, there are 42"},
		{"type: kernelvar\nkernel:\n  name: angular\n  sampling: phase", 3, "which angular does not have"},
		{"type: kernelvar\nkernel:\n  name: gaussian\n  sampling: kakade", 3, "features of dot products"},
		{"type: kernelvar\norder: 1\nkernel:\n  sampling: phase\n  operator: {name: helmholtz}", 3, "must be iid for helmholtz"},
		{"type: nystroem\nkernel:\n  name: polynomial", 2, "kernel of differences"},
		{"type: nystroem\nkernel:\n  name: gaussian\n  plus: {name: sinc}", 2, "single kernel of differences"},
		// Orders of Matern.
		{"type: kernelvar\ninfluence: true\nkernel: {name: matern412}", -1, ""},
		{"type: nystroem\nkernel: {name: matern72}", -1, ""},
		{"type: kernelvar\nkernel:\n  name: matern432", 2, "must be one of"},
		{"type: kernelvar\nkernel:\n  name: matern22", 2, "must be one of"},
		// Inputs outside of the domain, x <= -c.
		{"type: kernelvar\nkernel:\n  name: skewed_chi2\n  inputs: standardised", 3, "negative values"},
		{"type: krls\nkernel:\n  times: {name: semigroup_reciprocal}\n  inputs: standardised", 3, "negative values"},
		{"type: kernelvar\nkernel:\n  name: skewed_chi2\n  parameter: -1", 3, ">= 0"},
		// Parameters.
		{"type: kernelvar\nkernel:\n  name: polynomial\n  parameter: 2.5", 3, "whole number"},
		{"type: kernelvar\nkernel:\n  name: dot_product", 2, "coefficients: must be given"},
		{"type: kernelvar\nkernel:\n  name: dot_product\n  coefficients: [1, -1]", 3, "not positive definite"},
		{"type: kernelvar\nkernel:\n  name: sinc\n  coefficients: [1]", 3, "not for sinc"},
		{"type: kernelvar\nkernel:\n  plus: {name: dot_product}", 2, "has coefficients"},
		{"type: kernelvar\nkernel:\n  plus: {name: gausian}", 2, "must be one of"},
		{"type: kernelvar\nkernel:\n  plus:\n    name: sinc\n    weight: 1", 4, "(0, 1)"},
		// Operators.
		{"type: kernelvar\norder: 2\nkernel:\n  operator: {name: curl_free}", 1, "must be 1 with operator curl_free"},
		{"type: okvar\norder: 3\nkernel:\n  operator: {name: divergence_free}", 1, "must be 1 with operator divergence_free"},
		{"type: kernelvar\norder: 1\nkernel:\n  name: sinc\n  operator: {name: curl_free}", 4, "known for the gaussian kernel"},
		{"type: krls\nkernel:\n  operator: {name: schur}", 2, "needs a decomposable operator"},
		{"type: kernelvar\nkernel:\n  operator: {gamma: matrix}", 2, "matrix: must be given"},
		{"type: kernelvar\nkernel:\n  operator:\n    gamma: graph\n    matrix: [0, 1, 1, 0]", 4, "must have 7 x 7 numbers"},
		{"type: kernelvar\nkernel:\n  operator:\n    gamma: matrix\n    matrix: [" + strings.Repeat("1, 2, 3, 4, 5, 6, 7, ", 6) + "1, 2, 3, 4, 5, 6, 7]", -2, "not symmetric"},
		{"type: kernelvar\nkernel:\n  operator:\n    gamma: low_rank\n    matrix: [1]", 3, "rank: must be >= 1"},
		{"type: kernelvar\nkernel:\n  operator:\n    gamma: positions\n    positions: [1, 2]", 4, "must have 7 numbers"},
		{"type: kernelvar\nkernel:\n  operator:\n    positions: [1, 2]", 3, "gamma: positions"},
		{"type: kernelvar\nkernel:\n  operator:\n    name: tensor\n    groups: 2", 4, "must divide the 7 variables"},
		{"type: kernelvar\nkernel:\n  operator: {name: tensor}", 2, "groups: must be given"},
		{"type: kernelvar\nkernel:\n  operator:\n    form: unbounded", 3, "vector fields"},
		{"type: kernelvar\norder: 1\nkernel:\n  operator:\n    name: curl_free\n    reduced: true", 5, "divergence_free"},
		{"type: kernelvar\nkernel:\n  operator:\n    gamma: correlations", -3, "plain or adagrad"},
		{"type: okvar\nkernel:\n  operator:\n    gamma: residuals", 3, "kernelvar alone"},
		{"type: kernelvar\noptimiser: {step: plain}\nkernel:\n  operator:\n    name: schur\n    gamma: residuals", 5, "decomposable operators only"},
		// Learning.
		{"type: kernelvar\noptimiser:\n  group_lasso: .1", 2, "needs step: plain"},
		{"type: kernelvar\nkernel: {linear: false}\noptimiser:\n  step: adagrad\n  group_lasso: .1", 4, "needs step: plain"},
		{"type: kernelvar\noptimiser:\n  step: plain\n  group_lasso: .1", 3, "linear: false"},
		{"type: kernelvar\nkernel: {linear: false, sampling: phase}\noptimiser:\n  step: plain\n  group_lasso: .1", 4, "cosine and a sine"},
		{"type: kernelvar\noptimiser:\n  blocks: 3", 2, "must divide"},
		{"type: kernelvar\noptimiser:\n  redraw: 10", 2, "2 blocks or more"},
		{"type: kernelvar\noptimiser:\n  warm: 50\n  blocks: 5\n  solver: ridge", 4, "one block"},
		{"type: kernelvar\nloss: {name: huber}\noptimiser:\n  warm: 50\n  solver: cg", 4, "must be lbfgs"},
		{"type: kernelvar\noptimiser:\n  grow: 10\n  most_blocks: 5", -1, ""},
		{"type: kernelvar\noptimiser:\n  grow: 10", -3, "must be above blocks = 1"},
		{"type: kernelvar\noptimiser:\n  blocks: 5\n  grow: 10\n  most_blocks: 5", 4, "must be above blocks = 5"},
		{"type: kernelvar\noptimiser:\n  most_blocks: 5", 2, "grow alone"},
		{"type: kernelvar\noptimiser:\n  blocks: 2\n  redraw: 10\n  grow: 10\n  most_blocks: 5", 4, "excludes redraw"},
		{"type: kernelvar\noptimiser:\n  warm: 50\n  grow: 10\n  most_blocks: 5", 3, "excludes warm"},
		{"type: kernelvar\noptimiser:\n  manifold: .1", 2, "does not know this term"},
		{"type: kernelvar\nloss:\n  name: pinball\n  parameter: .5", 2, "curvature of the squared loss"},
		{"type: kernelvar\noptimiser: {step: plain}\nloss:\n  name: pinball\n  parameter: 2", 4, "level of pinball"},
		{"type: krls\nloss:\n  name: huber", 2, "krls minimises squares"},
		{"type: kernelvar\norder: 1\nfrequencies: 5000\nkernel:\n  operator: {name: helmholtz}", -2, "NewtonSteps factor a matrix"},
		{"type: okvar\nkernel:\n  window: 1000\n  operator: {name: schur}", -2, "Window*Dim"},
		{"type: kernelvar\nhorizon: 600\nintervals: quantile", 1, "must be <= 500"},
	} {
		path := filepath.Join(t.TempDir(), "forecaster.yaml")
		if err := os.WriteFile(path, []byte(kernelConfig(c.model)), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		code := execute(t.Context(), []string{"lint", "-c", path}, nil, &out, &errs)
		if c.want == "" {
			if code != 0 || out.String() != "ok\n" {
				t.Errorf("%s\n-> %d: %s%s", c.model, code, &out, &errs)
			}
			continue
		}
		place := fmt.Sprintf("%s:%d: model.", path, first+c.line)
		switch c.line {
		case -2: // follows from several settings
			place = "model"
		case -3: // the default of a setting is at fault
			place = path + ":"
		}
		found := false
		for line := range strings.Lines(out.String()) {
			found = found || strings.HasPrefix(line, place) && strings.Contains(line, c.want)
		}
		if code == 0 || !found {
			t.Errorf("%s\n-> %d, want %q at line %d:\n%s%s", c.model, code, c.want, first+c.line, &out, &errs)
		}
	}
}
