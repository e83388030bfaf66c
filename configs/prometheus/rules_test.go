// Package prometheus has the alert rules. Its tests evaluate them, check that they use metrics
// that exist, and that the runbook explains each.
package prometheus

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestRules(t *testing.T) {
	var file struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, "rules.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	runbook := read(t, "../../docs/runbook.md")
	server := read(t, "../../internal/job/metrics.go")
	metric := regexp.MustCompile(`forecaster_(\w+)`)
	alerts := 0
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			alerts++
			if !strings.Contains(runbook, "| "+r.Alert+" |") {
				t.Errorf("docs/runbook.md does not explain %s", r.Alert)
			}
			if r.Labels["severity"] == "" || r.Annotations["summary"] == "" {
				t.Errorf("%s needs a severity and a summary", r.Alert)
			}
			if strings.Count(r.Expr, "(") != strings.Count(r.Expr, ")") {
				t.Errorf("%s: parentheses", r.Alert)
			}
			for _, m := range metric.FindAllStringSubmatch(r.Expr, -1) {
				if !strings.Contains(server, `desc("`+m[1]+`"`) {
					t.Errorf("%s: there is no metric %s", r.Alert, m[0])
				}
			}
		}
	}
	if alerts == 0 || alerts != strings.Count(runbook, "| Forecaster") {
		t.Errorf("%d alerts, and %d in the runbook", alerts, strings.Count(runbook, "| Forecaster"))
	}
}

// TestScrape: the job is the one that the rules name, with the rules and the token
// that docker-compose.yml provides.
func TestScrape(t *testing.T) {
	var c struct {
		RuleFiles     []string `yaml:"rule_files"`
		ScrapeConfigs []struct {
			JobName       string                       `yaml:"job_name"`
			Authorization map[string]string            `yaml:"authorization"`
			StaticConfigs []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	if err := yaml.Unmarshal([]byte(read(t, "prometheus.yaml")), &c); err != nil {
		t.Fatal(err)
	}
	compose := read(t, "../../docker-compose.yml")
	if len(c.RuleFiles) != 1 || c.RuleFiles[0] != "rules.yaml" || len(c.ScrapeConfigs) != 1 {
		t.Fatalf("%+v", c)
	}
	s := c.ScrapeConfigs[0]
	if !strings.Contains(read(t, "rules.yaml"), `up{job="`+s.JobName+`"}`) || s.Authorization["credentials_file"] != "/run/secrets/forecaster_token" ||
		!strings.Contains(compose, "secrets: [forecaster_token]") || s.StaticConfigs[0].Targets[0] != "forecaster:8090" {
		t.Errorf("%+v", s)
	}
}
