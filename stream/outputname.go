package stream

import (
	"slices"
	"strings"
)

var (
	ownNames    = []string{"anomaly_score", "cause", "is_anomaly", "levelset_score", "state_score", "time"}
	ownSuffixes = []string{"_lower", "_upper", "_joint", "_score", "_share", "_limit_probability", "_time_to_limit"}
)

// OutputName returns the name of a variable where outputs have its bounds beside it: cpu,
// cpu_lower, cpu_upper. Variables with a name that these outputs use themselves, such as
// cpu_lower, get an underscore behind their name. So does every such name with underscores
// behind it: no two names become one.
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
