package livepage

import (
	"math"
	"regexp"
	"strconv"
	"testing"
)

// themes returns the colours of the style sheet: light, dark, and dark by the preference of the system.
func themes(t *testing.T) []map[string]string {
	t.Helper()
	css, err := embedded.ReadFile("assets/style.css")
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]string
	block := regexp.MustCompile(`(?s):root[^{]*\{\s*color-scheme: \w+;(.*?)\}`)
	property := regexp.MustCompile(`--([a-z-]+): ([^;]+);`)
	for _, m := range block.FindAllStringSubmatch(string(css), -1) {
		colours := make(map[string]string)
		for _, p := range property.FindAllStringSubmatch(m[1], -1) {
			colours[p[1]] = p[2]
		}
		all = append(all, colours)
	}
	if len(all) != 3 {
		t.Fatalf("%d themes, want 3", len(all))
	}
	return all
}

func TestDarkIsTheSameForSystemAndChoice(t *testing.T) {
	all := themes(t)
	for name, colour := range all[1] {
		if all[2][name] != colour {
			t.Errorf("--%s is %s and %s", name, colour, all[2][name])
		}
	}
	for _, theme := range all[1:] {
		if len(theme) != len(all[0]) {
			t.Errorf("a theme has %d colours, the light one %d", len(theme), len(all[0]))
		}
	}
}

// TestContrast: WCAG 2.1 requires a contrast of 4.5 for text, and of 3 for lines and marks (1.4.3 and 1.4.11).
func TestContrast(t *testing.T) {
	for i, theme := range themes(t) {
		check := func(front, back string, least float64) {
			if c := contrast(t, theme[front], theme[back]); !(c >= least) {
				t.Errorf("theme %d: contrast of --%s on --%s is %.2f, want %v", i, front, back, c, least)
			}
		}
		for _, text := range []string{"ink", "muted", "good", "bad", "accent"} {
			check(text, "card", 4.5)
			check(text, "page", 4.5)
		}
		check("ink", "control", 4.5)
		check("muted", "control", 4.5)
		check("on-accent", "accent", 4.5)
		check("note-ink", "note", 4.5)
		for _, mark := range []string{"observed", "forecast", "outside", "line-a", "line-b", "line-c"} {
			check(mark, "card", 3)
		}
	}
}

// TestExpertsHaveColours: there are as many colours as experts with their own weights. Any two of them differ by an eighth
// of the range in some channel. On a card, each has a contrast of 2: less than a line needs, because these are areas.
func TestExpertsHaveColours(t *testing.T) {
	css, err := embedded.ReadFile("assets/style.css")
	if err != nil {
		t.Fatal(err)
	}
	colours := regexp.MustCompile(`--expert-(\d+): #(..)(..)(..);`).FindAllStringSubmatch(string(css), -1)
	if len(colours) != maxExperts {
		t.Fatalf("%d colours for %d experts", len(colours), maxExperts)
	}
	channel := func(c []string, i int) int {
		n, _ := strconv.ParseInt(c[i], 16, 0)
		return int(n)
	}
	for k, c := range colours {
		if c[1] != strconv.Itoa(k) {
			t.Errorf("colour %d is that of expert %s", k, c[1])
		}
		for _, other := range colours[:k] {
			apart := 0
			for i := 2; i < 5; i++ {
				apart = max(apart, channel(c, i)-channel(other, i), channel(other, i)-channel(c, i))
			}
			if apart < 32 {
				t.Errorf("%s and %s are alike", c[0], other[0])
			}
		}
		for i, theme := range themes(t) {
			if got := contrast(t, "#"+c[2]+c[3]+c[4], theme["card"]); got < 2 {
				t.Errorf("theme %d: contrast of %s is %.2f, want 2", i, c[0], got)
			}
		}
	}
}

// contrast returns the contrast ratio of WCAG 2.1 between two colours #rrggbb.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	luminance := func(colour string) float64 {
		n, err := strconv.ParseUint(colour[1:], 16, 32)
		if err != nil {
			t.Fatalf("%q is no colour", colour)
		}
		linear := func(v uint64) float64 {
			c := float64(v&0xff) / 255
			if c <= .04045 {
				return c / 12.92
			}
			return math.Pow((c+.055)/1.055, 2.4)
		}
		return .2126*linear(n>>16) + .7152*linear(n>>8) + .0722*linear(n)
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + .05) / (min(x, y) + .05)
}
