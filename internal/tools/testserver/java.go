package testserver

import (
	"embed"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed kafka/*.java
var programs embed.FS

// Java runs a program of the directory kafka, such as Transactions.java, with the artifacts of Apache Kafka. It returns
// the standard output. It needs a JDK, because Java compiles the source.
func (k *Kafka) Java(program string, args ...string) string {
	k.tb.Helper()
	if _, err := exec.LookPath("javac"); err != nil {
		missing(k.tb, "A Java compiler (JDK 17)", "kafka")
	}
	source, err := programs.ReadFile("kafka/" + program)
	if err != nil {
		k.tb.Fatal(err)
	}
	path := filepath.Join(k.tb.TempDir(), program)
	if err := os.WriteFile(path, source, 0o600); err != nil {
		k.tb.Fatal(err)
	}
	argv := append([]string{"-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", k.libs, path}, args...)
	out, err := exec.Command(k.java, argv...).Output()
	if err != nil {
		if e := new(exec.ExitError); errors.As(err, &e) {
			k.tb.Fatalf("%s: %v\n%s", program, err, e.Stderr)
		}
		k.tb.Fatalf("%s: %v", program, err)
	}
	return string(out)
}
