package sniff

import (
	"fmt"

	"github.com/orffvar/forecaster/stream/format"
)

// mixedSeparators returns the error of a file with two separators: one in the header and another in the lines below,
// or one in some lines and another in the rest. It returns nil for other files.
func mixedSeparators(lines []sampleLine) error {
	for _, a := range separators {
		columns := countFields(lines[0].text, a)
		if columns < 2 {
			continue
		}
		for _, b := range separators {
			both, other := 0, 0
			for _, line := range lines[1:] {
				switch {
				case a == b:
				case countFields(line.text, a) == columns:
					both++
				case countFields(line.text, b) == columns:
					other++
				}
			}
			if other == 0 || 10*(both+other) < 9*(len(lines)-1) {
				continue
			}
			if both == 0 {
				return fmt.Errorf("the header has the separator %s and the lines below it %s: make them alike with  sed '%ds/%s/%s/g' IN > OUT",
					format.SeparatorName(a), format.SeparatorName(b), lines[0].index+1, inSed(a), inSed(b))
			}
			return fmt.Errorf("some lines have the separator %s and others %s: make them alike with  sed 's/%s/%s/g' IN > OUT",
				format.SeparatorName(a), format.SeparatorName(b), inSed(b), inSed(a))
		}
	}
	return nil
}

func inSed(comma byte) string {
	if comma == '\t' {
		return `\t`
	}
	return string(comma)
}
