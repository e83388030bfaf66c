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

// AnswerError is any answer of a server that does not accept points.
type AnswerError struct {
	status int
	header http.Header
	body   []byte // the first maxAnswer bytes
	expect string
}

// Answer returns the error for an answer of a server that does not accept points.
func Answer(status int, body string) error {
	return &AnswerError{status: status, header: http.Header{}, body: []byte(body)}
}

// maxAnswer is how much of an answer is read: the client would read all of it.
const maxAnswer = 64 << 10

// Client is an http.Client that returns an *AnswerError unless the server accepts the request.
// A redirect is not followed: its target would get the points and perhaps the token, and
// nobody has configured it.
type Client struct {
	*http.Client
	Accepts func(*http.Response) bool // whether the answer is what the server says when it has taken the points
	Link    *Link
	Expects string // the same in words, such as "InfluxDB answers 204 No Content"
}

// NewClient returns a client without Accepts and Expects.
func NewClient(timeout time.Duration, link *Link) Client {
	return Client{Link: link, Client: &http.Client{
		Timeout:       timeout,
		Transport:     http.DefaultTransport.(*http.Transport).Clone(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Do sends a request. The body of an accepted answer is open.
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

// Error returns the status, and what the server or this program says about it.
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

// message returns what the server says.
func (e *AnswerError) message() string {
	var fields struct{ Message string }
	_ = json.Unmarshal(e.body, &fields) // of a body in another form Message stays empty
	return cmp.Or(fields.Message, e.header.Get("X-Influxdb-Error"), strings.TrimSpace(string(e.body)))
}

// target returns where a redirect leads, without the parts of a URL that can be secret.
func (e *AnswerError) target() string {
	u, err := url.Parse(e.header.Get("Location"))
	if err != nil || u.Host == "" {
		return ""
	}
	return " to " + (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// page reports whether the answer is made for people, so not by InfluxDB.
func (e *AnswerError) page() bool {
	return strings.HasPrefix(e.header.Get("Content-Type"), "text/html")
}
