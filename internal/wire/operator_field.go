package wire

import (
	"math"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/algebra"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/vectorfield"
)

// newField returns the map of a Gaussian vector field. A kernel in plus is decomposable, a kernel in times is scalar.
func newField(k config.Kernel, dim, _, draws int, r random.Rand) (orff.Map, error) {
	second := random.Block(r.Uint64(), 1)
	form, sigma := vectorfield.Bounded, parameterOr(k, 1)
	if k.Operator.Form == "unbounded" {
		form = vectorfield.Unbounded
	}
	if k.Times.Name != "" { // a product has one feature per pair of features
		draws = max(int(math.Sqrt(float64(draws)/2)), 1)
	}
	curl, err := vectorfield.NewCurlFree(sigma, dim, draws, form, r)
	if err != nil {
		return nil, err
	}
	var m orff.Map = curl
	if k.Operator.Name != "curl_free" {
		div, err := vectorfield.NewDivergenceFree(sigma, dim, draws, form, k.Operator.Reduced, second)
		if err != nil {
			return nil, err
		}
		m = div
		if k.Operator.Name == "helmholtz" {
			if m, err = vectorfield.NewHelmholtz(k.Operator.Mix, curl, div); err != nil {
				return nil, err
			}
		}
	}
	if k.Plus.Name != "" {
		s, err := newPart(k.Plus.Name, k.Plus.Parameter, dim, draws, random.Block(r.Uint64(), 2))
		if err != nil {
			return nil, err
		}
		w := k.Plus.Weight
		if m, err = algebra.NewSum([]float64{1 - w, w}, m, orff.NewDecomposable(s, coupling.Identity(dim))); err != nil {
			return nil, err
		}
	}
	if k.Times.Name != "" {
		s, err := newPart(k.Times.Name, k.Times.Parameter, dim, draws, random.Block(r.Uint64(), 3))
		if err != nil {
			return nil, err
		}
		return algebra.NewProduct(s, m)
	}
	return m, nil
}
