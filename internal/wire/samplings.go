package wire

import (
	"math/bits"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// sampling is a row of the table of sampling methods for features.
type sampling struct {
	name    string // value of model.kernel.sampling
	when    string // reason to choose it
	example string // keys below model:
	trials  []Trial

	check func(v *config.Checker, c *config.Config, row kernelRow) // may be nil

	// draw returns features with drawn frequencies; nil: the method has no frequencies.
	draw func(k config.Kernel, s spectrum.Spectrum, in, draws int, r random.Rand) (orff.Scalar, error)
}

// samplings is the table.
var samplings = []sampling{
	{
		name: "iid", when: "always possible", example: "kernel: {sampling: iid}",
		draw: func(_ config.Kernel, s spectrum.Spectrum, in, draws int, r random.Rand) (orff.Scalar, error) {
			return orff.NewFourier(s, in, draws, r)
		},
	},
	{
		name: "phase", when: "comparisons: √2 cos(ωx + β) in place of a cosine and a sine has a larger variance", example: "kernel: {sampling: phase}",
		trials: []Trial{{Name: "sampling: phase", Sets: "model.kernel.sampling=phase"}},
		check: func(v *config.Checker, c *config.Config, row kernelRow) {
			v.Need(row.spectrum != nil, samplingPath, "phase is a form of the features of frequencies, which %s does not have", c.Model.Kernel.Name)
		},
		draw: func(_ config.Kernel, s spectrum.Spectrum, in, draws int, r random.Rand) (orff.Scalar, error) {
			return orff.NewPhase(s, in, 2*draws, r)
		},
	},
	{
		name: "orthogonal", when: "few frequencies should be as accurate as many", example: "kernel: {sampling: orthogonal}",
		trials: []Trial{{Name: "sampling: orthogonal", Sets: "model.kernel.sampling=orthogonal"}},
		check:  checkGaussian,
		draw: func(k config.Kernel, _ spectrum.Spectrum, in, draws int, r random.Rand) (orff.Scalar, error) {
			return orff.NewFourier(spectrum.Orthogonal{Sigma: parameterOr(k, 1)}, in, draws, r)
		},
	},
	{
		name: "fastfood", when: "there are hundreds of inputs: a product with the frequencies costs log d in place of d", example: "kernel: {sampling: fastfood}",
		trials: []Trial{{Name: "sampling: fastfood", Sets: "model.kernel.sampling=fastfood"}},
		check:  checkGaussian,
		draw: func(k config.Kernel, _ spectrum.Spectrum, in, draws int, r random.Rand) (orff.Scalar, error) {
			return orff.NewFastfood(parameterOr(k, 1), in, draws, r)
		},
	},
	{
		name: "sorf", when: "the same, with exactly orthogonal frequencies; refused below 32 inputs, where it is biased", example: "kernel: {sampling: sorf}",
		trials: []Trial{{Name: "sampling: sorf", Sets: "model.kernel.sampling=sorf"}},
		check: func(v *config.Checker, c *config.Config, row kernelRow) {
			checkGaussian(v, c, row)
			if n, ok := c.Lags(); ok {
				padded := 1 << bits.Len(uint(max(n-1, 0)))
				v.Need(padded >= 32, samplingPath, "sorf is biased below 32 inputs, padded to a power of two; %d lags of the variables are %d", n, padded)
			}
		},
		draw: func(k config.Kernel, _ spectrum.Spectrum, in, draws int, r random.Rand) (orff.Scalar, error) {
			return orff.NewSORF(parameterOr(k, 1), in, draws, r)
		},
	},
	{
		name: "halton", when: "there are up to 10 inputs, and a kernel with independent coordinates", example: "kernel: {sampling: halton}",
		trials: []Trial{{Name: "sampling: halton", Sets: "model.kernel.sampling=halton"}},
		check:  checkSeparable, draw: quasi(spectrum.Halton),
	},
	{
		name: "sobol", when: "there are up to 37 inputs, and a kernel with independent coordinates", example: "kernel: {sampling: sobol}",
		trials: []Trial{{Name: "sampling: sobol", Sets: "model.kernel.sampling=sobol"}},
		check: func(v *config.Checker, c *config.Config, row kernelRow) {
			checkSeparable(v, c, row)
			if n, ok := c.Lags(); ok {
				v.Need(n <= 37, samplingPath, "sobol has direction numbers for 37 inputs, there are %d", n)
			}
		},
		draw: quasi(spectrum.Sobol),
	},
	{
		name: "kakade", when: "dot products, every feature with all degrees: fewer features, each dearer", example: "kernel: {name: polynomial, sampling: kakade}",
		trials: []Trial{{Name: "polynomial, sampling: kakade", Sets: "model.kernel.name=polynomial model.kernel.sampling=kakade"}},
		check: func(v *config.Checker, c *config.Config, row kernelRow) {
			products := namesOf(kernels, kernelNames, func(k kernelRow) bool { return k.series != nil })
			v.Need(row.series != nil, samplingPath, "kakade draws features of dot products (%s), not of %s", listed(products), c.Model.Kernel.Name)
		},
	},
}

const samplingPath = "model.kernel.sampling"

func samplingName(s sampling) []string { return []string{s.name} }

func samplingNamed(name string) (sampling, bool) { return find(samplings, samplingName, name) }

func checkGaussian(v *config.Checker, c *config.Config, _ kernelRow) {
	k := &c.Model.Kernel
	v.Need(k.Name == "gaussian", samplingPath, "%s is a way to draw the frequencies of gaussian, not of %s", k.Sampling, k.Name)
}

func checkSeparable(v *config.Checker, c *config.Config, row kernelRow) {
	k := &c.Model.Kernel
	separable := namesOf(kernels, kernelNames, func(k kernelRow) bool { return k.separable })
	v.Need(row.separable, samplingPath, "%s needs a kernel with independent frequencies (%s), got %s", k.Sampling, listed(separable), k.Name)
}

// quasi returns a draw function with frequencies from a low-discrepancy sequence.
func quasi(q spectrum.Sequence) func(config.Kernel, spectrum.Spectrum, int, int, random.Rand) (orff.Scalar, error) {
	return func(_ config.Kernel, s spectrum.Spectrum, in, draws int, r random.Rand) (orff.Scalar, error) {
		return orff.NewFourier(spectrum.QuasiMonteCarlo{Spectrum: s, Sequence: q}, in, draws, r)
	}
}
