package wire

import (
	"fmt"
	"slices"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/maclaurin"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// kernelRow is a row of the table of scalar kernels. Exactly one of spectrum, series and
// features is given.
type kernelRow struct {
	names     []string // values of model.kernel.name
	formula   string
	parameter string // meaning of model.kernel.parameter, with its default
	when      string // reason to choose it
	example   string // keys below model:
	trials    []Trial

	positive     bool   // defined only for inputs >= 0
	rough        string // reason why its forecasts have no derivative; "": they have one
	separable    bool   // the coordinates of a frequency are independent
	coefficients use    // use of model.kernel.coefficients

	check func(v *config.Checker, path string, parameter float64) // may be nil

	// spectrum returns the spectral measure of a shift-invariant kernel, series the coefficients of a dot-product
	// kernel, features the features of any other kernel.
	spectrum func(k config.Kernel, in int) spectrum.Spectrum
	series   func(k config.Kernel) (maclaurin.Coefficients, error)
	features func(k config.Kernel, in, draws int, r random.Rand) (orff.Scalar, error)
}

// use: a kernel ignores a setting, may read it, or needs it.
type use int

const (
	ignored use = iota
	optional
	required
)

// kernels is the table. A new kernel is a constructor, and a row.
var kernels = []kernelRow{
	{
		names: []string{"gaussian"}, formula: "exp(-‖d‖²/2p²)", parameter: "width (1)",
		when: "the dynamics are smooth; the first to try", example: "kernel: {name: gaussian}",
		trials:    []Trial{{Name: "gaussian"}},
		separable: true, spectrum: gaussian,
	},
	{
		names: []string{"laplacian"}, formula: "exp(-p‖d‖₁)", parameter: "1/width (1/√inputs)",
		when:    "there are jumps and kinks, as of a valve that is open or shut, or sums of effects; no influence graph",
		example: "kernel: {name: laplacian}", trials: []Trial{{Name: "laplacian", Sets: "model.kernel.name=laplacian"}},
		rough:     "the frequencies of laplacian have no variance, so that the Jacobian diverges with their number",
		separable: true, spectrum: laplacian,
	},
	{
		names: []string{"sinc"}, formula: "∏ sin(p dₖ)/(p dₖ)", parameter: "band (√3)",
		when: "the dynamics are band-limited, as of filtered signals", example: "kernel: {name: sinc, parameter: 3}",
		trials:    []Trial{{Name: "sinc", Sets: "model.kernel.name=sinc"}},
		separable: true, spectrum: sinc,
	},
	{
		names: maternNames(0, 0), formula: "Matérn of smoothness ½: exp(-‖d‖/p)", parameter: "length (1)",
		when: "the dynamics are rough; no influence graph", example: "kernel: {name: matern12}",
		trials:   []Trial{{Name: "matern12", Sets: "model.kernel.name=matern12"}},
		rough:    "the frequencies of matern12 have no variance, so that the Jacobian diverges with their number",
		spectrum: matern,
	},
	{
		names: maternNames(1, 2), formula: "Matérn of smoothness 1½, 2½", parameter: "length (1)",
		when: "the dynamics are rougher than Gaussian", example: "kernel: {name: matern32}",
		trials:   []Trial{{Name: "matern32", Sets: "model.kernel.name=matern32"}, {Name: "matern52", Sets: "model.kernel.name=matern52"}},
		spectrum: matern,
	},
	{
		names: maternNames(3, 20), formula: "Matérn of smoothness 3½, 4½ … 20½", parameter: "length (1)",
		when: "a step between `matern52` and `gaussian`, their limit", example: "kernel: {name: matern72}",
		spectrum: matern,
	},
	{
		names: []string{"skewed_chi2"}, formula: "∏ sech(½ log((xₖ+p)/(zₖ+p)))", parameter: "offset (0.1)",
		when: "ratios matter: concentrations, counts, histograms", example: "kernel: {name: skewed_chi2, parameter: 0.05}",
		trials:   []Trial{{Name: "skewed_chi2", Sets: "model.kernel.name=skewed_chi2"}},
		positive: true, features: skewedChiSquared,
	},
	{
		names: []string{"angular"}, formula: "1 - 2 angle/π",
		when: "the direction matters, not the size: on which side of a plane; no influence graph", example: "kernel: {name: angular}",
		trials: []Trial{{Name: "angular", Sets: "model.kernel.name=angular"}},
		rough:  "the features of angular are constant almost everywhere", features: angular,
	},
	{
		names: []string{"polynomial"}, formula: "(1 + ⟨x,z⟩)ᵖ", parameter: "degree (2)",
		when: "variables are multiplied: reactions, predators, chaotic maps", example: "kernel: {name: polynomial, parameter: 3}",
		trials: []Trial{{Name: "polynomial", Sets: "model.kernel.name=polynomial"}},
		check:  checkDegree, series: polynomial,
	},
	{
		names: []string{"exponential"}, formula: "exp⟨x,z⟩",
		when: "products of all degrees matter", example: "kernel: {name: exponential}",
		trials: []Trial{{Name: "exponential", Sets: "model.kernel.name=exponential"}},
		series: exponential,
	},
	{
		names: []string{"dot_product"}, formula: "Σ aₙ⟨x,z⟩ⁿ", parameter: "(aₙ: `coefficients`)",
		when: "some degrees matter more, or only even ones", example: "kernel: {name: dot_product, coefficients: [1, 0, 1]}",
		trials:       []Trial{{Name: "dot_product 1 + t + t²/2 + t³/6", Sets: "model.kernel.name=dot_product model.kernel.coefficients=1,1,.5,.1666667"}},
		coefficients: required, series: dotProduct,
	},
	{
		names: []string{"compositional"}, formula: "f(k(x,z)), k Gaussian, f = exp or the series of `coefficients`", parameter: "width of k (1)",
		when: "the kernel should be sharper than Gaussian near, and as smooth far away", example: "kernel: {name: compositional}",
		trials:       []Trial{{Name: "compositional", Sets: "model.kernel.name=compositional"}},
		coefficients: optional, features: compositional,
	},
	{
		names: []string{"semigroup_exponential"}, formula: "∏ exp(-p√(xₖ+zₖ))", parameter: "rate (1)",
		when: "data are positive and decay steeply near zero", example: "kernel: {name: semigroup_exponential}",
		trials:   []Trial{{Name: "semigroup_exponential", Sets: "model.kernel.name=semigroup_exponential"}},
		positive: true, features: semigroupExponential,
	},
	{
		names: []string{"semigroup_reciprocal"}, formula: "∏ p/(xₖ+zₖ+p)", parameter: "scale (1)",
		when: "data are positive and saturate", example: "kernel: {name: semigroup_reciprocal, parameter: 2}",
		trials:   []Trial{{Name: "semigroup_reciprocal", Sets: "model.kernel.name=semigroup_reciprocal"}},
		positive: true, features: semigroupReciprocal,
	},
}

func kernelNames(k kernelRow) []string { return k.names }

func kernelNamed(name string) (kernelRow, bool) { return find(kernels, kernelNames, name) }

// allKernelNames returns the values of model.kernel.name.
func allKernelNames() []string { return namesOf(kernels, kernelNames, nil) }

// parts returns the rows of the scalar kernels in k.
func parts(k config.Kernel) []kernelRow {
	var rows []kernelRow
	for _, name := range []string{k.Name, k.Plus.Name, k.Times.Name} {
		if row, ok := kernelNamed(name); ok {
			rows = append(rows, row)
		}
	}
	return rows
}

// isRanged reports whether the inputs of a kernel are (value - minimum) / (maximum - minimum) so far, instead of
// standardised values.
func isRanged(k config.Kernel) bool {
	return k.Inputs == "ranged" || k.Inputs == "auto" && slices.ContainsFunc(parts(k), func(p kernelRow) bool { return p.positive })
}

// hasFrequencies reports whether the features of a kernel are the cosine and the sine of each frequency.
func hasFrequencies(k config.Kernel) bool {
	rows := parts(k)
	return len(rows) == 1 && rows[0].spectrum != nil
}

// parameterOr returns the parameter of a kernel, or its default.
func parameterOr(k config.Kernel, standard float64) float64 {
	if k.Parameter == 0 {
		return standard
	}
	return k.Parameter
}

// newSingle returns the features of a kernel with bandwidth 1. It ignores plus and times.
func newSingle(k config.Kernel, in, draws int, r random.Rand) (orff.Scalar, error) {
	row, ok := kernelNamed(k.Name)
	switch {
	case !ok:
		return nil, fmt.Errorf("model.kernel.name: there is no kernel %q", k.Name)
	case row.features != nil:
		return row.features(k, in, draws, r)
	case row.series != nil:
		return dotProductFeatures(row, k, in, draws, r)
	}
	return spectralFeatures(row, k, in, draws, r)
}
