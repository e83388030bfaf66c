package lineproto

import (
	"slices"
	"strings"
)

// The tags of the input become tags of the output, with an underscore behind the names that the
// output uses itself: model becomes model_. Names that end in underscores behind such a name
// get one more, so that no two become one. Fields: stream.OutputName.

var ownTags = []string{"expert", "horizon", "kind", "level", "model", "target", "time"}

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
