package events_test

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/orffvar/forecaster/eval/calendar"
	"github.com/orffvar/forecaster/eval/calendar/events"
)

// A file of holidays becomes an input of a model: 1 on a holiday, otherwise 0.
func ExampleRead() {
	dir, err := os.MkdirTemp("", "events")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "holidays.csv")
	if err := os.WriteFile(path, []byte("name,from,to\nholiday,2026-12-25,2026-12-26\n"), 0o600); err != nil {
		panic(err)
	}
	all, err := events.Read(path, time.UTC)
	if err != nil {
		panic(err)
	}
	inputs := calendar.Calendar{}.WithEvents(all)
	x := make([]float64, inputs.Len())
	for day := 24; day <= 27; day++ {
		inputs.To(x, time.Date(2026, 12, day, 12, 0, 0, 0, time.UTC).UnixNano())
		fmt.Println(day, x)
	}
	// Output:
	// 24 [0]
	// 25 [1]
	// 26 [1]
	// 27 [0]
}
