package lineproto_test

import (
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream/lineproto"
)

// names are pairwise different, and each has broken or merged series somewhere.
var names = []string{"a", "A", "a ", " a", "a,b", "a=b", `a\`, `a\\`, `a"`, "a\n", "a\r\n", "a\t", "a%", "a%0A", "a\x00", "a\x00b",
	"\xff", "\xfe", "é", "e\u0301", "\u202ea", "時", "🙂", "a\u00a0", "a\u200b", "#", "_all", "."}

// TestFault25_NamesDoNotCollide: different names make different tags, which have
// no character that means something to the protocol, and read back.
func TestFault25_NamesDoNotCollide(t *testing.T) {
	seen := make(map[string]string)
	for _, name := range names {
		tag := string(lineproto.AppendTag(nil, name))
		if other, ok := seen[tag]; ok {
			t.Errorf("%q and %q are both %q", name, other, tag)
		}
		seen[tag] = name
		if back, err := decodeTag(tag); err != nil || back != name {
			t.Errorf("%q became %q and back %q, %v", name, tag, back, err)
		}
	}
}

// TestFault26_NewlineAndBackslash: no name ends or continues a line.
func TestFault26_NewlineAndBackslash(t *testing.T) {
	escapes := strings.NewReplacer(`\ `, "", `\,`, "", `\=`, "")
	for _, name := range names {
		tag := string(lineproto.AppendTag(nil, name))
		if strings.ContainsAny(tag, "\n\r\x00") || strings.ContainsAny(escapes.Replace(tag), " ,=") || strings.HasSuffix(tag, `\`) {
			t.Errorf("%q became %q", name, tag)
		}
	}
}
