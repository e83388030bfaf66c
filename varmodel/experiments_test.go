package varmodel

import (
	"fmt"
	"testing"
)

// The spec asks for R^2 >= .85 of the curl-free kernel (measured .89, .90) and about
// .70 of independent outputs, with 100 points and 500 frequencies.
func TestC6_6_CurlFreeAgainstIndependent(t *testing.T) {
	const seeds = 2
	var curl, independent float64
	for seed := range uint64(seeds) {
		f, err := NewCurlField(100, 500, seed+1)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("R^2 %.3f curl-free, %.3f independent", f.CurlFree, f.Independent)
		curl, independent = curl+f.CurlFree/seeds, independent+f.Independent/seeds
	}
	if curl < .85 || curl < independent+.05 {
		t.Errorf("R^2 %.3f curl-free, %.3f independent", curl, independent)
	}
}

// As in Table 6.5 tasks that know of each other need fewer samples.
func TestMultiTaskLaplacianHelpsWithFewSamples(t *testing.T) {
	r, err := NewMultiTask(50, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("nMSE %.2f +- %.2f %% independent, %.2f +- %.2f %% Laplacian, p = %.4f", r.Independent, r.IndependentSD, r.Laplacian, r.LaplacianSD, r.P)
	if r.Laplacian >= r.Independent || r.P > .05 {
		t.Errorf("nMSE %.2f %% independent, %.2f %% Laplacian, p = %.3f", r.Independent, r.Laplacian, r.P)
	}
}

func ExampleNewCurlField() {
	f, err := NewCurlField(60, 100, 1)
	if err != nil {
		panic(err)
	}
	fmt.Println("curl-free is better:", f.CurlFree > f.Independent)
	// Output: curl-free is better: true
}
