package outside

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestProgramOfThePage: the program of docs/library.md, as it is printed there, compiles in another
// module and prints what the page says.
func TestProgramOfThePage(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "library.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := func(language string) string {
		var all strings.Builder
		for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllSubmatch(page, -1) {
			all.Write(m[1])
		}
		if all.Len() == 0 {
			t.Fatalf("the page has no %s", language)
		}
		return all.String()
	}
	dir := t.TempDir()
	module, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	_, requirements, _ := strings.Cut(string(module), "\n") // the versions that are there
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"main.go": block("go"),
		"go.mod":  "module example.com/outside\n" + requirements + "\nrequire github.com/orffvar/forecaster v0.0.0\n\nreplace github.com/orffvar/forecaster => " + root + "\n",
		"go.sum":  string(sums),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", args, err, out)
		}
		return string(out)
	}
	run("vet", ".")
	if got, want := run("run", "."), block("text"); got != want {
		t.Errorf("the program prints\n%s\nand the page says\n%s", got, want)
	}
}
