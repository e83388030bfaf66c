package avro_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/secret"
	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/stream/format/avro"
)

var quiet = logtest.Discard()

// TestRegistry: one request for each schema, whatever the number of decoders; what the registry does not have is
// refused, and while it does not answer everybody waits.
func TestRegistry(t *testing.T) {
	const record = `{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"time\",\"type\":\"long\"},{\"name\":\"a\",\"type\":\"other\"}]}`
	var down atomic.Bool
	var mu sync.Mutex
	asked := make(map[string]int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			http.Error(w, "away", http.StatusBadGateway)
			return
		}
		mu.Lock()
		asked[r.URL.Path]++
		mu.Unlock()
		w.Header().Set("Content-Type", "application/vnd.schemaregistry.v1+json")
		user, password, _ := r.BasicAuth()
		switch {
		case user != "u" || password != "p":
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error_code":401,"message":"unauthorized"}`)
		case r.URL.Path == "/base/schemas/ids/1":
			fmt.Fprintf(w, `{"schema":"%s","references":[{"name":"other","subject":"o","version":3}]}`, record)
		case r.URL.Path == "/base/subjects/o/versions/3":
			fmt.Fprint(w, `{"subject":"o","version":3,"id":9,"schema":"{\"type\":\"enum\",\"name\":\"other\",\"symbols\":[\"x\"]}"}`)
		case r.URL.Path == "/base/schemas/ids/2":
			fmt.Fprint(w, `{"schema":"{}","schemaType":"JSON"}`)
		case r.URL.Path == "/base/schemas/ids/3":
			fmt.Fprintf(w, `{"schema":"%s"}`, strings.Repeat(" ", 10<<20))
		case r.URL.Path == "/base/schemas/ids/4":
			fmt.Fprint(w, `{"schema":"{\"type\":\"nothing\"}"}`)
		case r.URL.Path == "/base/schemas/ids/5", r.URL.Path == "/base/subjects/loop/versions/1":
			fmt.Fprint(w, `{"schema":"\"string\"","references":[{"name":"x","subject":"loop","version":1}],"subject":"loop","version":1,"id":5}`)
		default:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error_code":40403,"message":"Schema not found"}`)
		}
	}))
	defer server.Close()
	registry := func(password string) *avro.Registry {
		r, err := avro.NewRegistry(avro.RegistryConfig{URL: server.URL + "/base", Username: "u", Password: secret.New(password), Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := registry("p")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 3 {
				if s, err := r.Schema(t.Context(), 1); err != nil || s.Root().Name != "r" {
					t.Errorf("schema 1: %v, %v", s, err)
				}
			}
		})
	}
	all.Wait()
	for id, want := range map[int]string{2: "it is JSON, not Avro: stream.Decoder=json", 3: "more than 1048576 bytes", 4: "no schema of Avro", 5: "more than 100 others", 6: "not found"} {
		for range 2 {
			if _, err := r.Schema(t.Context(), id); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("schema %d: %v, want %s", id, err, want)
			}
		}
	}
	for _, path := range []string{"/base/schemas/ids/1", "/base/subjects/o/versions/3", "/base/schemas/ids/6"} {
		if asked[path] != 1 {
			t.Errorf("asked %d times for %s", asked[path], path)
		}
	}

	// Away: those who wait get the schema when it is back, or give up with their context.
	down.Store(true)
	r = registry("p")
	short, cancel := context.WithCancel(t.Context())
	given := make(chan error)
	go func() { _, err := r.Schema(short, 1); given <- err }()
	for r.Problem() == "" {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-given; err == nil {
		t.Error("a schema of a registry that is away")
	}
	go func() { _, err := r.Schema(t.Context(), 1); given <- err }()
	down.Store(false)
	if err := <-given; err != nil || r.Problem() != "" {
		t.Errorf("back again: %v, problem %q", err, r.Problem())
	}

	wrong := registry("x")
	if err := wrong.Ping(t.Context()); err == nil || strings.Contains(err.Error(), "away") {
		t.Errorf("ping with a wrong password: %v", err)
	}
}
