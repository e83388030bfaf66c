package decimal_test

import (
	"fmt"

	"github.com/orffvar/forecaster/stream/internal/decimal"
)

func Example() {
	v, err := decimal.Parse([]byte("41.25"))
	fmt.Println(v, err)
	fmt.Printf("%s\n", decimal.Append(nil, v/3))
	// Output:
	// 41.25 <nil>
	// 13.75
}
