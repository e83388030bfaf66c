package lineproto

import (
	"unicode/utf8"
)

// AppendTag appends s as the value of a tag. Two strings never have one encoding,
// and none of them is empty or breaks a line.
//
// Blanks, commas and equal signs are escaped by a backslash, as the protocol has
// it. What it has no safe way for, or what looks like something else to a reader,
// becomes %XX, byte by byte: control characters, the backslash, the percent sign
// itself, invisible characters and marks of writing direction, and bytes that are not
// UTF-8. The empty string becomes %.
func AppendTag(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, '%')
	}
	plain := 0
	for plain < len(s) && ordinary[s[plain]] {
		plain++
	}
	dst = append(dst, s[:plain]...)
	for i := plain; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			switch {
			case c == ' ' || c == ',' || c == '=':
				dst = append(dst, '\\', c)
			case c < ' ' || c == 0x7f || c == '\\' || c == '%':
				dst = appendHex(dst, c)
			default:
				dst = append(dst, c)
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || !visible(r) {
			for _, c := range []byte(s[i : i+n]) {
				dst = appendHex(dst, c)
			}
		} else {
			dst = append(dst, s[i:i+n]...)
		}
		i += n
	}
	return dst
}

// ordinary are the bytes that need no escape.
var ordinary = func() (is [256]bool) {
	for c := '!'; c < 0x7f; c++ {
		is[c] = c != ',' && c != '=' && c != '\\' && c != '%'
	}
	return is
}()

// visible reports whether a character beyond ASCII needs no escape: all but the
// control characters, General Punctuation (blanks, joiners and direction marks
// among others), and the byte order mark. It is a fixed list so that no version
// of Unicode changes a tag.
func visible(r rune) bool {
	return r > 0xa0 && (r < 0x2000 || r > 0x206f) && r != 0xfeff && r != utf8.RuneError
}

func appendHex(dst []byte, c byte) []byte {
	const digits = "0123456789ABCDEF"
	return append(dst, '%', digits[c>>4], digits[c&15])
}
