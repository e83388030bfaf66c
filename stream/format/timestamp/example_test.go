package timestamp_test

import (
	"fmt"
	"log"

	"github.com/orffvar/forecaster/stream/format/timestamp"
)

// A reader knows the unit, the order of dates and the zone of one file.
func ExampleReader() {
	r := timestamp.NewReader(timestamp.Auto, timestamp.DayFirst, nil, false)
	for _, text := range []string{"1767225600", "2026-01-01T01:00:00+01:00", "01.01.2026", "1 Jan 2026", "2026Q1"} {
		t, err := r.Parse([]byte(text), "")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(timestamp.Append(nil, t, timestamp.Auto)))
	}
	// Output:
	// 2026-01-01T00:00:00Z
	// 2026-01-01T00:00:00Z
	// 2026-01-01T00:00:00Z
	// 2026-01-01T00:00:00Z
	// 2026-01-01T00:00:00Z
}
