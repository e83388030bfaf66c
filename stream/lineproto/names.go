package lineproto

import (
	"slices"
	"strings"
)

// Tags of the input become tags of the output. A name that the output uses itself gets an underscore at its end:
// model becomes model_. Such a name followed by underscores gets one more, which keeps names distinct. For fields
// see stream.OutputName.

var ownTags = []string{"expert", "horizon", "kind", "level", "model", "target", "time"}

// appendTag appends a tag of the input. It encodes a leading underscore of the name, which InfluxDB reserves, and of
// the value of id; see stream.AllSeries.
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
