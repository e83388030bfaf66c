// Package chart tests the Helm chart: its schema has the keys of the program, and values files are accepted or refused.
package chart

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/tools/testserver"
	"github.com/orffvar/forecaster/internal/wire"
)

// given are the keys that the chart sets by itself.
var given = map[string]bool{"state.dir": true, "server.enabled": true, "server.listen": true, "server.token": true}

// configSchema allows the keys of docs/configuration.md, which a test of internal/config compares with the program.
func configSchema(t *testing.T) map[string]any {
	page, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	object := func() map[string]any {
		return map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{}}
	}
	root := object()
	for _, m := range regexp.MustCompile("(?m)^- `([a-z0-9_]+(?:\\.[a-z0-9_]+)+)`(?: \\*)?(?: \\(.*?\\))?: ").FindAllStringSubmatch(string(page), -1) {
		if given[m[1]] {
			continue
		}
		block := root
		path := strings.Split(m[1], ".")
		for i, key := range path {
			properties := block["properties"].(map[string]any)
			next, _ := properties[key].(map[string]any)
			if i == len(path)-1 {
				if next == nil {
					properties[key] = map[string]any{}
				}
				break
			}
			if next == nil || next["properties"] == nil {
				next = object()
				properties[key] = next
			}
			block = next
		}
	}
	root["required"] = []string{"input", "output"}
	return root
}

// TestSchema compares the part below config with the keys of the program. UPDATE_DOCS=1 writes it.
func TestSchema(t *testing.T) {
	old, err := os.ReadFile("values.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(old, &schema); err != nil {
		t.Fatal(err)
	}
	schema["properties"].(map[string]any)["config"] = configSchema(t)
	now, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	now = append(now, '\n')
	if os.Getenv("UPDATE_DOCS") != "" {
		if err := os.WriteFile("values.schema.json", now, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(now) != string(old) {
		t.Error("values.schema.json is out of date: UPDATE_DOCS=1 go test ./configs/chart -run Schema")
	}
}

// valuesFiles returns the files of a folder of tests.
func valuesFiles(t *testing.T, folder string, least int) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("tests", folder, "*.yaml"))
	if err != nil || len(files) < least {
		t.Fatalf("%d values files, %v", len(files), err)
	}
	return files
}

// TestConfigurations: what the accepted values files configure is what the program accepts.
func TestConfigurations(t *testing.T) {
	for _, path := range valuesFiles(t, "accepted", 12) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var values struct {
			Config map[string]any
			Env    map[string]any
		}
		if err := yaml.Unmarshal(text, &values); err != nil {
			t.Fatal(err)
		}
		content, err := yaml.Marshal(values.Config)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "forecaster.yaml")
		// The files of certificates and secrets are those of the pod.
		content = regexp.MustCompile(`(?m)^ +(tls_\w+|token_file):.*\n`).ReplaceAll(content, nil)
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		var environ []string
		for name := range values.Env {
			environ = append(environ, name+"=x")
		}
		if _, err := wire.Load(config.Sources{Files: []string{file}, Environ: environ}); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestHelm renders the chart with each values file, and checks all objects of Kubernetes against its schemas.
func TestHelm(t *testing.T) {
	helm, python := testserver.Helm(t)
	for _, path := range valuesFiles(t, "accepted", 12) {
		for _, verb := range []string{"lint", "template"} {
			args := []string{verb, ".", "--kube-version", "1.37.2", "-f", path}
			if verb == "lint" {
				args = append(args, "--strict")
			}
			out, err := exec.Command(helm, args...).Output()
			if err != nil {
				t.Fatalf("helm %s: %v\n%s", strings.Join(args, " "), err, out)
			}
			if verb == "lint" {
				continue
			}
			check := exec.Command(python, "-c", validate)
			check.Stdin = strings.NewReader(string(out))
			if out, err := check.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", path, err, out)
			}
		}
	}
	for _, path := range valuesFiles(t, "refused", 6) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(text), "\n")
		out, err := exec.Command(helm, "template", ".", "--kube-version", "1.37.2", "-f", path).CombinedOutput()
		if want := strings.TrimPrefix(first, "# want: "); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, want an error about %s:\n%s", path, err, want, out)
		}
	}
}

// validate checks each object of standard input; those of operators have no schema here, but a real server has them: apiserver.sh.
const validate = `
import sys, yaml, kubernetes_validate
kinds = []
for o in yaml.safe_load_all(sys.stdin):
    if o["apiVersion"].split("/")[0] not in ("monitoring.coreos.com", "keda.sh"):
        kubernetes_validate.validate(o, "1.37", strict=True)
        kinds.append(o["kind"])
if not {"ConfigMap", "Service", "PodDisruptionBudget"} < set(kinds) or not {"StatefulSet", "Deployment"} & set(kinds):
    sys.exit(f"objects: {kinds}")
`
