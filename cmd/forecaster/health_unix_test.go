//go:build unix && !race

package main

import (
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// TestHealth: the exit code follows the answer of the endpoint, for any address of the job.
func TestHealth(t *testing.T) {
	answer := http.StatusOK
	asked := ""
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.Path
		w.WriteHeader(answer)
		_, _ = w.Write([]byte("answer\n")) // an error means that the client is gone
	})
	plain, secure := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	defer plain.Close()
	defer secure.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(plain.URL, "http://"), ":")
	job := []string{"health", "--set", "server.enabled=true", "--set", "server.listen=0.0.0.0:" + port, "--set", "server.token=secret"}
	if code, stdout, stderr := call(t, job...); code != exitDone || stdout != "answer\n" || asked != "/healthz" {
		t.Errorf("exit code %d after %s: %s%s", code, asked, stdout, stderr)
	}
	answer = http.StatusServiceUnavailable
	if code, _, stderr := call(t, append(job, "--ready")...); code != exitFailed || asked != "/readyz" || !strings.Contains(stderr, "/readyz: answer") {
		t.Errorf("exit code %d after %s: %s", code, asked, stderr)
	}
	plain.Close()
	if code, _, stderr := call(t, job...); code != exitFailed || !strings.Contains(stderr, "refused") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if code, _, stderr := call(t, "health"); code != exitUsage || !strings.Contains(stderr, "server.enabled") {
		t.Errorf("exit code %d: %s", code, stderr)
	}

	answer = http.StatusOK
	pair := secure.TLS.Certificates[0]
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	cert, key := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	writeFile(t, cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}))
	writeFile(t, key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	job = []string{"health", "--set", "server.enabled=true", "--set", "server.listen=" + strings.TrimPrefix(secure.URL, "https://"),
		"--set", "server.tls_cert=" + cert, "--set", "server.tls_key=" + key}
	if code, _, stderr := call(t, job...); code != exitDone {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
