package sniff_test

import (
	"fmt"
	"log"

	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/sniff"
)

func ExampleCSV() {
	sample := "date;temperature\n31.01.2026 10:00;1,5\n31.01.2026 11:00;2,25\n"
	found, err := sniff.CSV([]byte(sample), false, format.CSVConfig{})
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range found.Assumptions {
		fmt.Printf("%s (%s=%s)\n", a.Text, a.Field, a.Value)
	}
	// Output:
	// separator ; (CSVConfig.Comma=;)
	// decimal comma (CSVConfig.Decimal=,)
	// the day is first in dates such as 31.01.2026 10:00 (CSVConfig.DateOrder=dmy)
}
