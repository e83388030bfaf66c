package job

import (
	"net"
	"net/http"
	"strings"
)

// localOnly refuses requests whose Host is not this machine. It protects an endpoint on
// loopback, which needs no token, from DNS rebinding: a page of another site, open in a
// browser of this machine, could resolve its own name to 127.0.0.1 and read the answers.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		ip := net.ParseIP(strings.Trim(host, "[]"))
		if host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "forbidden: without server.token only requests to localhost are answered", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
