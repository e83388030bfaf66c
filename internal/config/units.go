package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Size is a number of bytes, written as 512, 64KiB, 1MiB or 10MB.
type Size int64

var sizeUnits = []struct {
	name   string
	factor int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1},
}

// ParseSize reads a size.
func ParseSize(s string) (Size, error) {
	number, factor := strings.TrimSpace(s), int64(1)
	for _, u := range sizeUnits {
		if n, ok := strings.CutSuffix(number, u.name); ok {
			number, factor = strings.TrimSpace(n), u.factor
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/factor {
		return 0, fmt.Errorf("must be a size such as 64KiB or 1MiB, got %q", s)
	}
	return Size(n * factor), nil
}

// String writes the size in the largest binary unit that divides it.
func (s Size) String() string {
	for i := 2; i >= 0; i-- {
		if u := sizeUnits[i]; s >= Size(u.factor) && s%Size(u.factor) == 0 {
			return strconv.FormatInt(int64(s)/u.factor, 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// MarshalYAML writes what ParseSize reads.
func (s Size) MarshalYAML() ([]byte, error) { return []byte(s.String()), nil }
