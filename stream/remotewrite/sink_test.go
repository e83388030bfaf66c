package remotewrite

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/orffvar/forecaster/internal/secret"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/delivery"
	"github.com/orffvar/forecaster/stream/event"
	"github.com/orffvar/forecaster/stream/lineproto"
)

func newSink(t *testing.T, c Config) (*Sink, *letters) {
	t.Helper()
	kept := new(letters)
	c.DeadLetters, c.Log = kept, slog.New(slog.DiscardHandler)
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	s.SetPauses(delivery.Pauses{First: time.Millisecond, Last: 10 * time.Millisecond})
	t.Cleanup(func() { s.Close() })
	return s, kept
}

// letters keeps dead letters.
type letters struct{ all []stream.DeadLetter }

func (l *letters) WriteDeadLetters(_ context.Context, d []stream.DeadLetter) error {
	for _, letter := range d {
		letter.Message.Value = bytes.Clone(letter.Message.Value)
		l.all = append(l.all, letter)
	}
	return nil
}

func (*letters) Close() error { return nil }

func write(t *testing.T, s *Sink, b *stream.Batch) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if err := s.Write(ctx, b); err != nil {
		t.Fatal(err)
	}
}

// path is a batch of the forecasts of H steps that are made after each of n samples, the last one now.
func path(now time.Time, n, horizons int, step time.Duration) *stream.Batch {
	s := &stream.Series{Name: "host=web1", Variables: []string{"cpu"}, Tags: []stream.Tag{{Key: "host", Value: "web1"}}}
	b := &stream.Batch{}
	for i := range n {
		origin := now.Add(-time.Duration(n-1-i) * step)
		for h := range horizons {
			v := float64(100*i + h + 1)
			b.Forecasts = append(b.Forecasts, stream.Forecast{
				Series: s, Model: "auto", Row: int64(i), Origin: origin.UnixNano(), Time: origin.Add(time.Duration(h+1) * step).UnixNano(), Horizon: h + 1,
				Yhat: []float64{v}, Lower: []float64{v - 1}, Upper: []float64{v + 1},
			})
		}
	}
	return b
}

// decode reads a request by the definitions of the protocol: the samples of each series.
func decode(t *testing.T, body []byte) (all []string) {
	t.Helper()
	plain, err := s2.Decode(nil, body)
	if err != nil {
		t.Fatal(err)
	}
	fields := func(b []byte, f func(n protowire.Number, v []byte)) {
		for len(b) > 0 {
			n, kind, k := protowire.ConsumeTag(b)
			size := protowire.ConsumeFieldValue(n, kind, b[k:])
			if size < 0 {
				t.Fatalf("no message: %x", b)
			}
			v := b[k : k+size]
			if kind == protowire.BytesType {
				v, _ = protowire.ConsumeBytes(v)
			}
			f(n, v)
			b = b[k+size:]
		}
	}
	fields(plain, func(_ protowire.Number, series []byte) {
		text := ""
		fields(series, func(n protowire.Number, v []byte) {
			var pair [3][]byte
			fields(v, func(n protowire.Number, v []byte) { pair[n] = v })
			if n == 1 {
				text += fmt.Sprintf("%s=%s ", pair[1], pair[2])
			} else {
				ms, _ := protowire.ConsumeVarint(pair[2])
				text += fmt.Sprintf("%v@%d ", math.Float64frombits(binary.LittleEndian.Uint64(pair[1])), int64(ms))
			}
		})
		all = append(all, strings.TrimSpace(text))
	})
	slices.Sort(all)
	return all
}

