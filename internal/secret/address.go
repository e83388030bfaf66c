package secret

import (
	"errors"
	"net"
	"net/url"

	"github.com/orffvar/forecaster/internal/lazyregexp"
)

// CheckURL returns an error unless text is the URL of an HTTP server: http or https, a
// host, perhaps a port and a path. A user, a password, a query string and a fragment are
// refused, because URLs end up in logs, in errors and in the configuration that is shown.
// For the same reason the error does not repeat text.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" ||
		u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return errors.New("must be a URL that begins with http:// or https://, without user, password and query string")
	}
	return nil
}

var (
	host = lazyregexp.New(`^[\pL\pN._:%-]+$`)
	port = lazyregexp.New(`^[a-z0-9-]+$`)
)

// CheckAddress returns an error, which does not repeat text, unless text is host:port.
func CheckAddress(text string) error {
	h, p, err := net.SplitHostPort(text)
	if err != nil || !host().MatchString(h) || !port().MatchString(p) {
		return errors.New("must be host:port, without scheme, user and password")
	}
	return nil
}
