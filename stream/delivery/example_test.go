package delivery_test

import (
	"fmt"
	"regexp"

	"github.com/orffvar/forecaster/stream/delivery"
)

// What a server answers decides whether a request is repeated.
func ExampleClassifier_Explain() {
	c := delivery.Classifier{Lost: regexp.MustCompile("outside retention policy"), Points: regexp.MustCompile("^unable to parse")}
	for _, status := range []int{503, 404} {
		_, passing := c.Explain(delivery.Answer(status, ""))
		fmt.Println(status, "may pass:", passing)
	}
	// Output:
	// 503 may pass: true
	// 404 may pass: false
}
