package lineproto_test

import (
	"errors"
	"strconv"
)

// errTag is returned for what AppendTag would not have written.
var errTag = errors.New("lineproto: no encoded tag")

// decodeTag returns the string that AppendTag encoded. A database that stores
// the value of the tag has taken the backslashes away; both forms are read.
func decodeTag(s string) (string, error) {
	if s == "%" {
		return "", nil
	}
	var out []byte
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			if i++; i == len(s) {
				return "", errTag
			}
			out = append(out, s[i])
		case '%':
			if i+2 >= len(s) {
				return "", errTag
			}
			c, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
			if err != nil {
				return "", errTag
			}
			out = append(out, byte(c))
			i += 2
		default:
			out = append(out, s[i])
		}
	}
	return string(out), nil
}
