// Package compose checks docker-compose.yml with the library of Docker Compose.
// It is a module of its own to keep that library out of the forecaster's.
package compose

import (
	"context"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

const root = "../.."

func load(t *testing.T, options ...cli.ProjectOptionsFn) (*types.Project, error) {
	t.Helper()
	options = append([]cli.ProjectOptionsFn{cli.WithWorkingDirectory(root)}, options...)
	o, err := cli.NewProjectOptions([]string{filepath.Join(root, "docker-compose.yml")}, options...)
	if err != nil {
		t.Fatal(err)
	}
	return o.LoadProject(context.Background())
}

func loadWithExample(t *testing.T) *types.Project {
	t.Helper()
	p, err := load(t, cli.WithEnvFiles(filepath.Join(root, ".env.example")), cli.WithDotEnv)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEverySecretMustBeSet(t *testing.T) {
	_, err := load(t)
	if err == nil || !strings.Contains(err.Error(), ".env.example") {
		t.Errorf("error %v, want one that names .env.example", err)
	}
	compose, err := os.ReadFile(filepath.Join(root, "docker-compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile(filepath.Join(root, ".env.example"))
	if err != nil {
		t.Fatal(err)
	}
	used := regexp.MustCompile(`\$\{(\w+)`).FindAllStringSubmatch(string(compose), -1)
	given := regexp.MustCompile(`(?m)^(\w+)=`).FindAllStringSubmatch(string(example), -1)
	names := func(m [][]string) []string {
		var s []string
		for _, x := range m {
			s = append(s, x[1])
		}
		slices.Sort(s)
		return slices.Compact(s)
	}
	if u, g := names(used), names(given); !slices.Equal(u, g) {
		t.Errorf("docker-compose.yml uses %v, .env.example has %v", u, g)
	}
}

func TestServices(t *testing.T) {
	p := loadWithExample(t)
	if want := []string{"forecaster", "grafana", "influxdb", "kafka", "producer", "prometheus", "tokens"}; !slices.Equal(p.ServiceNames(), want) {
		t.Fatalf("services %v, want %v", p.ServiceNames(), want)
	}
	exact := regexp.MustCompile(`^[a-z0-9./-]+:v?\d+\.\d+\.\d+(@sha256:[0-9a-f]{64})?$`)
	for name, s := range p.Services {
		if own := s.Image == "forecaster:local"; !own && !exact.MatchString(s.Image) {
			t.Errorf("%s: the image %s has no exact version", name, s.Image)
		}
		if s.HealthCheck == nil && name != "producer" && name != "tokens" {
			t.Errorf("%s has no health check", name)
		}
		if s.Restart == "" {
			t.Errorf("%s does not say when it is restarted", name)
		}
		for _, port := range s.Ports {
			if ip, err := netip.ParseAddr(port.HostIP); err != nil || !ip.IsLoopback() {
				t.Errorf("%s: port %s is published on %q, not on loopback", name, port.Published, port.HostIP)
			}
		}
		for _, v := range s.Volumes {
			if v.Type == types.VolumeTypeBind {
				if _, err := os.Stat(v.Source); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		for dependency := range s.DependsOn {
			if d := s.DependsOn[dependency]; d.Condition == types.ServiceConditionHealthy && p.Services[dependency].HealthCheck == nil {
				t.Errorf("%s waits for the health of %s, which has no check", name, dependency)
			}
		}
	}
	if b := p.Services["forecaster"].Build; b == nil {
		t.Error("the forecaster is not built")
	}
}

// TestTokens: only the database and the service that makes the tokens of the others have the administrator's; the
// forecaster has the token that writes, Grafana the one that reads.
func TestTokens(t *testing.T) {
	p := loadWithExample(t)
	const secret = "change-me-to-a-long-random-token" // in .env.example
	for name, s := range p.Services {
		has := slices.ContainsFunc(s.Environment.ToMapping().Values(), func(v string) bool { return strings.Contains(v, secret) })
		if want := name == "influxdb" || name == "tokens"; has != want {
			t.Errorf("%s has the administrator's token: %v", name, has)
		}
	}
	for name, volume := range map[string]string{"forecaster": "writer", "grafana": "reader"} {
		s := p.Services[name]
		i := slices.IndexFunc(s.Volumes, func(v types.ServiceVolumeConfig) bool { return v.Target == "/run/tokens" })
		if i < 0 || s.Volumes[i].Source != volume || !s.Volumes[i].ReadOnly || s.DependsOn["tokens"].Condition != types.ServiceConditionCompletedSuccessfully {
			t.Errorf("%s: %+v, %+v", name, s.Volumes, s.DependsOn)
		}
	}
}

// TestPin: pin.sh writes digests into copies of the files. A script stands for docker, because the
// test has no registry.
func TestPin(t *testing.T) {
	dir := t.TempDir()
	digest := "sha256:" + strings.Repeat("0a", 32)
	if err := os.WriteFile(filepath.Join(dir, "docker"), []byte("#!/bin/sh\necho $DIGEST\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	files := []string{filepath.Join(dir, "docker-compose.yml"), filepath.Join(dir, "Dockerfile")}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(root, filepath.Base(file)))
		if err == nil {
			err = os.WriteFile(file, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		digest string
		fails  bool
	}{{"none", true}, {digest, false}, {digest, false}} { // the second time over digests
		cmd := exec.Command("./pin.sh", files...)
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "DIGEST="+c.digest)
		if out, err := cmd.CombinedOutput(); (err != nil) != c.fails {
			t.Errorf("%s: %v, %s", c.digest, err, out)
		}
	}
	for file, count := range map[string]int{files[0]: 5, files[1]: 1} { // InfluxDB's image is there twice
		was, err := os.ReadFile(filepath.Join(root, filepath.Base(file)))
		if err != nil {
			t.Fatal(err)
		}
		is, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(is), "@"+digest); n != count || strings.ReplaceAll(string(is), "@"+digest, "") != string(was) {
			t.Errorf("%d digests in %s:\n%s", n, file, is)
		}
	}
}

// TestDockerfile: the version of Go is at least that of the module, the process
// is not root, and what the producer reads is copied.
func TestDockerfile(t *testing.T) {
	file, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`(?m)^go (\S+)`).FindStringSubmatch(string(mod))[1]
	if !strings.Contains(string(file), " golang:"+want+"-") {
		t.Errorf("the Dockerfile does not build with Go %s, the version of go.mod", want)
	}
	for _, from := range regexp.MustCompile(`(?m)^FROM (?:--\S+ )?(\S+)`).FindAllStringSubmatch(string(file), -1) {
		if !regexp.MustCompile(`:\d+\.\d+\.\d+(-alpine)?$`).MatchString(from[1]) && from[1] != "scratch" {
			t.Errorf("the base image %s has no exact version", from[1])
		}
	}
	if !regexp.MustCompile(`(?m)^USER [1-9]`).Match(file) {
		t.Error("the process runs as root")
	}
	for _, copied := range regexp.MustCompile(`install -D -m 644 (internal/\S+) /image(\S+)`).FindAllStringSubmatch(string(file), -1) {
		if _, err := os.Stat(filepath.Join(root, copied[1])); err != nil {
			t.Error(err)
		}
		if p := loadWithExample(t); !slices.Contains(p.Services["producer"].Command, copied[2]) {
			t.Errorf("the producer does not read %s", copied[2])
		}
	}
}
