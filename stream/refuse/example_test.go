package refuse_test

import (
	"errors"
	"fmt"

	"github.com/orffvar/forecaster/stream/refuse"
)

// An error of a decoder says why the message cannot be used; any other error ends the work.
func ExampleError() {
	var err error = refuse.New(refuse.Malformed, "no number behind %q", "=")
	var refused *refuse.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Reason, "-", refused.Detail)
	}
	// Output: malformed - no number behind "="
}
