package lineproto

import (
	"unicode/utf8"
)

// AppendTag appends s as the value of a tag. Distinct strings have distinct encodings, and no encoding is empty or
// breaks a line.
//
// A backslash escapes blanks, commas and equal signs, as in the protocol. Bytes without a safe escape, or that look
// like something else, become %XX: control characters, the backslash, the percent sign, invisible characters, marks
// of writing direction, and invalid UTF-8. The empty string becomes %.
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
		if !visible(r) {
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

// visible reports whether a non-ASCII character needs no escape. Control characters, General Punctuation (including
// blanks, joiners and direction marks), the byte order mark and the rune of invalid UTF-8 need one. The list is fixed,
// so that no version of Unicode changes a tag.
func visible(r rune) bool {
	return r > 0xa0 && (r < 0x2000 || r > 0x206f) && r != 0xfeff && r != utf8.RuneError
}

func appendHex(dst []byte, c byte) []byte {
	const digits = "0123456789ABCDEF"
	return append(dst, '%', digits[c>>4], digits[c&15])
}
