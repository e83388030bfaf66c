package job

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/internal/tools/testserver"
)

// TestServerTLS: the endpoint speaks TLS and nothing else, and takes over a renewed
// certificate as soon as both of its files are there.
func TestServerTLS(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	age := time.Hour // each file is younger than the one before, whatever the clock of the file system resolves
	write := func(name string, content []byte) {
		t.Helper()
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		age -= time.Minute
		when := time.Now().Add(-age)
		if err := os.Chtimes(name, when, when); err != nil {
			t.Fatal(err)
		}
	}
	settings := func() config.Sources {
		var src config.Sources
		for path, value := range map[string]string{
			"input.simulated.rows": "1", "output.discard": "{}", "server.enabled": "true", "server.listen": "127.0.0.1:0",
			"server.token": "t", "server.tls_cert": certFile, "server.tls_key": keyFile,
		} {
			src.Set = append(src.Set, config.Setting{Path: path, Value: value, From: "test"})
		}
		return src
	}
	if _, err := config.Load(settings()); err == nil || !strings.Contains(err.Error(), "server.tls_cert: open "+certFile) {
		t.Errorf("without the files: %v", err)
	}
	cert, key := testserver.Certificate(t, "127.0.0.1", 1, time.Now().Add(time.Hour))
	write(certFile, cert)
	write(keyFile, key)
	cfg, err := config.Load(settings())
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	l := NewLive(cfg, logtest.New(&log), "")
	stop, err := l.ServeHTTP()
	if err != nil {
		t.Fatal(err)
	}
	defer stop()

	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(cert)
	get := func(path string, change func(*tls.Config)) (*http.Response, error) {
		c := &tls.Config{RootCAs: roots}
		if change != nil {
			change(c)
		}
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: c, ForceAttemptHTTP2: true}}
		defer client.CloseIdleConnections()
		req, err := http.NewRequest(http.MethodGet, l.Address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer t")
		resp, err := client.Do(req)
		if err == nil {
			_, err = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		return resp, err
	}
	serves := func(what string, serial int64) {
		t.Helper()
		resp, err := get("/version", nil)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if got := resp.TLS.PeerCertificates[0].SerialNumber.Int64(); resp.StatusCode != http.StatusOK || got != serial {
			t.Errorf("%s: %s with the certificate %d, want %d", what, resp.Status, got, serial)
		}
	}
	if !strings.HasPrefix(l.Address, "https://") {
		t.Errorf("the address is %s", l.Address)
	}
	serves("at first", 1)
	if _, err := get("/version", func(c *tls.Config) { c.RootCAs = nil }); err == nil {
		t.Error("a client that does not know the issuer trusts the server")
	}
	if _, err := get("/version", func(c *tls.Config) { c.MaxVersion = tls.VersionTLS11 }); err == nil {
		t.Error("TLS 1.1 is accepted")
	}
	if resp, err := http.Get("http" + strings.TrimPrefix(l.Address, "https") + "/healthz"); err == nil {
		resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest {
			t.Errorf("without TLS: %s", resp.Status)
		}
	}

	cert, key = testserver.Certificate(t, "127.0.0.1", 2, time.Now().Add(time.Hour))
	roots.AppendCertsFromPEM(cert)
	write(certFile, cert)
	serves("between the two steps of a renewal", 1)
	write(keyFile, key)
	serves("after a renewal", 2)
	if err := os.Remove(keyFile); err != nil {
		t.Fatal(err)
	}
	serves("without the key", 2)
	write(keyFile, []byte("no key"))
	serves("with a damaged key", 2)
	stop()
	if n := strings.Count(log.String(), "msg=\"the changed certificate of the HTTP server cannot be read; the old one stays\" cert="+certFile+" key="+keyFile+" error="); n != 3 {
		t.Errorf("%d errors in the log, want 3:\n%s", n, log.String())
	}
	if n := strings.Count(log.String(), "msg=\"the certificate of the HTTP server was read again\" cert="+certFile+"\n"); n != 1 {
		t.Errorf("the log has %d renewals, want 1:\n%s", n, log.String())
	}
}

func TestServerTLSNeedsBothFiles(t *testing.T) {
	for _, path := range []string{"server.tls_cert", "server.tls_key"} {
		_, err := config.Load(config.Sources{Set: []config.Setting{{Path: "server.enabled", Value: "true"}, {Path: path, Value: "x.pem"}}})
		if err == nil || !strings.Contains(err.Error(), "server.tls_cert: and tls_key must be given together") {
			t.Errorf("%s alone: %v", path, err)
		}
	}
}

// A token that anybody on the way can read is warned of: one without TLS, on an address that is not this machine's alone.
func TestTokenInClear(t *testing.T) {
	dir := t.TempDir()
	cert, key := testserver.Certificate(t, "127.0.0.1", 1, time.Now().Add(time.Hour))
	for name, text := range map[string][]byte{"cert.pem": cert, "key.pem": key} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tls := []string{"server.tls_cert=" + filepath.Join(dir, "cert.pem"), "server.tls_key=" + filepath.Join(dir, "key.pem")}
	for _, c := range []struct {
		sets  []string
		warns bool
	}{
		{[]string{"server.token=0123456789abcdef", "server.listen=0.0.0.0:0"}, true},
		{append(tls, "server.token=0123456789abcdef", "server.listen=0.0.0.0:0"), false},
		{[]string{"server.token=0123456789abcdef"}, false},
		{nil, false},
	} {
		l := served(t, c.sets...)
		var log loggedText
		l.log = logtest.New(&log)
		stop, err := l.ServeHTTP()
		if err != nil {
			t.Fatal(err)
		}
		stop()
		scheme := "http://"
		if len(c.sets) > 2 {
			scheme = "https://"
		}
		if log.has("server.token is sent in clear") != c.warns || !strings.HasPrefix(l.Address, scheme) || !log.has("address="+l.Address) || log.has("level=ERROR") {
			t.Errorf("%s: %s, the log is\n%s", c.sets, l.Address, &log)
		}
	}
}