// TestRequests: labels ascend, samples of a series are together and in order, a text is 0, a flag is 0 or 1, and the time
// of a forecast is that of its origin if so configured.
func TestRequests(t *testing.T) {
	s := &stream.Series{Name: "h", Variables: []string{"cpu"}, Tags: []stream.Tag{{Key: "Zone", Value: "eu west"}, {Key: "host.name", Value: "a,b"}}}
	b := path(time.Unix(1000, 500e6), 2, 2, time.Minute)
	b.Events = []stream.Event{{Series: "h", Tags: s.Tags, Time: -1500e6, Kind: event.Drift, Text: "drift"}}
	for i := range b.Forecasts {
		b.Forecasts[i].Series = s
	}
	for origin, want := range map[bool][]string{
		true: {
			"Zone=eu west __name__=forecast_cpu horizon=1 host_name=a,b model=auto 1@940500 101@1000500",
			"Zone=eu west __name__=forecast_cpu horizon=2 host_name=a,b model=auto 2@940500 102@1000500",
			"Zone=eu west __name__=forecast_events_text host_name=a,b kind=drift 0@-1500",
		},
		false: {
			"Zone=eu west __name__=forecast_cpu horizon=1 host_name=a,b model=auto 1@1000500 101@1060500",
			"Zone=eu west __name__=forecast_cpu horizon=2 host_name=a,b model=auto 2@1060500 102@1120500",
			"Zone=eu west __name__=forecast_events_text host_name=a,b kind=drift 0@-1500",
		},
	} {
		lines := append(lineproto.Encoder{AtOrigin: origin}.AppendBatch(nil, b), "p i=-2i,no=false,yes=true 1000000\n"...)
		want = append(want, "__name__=p_i -2@1", "__name__=p_no 0@1", "__name__=p_yes 1@1")
		e := newEncoder()
		for range 2 { // the memory of the first is used again
			body, err := e.encode(lines, 0)
			if err != nil {
				t.Fatal(err)
			}
			if got := decode(t, body); !slices.Equal(got, want) {
				t.Errorf("at the origin: %v: got\n%s\nwant\n%s", origin, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

// TestNamesAreNotMixed: points whose name would equal another name become dead letters; the others are written.
func TestNamesAreNotMixed(t *testing.T) {
	var bodies []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, decode(t, body)...)
		if user, password, _ := r.BasicAuth(); user != "u" || password != "p" || r.Header.Get("Content-Encoding") != "snappy" {
			t.Errorf("%v", r.Header)
		}
	}))
	defer server.Close()
	sink, kept := newSink(t, Config{URL: server.URL + "/w", Username: "u", Password: secret.New("p"), Encoder: lineproto.Encoder{AtOrigin: true}})
	b := path(time.Unix(1000, 0), 4, 1, time.Minute)
	b.Forecasts[0].Series = &stream.Series{Name: "x", Variables: []string{"a b"}}
	b.Forecasts[2].Series = &stream.Series{Name: "x", Variables: []string{"a_b"}}
	write(t, sink, b)
	if len(kept.all) != 1 || !strings.Contains(kept.all[0].Detail, `"forecast_a b" and "forecast_a_b" are both "forecast_a_b"`) ||
		!strings.HasPrefix(string(kept.all[0].Message.Value), "forecast,") || kept.all[0].Message.Topic != "remote_write" {
		t.Errorf("%+v", kept.all)
	}
	if st := sink.Stats(); st.Written != 3 || st.Rejected != 1 {
		t.Errorf("%+v, %q", st, bodies)
	}
}

// A token is sent as RFC 6750 says.
func TestToken(t *testing.T) {
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Get("Authorization") }))
	defer server.Close()
	sink, _ := newSink(t, Config{URL: server.URL + "/w", Token: secret.New("t")})
	if err := sink.Check(t.Context()); err != nil || got != "Bearer t" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestNamesAreThoseOfPrometheus: every name is one, changes nothing that is one already, and no two originals have the same.
func TestNamesAreThoseOfPrometheus(t *testing.T) {
	valid := regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)
	e := encoder{names: make(map[string]string)}
	taken := make(map[string]string)
	for _, original := range []string{"cpu", "_a", "A9", "9a", "0", "a b", "a_b", "a.b", "ü", "°C", "x:y", "-", "_9a", "__"} {
		name, err := e.name("label ", original)
		before, again := taken[name]
		switch {
		case err != nil:
			if !strings.Contains(err.Error(), "rename one") {
				t.Errorf("%q: %v", original, err)
			}
		case !valid.MatchString(name), valid.MatchString(original) && name != original, again:
			t.Errorf("%q has the name %q, as has %q", original, name, before)
		default:
			taken[name] = original
		}
	}
	if len(taken) != 10 { // "a_b", "a.b", "-" and "_9a" are refused
		t.Errorf("names %q", taken)
	}
}

// TestOnlySuccessIsAcceptance: a page, a redirect and a refusal of everything block. A check names them as refusals,
// but not a failure that may pass.
func TestOnlySuccessIsAcceptance(t *testing.T) {
	for answer, want := range map[string]string{
		"200 text/html":                        "200 OK: remote write is answered 2xx without a page",
		"302 text/plain":                       "redirects are not followed",
		"401 text/plain":                       "401",
		"404 text/plain remote write receiver": "404 Not Found: remote write receiver",
		"400 text/plain snappy: corrupt":       "400 Bad Request: snappy: corrupt",
		"503 text/plain":                       "503 Service Unavailable", // passes
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			var status int
			var kind string
			fmt.Sscan(answer, &status, &kind)
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			fmt.Fprint(w, strings.Join(strings.Fields(answer)[2:], " "))
		}))
		sink, kept := newSink(t, Config{URL: server.URL})
		err := sink.Check(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "is not accepted: ") != (want != "503 Service Unavailable") {
			t.Errorf("%s: %v", answer, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- sink.Write(ctx, path(time.Unix(1000, 0), 2, 1, time.Minute)) }()
		for end := time.Now().Add(time.Minute); !strings.Contains(sink.Problem(), want) && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		cancel()
		if err := <-done; err == nil || len(kept.all) > 0 || !strings.Contains(sink.Problem(), want) {
			t.Errorf("%s: %v, %v, %q", answer, err, kept.all, sink.Problem())
		}
		server.Close()
	}
}

func TestConfigIsChecked(t *testing.T) {
	for want, c := range map[string]Config{
		"must be a URL": {URL: "localhost:9090"}, "BatchSize": {URL: "http://h/w", BatchSize: -1}, "Timeout": {URL: "http://h/w", Timeout: -1},
		"excludes": {URL: "http://h/w", Username: "u", Token: secret.New("t")},
	} {
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// FuzzEncode: no line that the encoder of points could make breaks a request.
func FuzzEncode(f *testing.F) {
	f.Add("forecast,host=a\\ b cpu=1,m_lower=2i,t=\"x\",f=true 1000000\n")
	f.Add("a,1=2 é=1 -5\n")
	f.Fuzz(func(t *testing.T, lines string) {
		if body, err := newEncoder().encode([]byte(lines), 0); err == nil {
			decode(t, body)
		}
	})
}
