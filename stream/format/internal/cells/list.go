package cells

import (
	"encoding/csv"
	"strings"
)

// list writes names as the value of a setting.
func List(names []string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(names) // into memory
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}
