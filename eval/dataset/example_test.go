package dataset_test

import (
	"fmt"

	"github.com/orffvar/forecaster/eval/dataset"
)

func ExampleMacrodata() {
	d := dataset.Macrodata()
	fmt.Printf("%s: %d quarters of %d variables, the first of which is %s\n", d.Name, d.Len(), d.Dim(), d.Variables[0])
	// Output: macrodata: 203 quarters of 12 variables, the first of which is realgdp
}
