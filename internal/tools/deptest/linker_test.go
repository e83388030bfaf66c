package deptest

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The linker drops the methods that nothing calls, unless a function calls methods by names that it
// does not know, as text/template does: then the program has seven megabytes more.
func TestNoMethodIsCalledByName(t *testing.T) {
	build := exec.Command("go", "build", "-ldflags=-dumpdep", "-o", filepath.Join(t.TempDir(), "forecaster"), "./cmd/forecaster")
	build.Dir = "../../.."
	graph, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, graph)
	}
	if !strings.Contains(string(graph), "main.main -> ") {
		t.Fatal("the linker printed no graph")
	}
	// The methods of package reflect that look up others are in each program, and are not called.
	callers := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^(\S+) <ReflectMethod>`).FindAllStringSubmatch(string(graph), -1) {
		if !strings.HasPrefix(m[1], "reflect.") {
			callers[m[1]] = true
		}
	}
	for name := range callers {
		t.Errorf("%s calls methods by name; go build -ldflags=-dumpdep names its callers", name)
	}
}
