package lineproto

import (
	"slices"
	"strings"
)

// The names of the input become names in the output, with an underscore behind those that
// the output uses itself: the tag model becomes model_, and the variable cpu_lower, which
// would be the lower bound of cpu, cpu_lower_. Names that end in underscores behind such
// a name get one more, so that no two become one.

var (
	ownTags   = []string{"expert", "horizon", "kind", "level", "model", "target", "time"}
	ownFields = []string{"anomaly_score", "cause", "is_anomaly", "levelset_score", "time"}
	suffixes  = []string{"_lower", "_upper", "_joint", "_score", "_share"}
)

// appendTag appends a tag of the input. A name that begins with an underscore, as those of
// InfluxDB itself do, has it encoded, and so has an id: see stream.AllSeries.
func appendTag(dst []byte, name, value string) []byte {
	dst = appendUnderscore(append(dst, ','), name)
	if slices.Contains(ownTags, strings.TrimRight(name, "_")) {
		dst = append(dst, '_')
	}
	dst = append(dst, '=')
	if name == "id" {
		return appendUnderscore(dst, value)
	}
	return AppendTag(dst, value)
}

func appendUnderscore(dst []byte, s string) []byte {
	if s != "" && s[0] == '_' {
		dst = appendHex(dst, '_')
		if s = s[1:]; s == "" {
			return dst
		}
	}
	return AppendTag(dst, s)
}

// appendFieldName appends the name of a variable.
func appendFieldName(dst []byte, name string) []byte {
	base := name
	for len(base) > 0 && base[len(base)-1] == '_' {
		base = base[:len(base)-1]
	}
	dst = AppendTag(dst, name)
	if isOwn(base) {
		dst = append(dst, '_')
	}
	return dst
}

func isOwn(name string) bool {
	if slices.Contains(ownFields, name) {
		return true
	}
	for _, s := range suffixes {
		if strings.HasSuffix(name, s) {
			return true
		}
	}
	return false
}
