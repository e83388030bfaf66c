package shell

import (
	"os/exec"
	"testing"
)

// TestQuote: a shell gives the word back.
func TestQuote(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	for _, word := range []string{"a", "", "a b", "input.csv.comma=;", "it's", `say "x"`, "$HOME", "`id`", "a\\b", "a!b", "a;b|c", "*", "a b/*", "Größe", "#x", "~", "a\nb", "(1)", "a&b", "x>y"} {
		out, err := exec.Command(sh, "-c", "printf %s "+Quote(word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q is written %s and read as %q, %v", word, Quote(word), out, err)
		}
	}
	for word, want := range map[string]string{"input.csv.comma=;": `"input.csv.comma=;"`, "a=b,c": "a=b,c", "my state": `"my state"`} {
		if got := Quote(word); got != want {
			t.Errorf("%q is written %s, want %s", word, got, want)
		}
	}
}
