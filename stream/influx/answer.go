package influx

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// answerError is any answer of a server but the one that accepts points.
type answerError struct {
	status int
	header http.Header
	body   []byte // the first maxAnswer bytes
}

// maxAnswer is how much of an answer is read: the client would read all of it.
const maxAnswer = 64 << 10

// strictClient is an http.Client that returns an *answerError unless the status is 204.
// InfluxDB accepts points with no other status, so any other success is the answer of
// another server. A redirect is not followed: its target would get the points and
// perhaps the token, and nobody has configured it.
type strictClient struct{ *http.Client }

func newStrictClient(timeout time.Duration) strictClient {
	return strictClient{&http.Client{
		Timeout:       timeout,
		Transport:     http.DefaultTransport.(*http.Transport).Clone(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Do makes strictClient the transport of the InfluxDB client.
func (c strictClient) Do(r *http.Request) (*http.Response, error) {
	resp, err := c.Client.Do(r)
	if err != nil || resp.StatusCode == http.StatusNoContent {
		return resp, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	return nil, &answerError{resp.StatusCode, resp.Header, body}
}

// Error returns the status, and what the server or this program says about it.
func (e *answerError) Error() string {
	text := fmt.Sprintf("%d %s", e.status, http.StatusText(e.status))
	switch {
	case e.status < 300:
		return text + ": InfluxDB answers 204 No Content; does the URL name another server, or a proxy?"
	case e.status < 400:
		return text + e.target() + ": redirects are not followed; set the URL to the server that writes the points"
	}
	if m := e.message(); m != "" {
		text += ": " + m[:min(len(m), 1000)]
	}
	return text
}

// message returns what the server says.
func (e *answerError) message() string {
	var fields struct{ Message string }
	_ = json.Unmarshal(e.body, &fields) // of a body in another form Message stays empty
	return cmp.Or(fields.Message, e.header.Get("X-Influxdb-Error"), strings.TrimSpace(string(e.body)))
}

// target returns where a redirect leads, without the parts of a URL that can be secret.
func (e *answerError) target() string {
	u, err := url.Parse(e.header.Get("Location"))
	if err != nil || u.Host == "" {
		return ""
	}
	return " to " + (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// page reports whether the answer is made for people, so not by InfluxDB.
func (e *answerError) page() bool {
	return strings.HasPrefix(e.header.Get("Content-Type"), "text/html")
}
