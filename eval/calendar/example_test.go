package calendar_test

import (
	"fmt"
	"time"

	"github.com/orffvar/forecaster/eval/calendar"
)

// The hour of the day, as sines and cosines, and a holiday as inputs.
func Example() {
	c, err := calendar.New([]string{"hour"}, "Europe/Rome")
	if err != nil {
		fmt.Println(err)
		return
	}
	day := time.Date(2026, 12, 24, 23, 0, 0, 0, time.UTC) // midnight in Rome
	c = c.WithEvents([]calendar.Event{{Name: "christmas", From: day.UnixNano(), To: day.Add(24 * time.Hour).UnixNano()}})
	inputs := make([]float64, c.Len())
	c.To(inputs, day.Add(6*time.Hour).UnixNano())
	fmt.Printf("%d inputs, the last one %g\n", c.Len(), inputs[c.Len()-1])
	// Output: 7 inputs, the last one 1
}
