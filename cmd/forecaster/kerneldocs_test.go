//go:build !race

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every example of the pages about kernels is a configuration that lint accepts.
func TestKernelExamplesAreValid(t *testing.T) {
	const around = "input: {stdin: {}}\noutput: {discard: {}}\n"
	var configs []string
	for _, page := range []string{"kernels.md", "howto/own-kernel.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", filepath.FromSlash(page)))
		if err != nil {
			t.Fatal(err)
		}
		n := len(configs)
		for _, m := range regexp.MustCompile("(?s)```yaml\n(model:\n.*?)```").FindAllStringSubmatch(string(text), -1) {
			configs = append(configs, around+m[1])
		}
		// The last cell of a row of a table.
		for _, m := range regexp.MustCompile("(?m)\\| `((?:type|kernel|optimiser|loss): [^`|]*)` \\|$").FindAllStringSubmatch(string(text), -1) {
			model := m[1]
			if !strings.HasPrefix(model, "type:") {
				model = "type: kernelvar, " + model
			}
			configs = append(configs, around+"model: {order: 1, "+model+"}\n")
		}
		if len(configs) == n {
			t.Errorf("%s has no examples", page)
		}
	}
	if len(configs) < 60 {
		t.Errorf("only %d examples were found", len(configs))
	}
	for _, c := range configs {
		path := filepath.Join(t.TempDir(), "forecaster.yaml")
		if err := os.WriteFile(path, []byte(c), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if code := execute(t.Context(), []string{"lint", "-c", path}, nil, &out, &errs); code != 0 {
			t.Errorf("%s-> %s%s", c, &out, &errs)
		}
	}
}
