package delivery

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

// AnswerError is the answer of a server that did not accept the points.
type AnswerError struct {
	status int
	header http.Header
	body   []byte // the first maxAnswer bytes
	expect string
}

// Answer returns an AnswerError with a status and a body.
func Answer(status int, body string) error {
	return &AnswerError{status: status, header: http.Header{}, body: []byte(body)}
}

// maxAnswer is the number of bytes that are read of an answer. Without it the client would read the whole body.
const maxAnswer = 64 << 10

// Client is an http.Client that returns an *AnswerError unless the server accepts the request. It never follows a
// redirect, since the target would receive the points and perhaps the token, and is not configured.
type Client struct {
	*http.Client
	Accepts func(*http.Response) bool // reports whether the answer means that the points are accepted
	Link    *Link
	Expects string // Accepts in words, such as "InfluxDB answers 204 No Content"
}

// NewClient returns a client without Accepts and Expects.
func NewClient(timeout time.Duration, link *Link) Client {
	return Client{Link: link, Client: &http.Client{
		Timeout:       timeout,
		Transport:     http.DefaultTransport.(*http.Transport).Clone(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Do sends a request. The caller must close the body of an accepted answer.
func (c Client) Do(r *http.Request) (*http.Response, error) {
	resp, err := c.Client.Do(c.Link.watch(r))
	if err != nil {
		return resp, err
	}
	if c.Link.answered(resp); c.Accepts(resp) {
		return resp, nil
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	return nil, &AnswerError{resp.StatusCode, resp.Header, body, c.Expects}
}

// Error returns the status and the message of the server, or an explanation.
func (e *AnswerError) Error() string {
	text := fmt.Sprintf("%d %s", e.status, http.StatusText(e.status))
	switch {
	case e.status < 300:
		return text + ": " + e.expect + "; does the URL name another server, or a proxy?"
	case e.status < 400:
		return text + e.target() + ": redirects are not followed; set the URL to the server that writes the points"
	}
	if m := e.message(); m != "" {
		text += ": " + m[:min(len(m), 1000)]
	}
	return text
}

// message returns the message of the server.
func (e *AnswerError) message() string {
	var fields struct{ Message string }
	_ = json.Unmarshal(e.body, &fields) // otherwise Message stays empty
	return cmp.Or(fields.Message, e.header.Get("X-Influxdb-Error"), strings.TrimSpace(string(e.body)))
}

// target returns the target of a redirect, without the parts of a URL that can be secret.
func (e *AnswerError) target() string {
	u, err := url.Parse(e.header.Get("Location"))
	if err != nil || u.Host == "" {
		return ""
	}
	return " to " + (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// page reports whether the body is an HTML page for people. InfluxDB sends none.
func (e *AnswerError) page() bool {
	return strings.HasPrefix(e.header.Get("Content-Type"), "text/html")
}
