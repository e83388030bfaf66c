package job

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/orffvar/forecaster/internal/livepage"
	"github.com/orffvar/forecaster/internal/wire"
)

// maxConnections is the largest number of connections of the HTTP server: see crowd. It exceeds livepage.MaxClients, the
// number of connections that stay open.
const maxConnections = 128

// ServeHTTP starts the endpoint if server.enabled is set, and returns a function that
// stops it.
func (l *Live) ServeHTTP() (stop func(), err error) {
	if !l.Cfg.Server.Enabled {
		return func() {}, nil
	}
	c := &l.Cfg.Server
	scheme, settings := "http", (*tls.Config)(nil)
	if c.TLSCert != "" {
		certificate, err := newCertificate(c.TLSCert, c.TLSKey, l.log)
		if err != nil {
			return nil, fmt.Errorf("server.tls_cert: %w", err)
		}
		scheme, settings = "https", &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: certificate.get}
	}
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		if host, _, _ := net.SplitHostPort(c.Listen); errors.Is(err, syscall.EADDRINUSE) {
			err = fmt.Errorf("%w; name a free port: --set server.listen=%s (demo: --listen)", err, net.JoinHostPort(host, "PORT"))
		}
		return nil, fmt.Errorf("server.listen: %w", err)
	}
	l.Address = scheme + "://" + listener.Addr().String()
	l.log.Info("serving", "address", l.Address, "paths", "/ /api/v1 /metrics /healthz /readyz /version")
	if settings == nil && !c.Token.IsZero() && !c.OnLoopback() {
		l.log.Warn("server.token is sent in clear: set server.tls_cert and server.tls_key, or let a proxy on this machine speak TLS", "listen", c.Listen)
	}
	return l.serve(listener, settings), nil
}

// serve answers the connections of a listener, with TLS unless settings is nil. Timeouts close the connection of a client
// that neither sends nor receives.
func (l *Live) serve(listener net.Listener, settings *tls.Config) (stop func()) {
	guests := &crowd{Listener: listener, limit: maxConnections}
	server := &http.Server{
		TLSConfig:         settings,
		ErrorLog:          slog.NewLogLogger(l.log.Handler(), slog.LevelDebug), // mistakes of single clients
		Handler:           guests.keep(l.handler()),
		ConnContext:       guests.inContext,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
	server.RegisterOnShutdown(l.Page.EndStreams)
	serve := func() error { return server.Serve(guests) }
	if settings != nil {
		serve = func() error { return server.ServeTLS(guests, "", "") }
	}
	go func() {
		if err := serve(); !errors.Is(err, http.ErrServerClosed) {
			l.log.Error("the HTTP endpoint ended", "error", err)
		}
	}()
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			_ = server.Close() // the process is about to end
		}
	}
}

func (l *Live) handler() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		&metrics{l},
	)
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(wire.ReadInfo()) // an error means that the client is gone
	})
	mux.HandleFunc("GET /api/v1/config", func(w http.ResponseWriter, _ *http.Request) {
		text, err := l.current.Load().YAML() // secrets redacted
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(text) // an error means that the client is gone
	})
	mux.Handle("/", l.Page)
	protected := l.authorised(mux)

	all := http.NewServeMux()
	all.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	all.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if why := l.notReady(); why != "" {
			http.Error(w, "not ready: "+why, http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	all.Handle("/", protected)
	return all
}

// authorised accepts requests with server.token as bearer token or as password of HTTP basic authentication. Without
// server.token it accepts only requests whose Host is this machine.
func (l *Live) authorised(next http.Handler) http.Handler {
	local := localOnly(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := l.current.Load().Server.Token.Reveal()
		if token == "" {
			local.ServeHTTP(w, r) // server.listen is on loopback, as internal/config requires
			return
		}
		given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !bearer {
			_, given, _ = r.BasicAuth()
		}
		if subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			w.Header().Set("WWW-Authenticate", `Basic realm="forecaster", charset="UTF-8"`)
			http.Error(w, "unauthorized: send server.token as a bearer token, or as the password of any user", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// stalled is the time without a heartbeat after which a job counts as not ready.
const stalled = 30 * time.Second

// allRefused is the number of refused records in a row after which the input counts as unreadable.
const allRefused = 10

// notReady returns the reason why the job is not ready; "": it is.
func (l *Live) notReady() string {
	l.mu.Lock()
	groups, working, past := l.groups, len(l.working), len(l.past)
	l.mu.Unlock()
	switch {
	case groups == nil && working == 0 && past > 0:
		return "no data: the input has finished"
	case groups == nil && working == 0:
		return "no data: the input has not started yet"
	}
	for _, group := range groups {
		s := group.Status()
		if s.State != "" {
			return s.State
		}
		for _, p := range s.Partitions {
			if p.Assigned && p.Problem != "" {
				return fmt.Sprintf("Kafka: %s[%d]: %s", p.Topic, p.Partition, p.Problem)
			}
		}
	}
	for _, c := range l.Stats() {
		if c.Problem != "" {
			return c.Problem
		}
		if c.Refused >= allRefused {
			return fmt.Sprintf("the last %d records were all refused as %s", c.Refused, c.LastRefusal)
		}
		if c.Hanging.For >= stalled {
			return fmt.Sprintf("stage %q of a partition has had no heartbeat for %v", c.Hanging.Stage, c.Hanging.For)
		}
	}
	return ""
}

// status returns the state of the job for the live page.
func (l *Live) status() livepage.Status {
	s := livepage.Status{State: l.notReady(), Lag: -1}
	for _, c := range l.Stats() {
		s.Series += c.Series
	}
	for _, group := range l.kafkaGroups() {
		s.Lag = max(s.Lag, 0)
		for _, p := range group.Status().Partitions {
			if p.Assigned {
				s.Lag += p.Lag()
			}
		}
	}
	return s
}
