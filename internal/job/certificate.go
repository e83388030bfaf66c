package job

import (
	"crypto/tls"
	"log/slog"
	"os"
	"sync"
	"time"
)

// certificate is the certificate of the HTTP server, in two files. The next handshake after a change of a file reads both
// again.
type certificate struct {
	cert, key string
	log       *slog.Logger

	mu   sync.Mutex
	pair *tls.Certificate // last valid certificate
	read [2]stamp         // stamps of the files at the last attempt to read them
}

// stamp identifies a version of a file.
type stamp struct {
	modified time.Time
	size     int64
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.ModTime(), info.Size()}
}

// newCertificate reads the files.
func newCertificate(cert, key string, log *slog.Logger) (*certificate, error) {
	c := &certificate{cert: cert, key: key, log: log}
	return c, c.load()
}

// load reads the files if one has changed.
func (c *certificate) load() error {
	now := [2]stamp{stampOf(c.cert), stampOf(c.key)}
	if now == c.read && c.pair != nil {
		return nil
	}
	c.read = now
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err == nil {
		c.pair = &pair
	}
	return err
}

// get returns the certificate for a handshake. Between the two steps of a renewal the files do not belong together: then it
// returns the old certificate.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.pair
	if err := c.load(); err != nil {
		c.log.Error("the changed certificate of the HTTP server cannot be read; the old one stays", "cert", c.cert, "key", c.key, "error", err)
	} else if c.pair != was {
		c.log.Info("the certificate of the HTTP server was read again", "cert", c.cert)
	}
	return c.pair, nil
}
