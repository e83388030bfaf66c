package stream_test

import (
	"errors"
	"fmt"

	"github.com/orffvar/forecaster/stream"
)

// An error of a decoder says why the message cannot be used; any other error ends the work.
func ExampleDataError() {
	var err error = stream.Refuse(stream.Malformed, "no number behind %q", "=")
	var refused *stream.DataError
	if errors.As(err, &refused) {
		fmt.Println(refused.Reason, "-", refused.Detail)
	}
	// Output: malformed - no number behind "="
}
