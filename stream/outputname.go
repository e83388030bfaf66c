package stream

import (
	"slices"
	"strings"
)

var (
	ownNames    = []string{"anomaly_score", "cause", "is_anomaly", "levelset_score", "state_score", "time"}
	ownSuffixes = []string{"_lower", "_upper", "_joint", "_score", "_share", "_limit_probability", "_time_to_limit"}
)

// OutputName returns the name under which outputs write a variable, beside its bounds: cpu, cpu_lower, cpu_upper. A
// name that these outputs use themselves, such as cpu_lower, gets one more underscore at its end. So does such a
// name followed by underscores, which keeps all names distinct.
func OutputName(variable string) string {
	base := strings.TrimRight(variable, "_")
	if slices.Contains(ownNames, base) {
		return variable + "_"
	}
	for _, s := range ownSuffixes {
		if strings.HasSuffix(base, s) {
			return variable + "_"
		}
	}
	return variable
}
