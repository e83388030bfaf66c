package testserver

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// Apicurio is a running schema registry with its schemas in memory.
type Apicurio struct {
	URL string // URL of the API of Confluent
}

// javaVersion matches the major version in the output of java -version.
var javaVersion = regexp.MustCompile(`version "(\d+)`)

// newJava returns the path of a Java of version 21 or later; "": none.
func newJava() string {
	all, _ := filepath.Glob("/usr/lib/jvm/*/bin/java") // the pattern is valid
	for _, java := range append([]string{"java"}, all...) {
		out, err := exec.Command(java, "-version").CombinedOutput()
		if m := javaVersion.FindSubmatch(out); err == nil && m != nil {
			if n, _ := strconv.Atoi(string(m[1])); n >= 21 {
				return java
			}
		}
	}
	return ""
}

// StartApicurio starts a registry, and stops it at the end of the test.
func StartApicurio(tb testing.TB) *Apicurio {
	tb.Helper()
	dir := filepath.Join(cacheDir(), "apicurio-3.3.3")
	if _, err := os.Stat(filepath.Join(dir, "quarkus-run.jar")); err != nil {
		optional(tb, "Apicurio Registry", "apicurio")
	}
	java := newJava()
	if java == "" {
		tb.Skip("Apicurio Registry needs Java 21 or later")
	}
	ports := freePorts(tb, 2)
	p, err := startProcess(filepath.Join(tb.TempDir(), "apicurio.log"), java, "-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
		"-Dquarkus.http.host=127.0.0.1", fmt.Sprintf("-Dquarkus.http.port=%d", ports[0]), fmt.Sprintf("-Dquarkus.management.port=%d", ports[1]),
		"-jar", filepath.Join(dir, "quarkus-run.jar"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(p.kill)
	a := &Apicurio{URL: fmt.Sprintf("http://127.0.0.1:%d/apis/ccompat/v7", ports[0])}
	err = p.wait(4*time.Minute, func() error {
		resp, err := http.Get(a.URL + "/subjects")
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		var text bytes.Buffer
		if _, err := text.ReadFrom(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s %s %w", resp.Status, text.Bytes(), err)
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return a
}
