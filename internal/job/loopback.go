package job

import (
	"net"
	"net/http"
	"strings"
)

// localOnly refuses requests that name another host. An endpoint on loopback
// needs no token because only this machine reaches it; but a page from elsewhere,
// open in a browser of this machine, could give its own name the address
// 127.0.0.1 and read what it is served (DNS rebinding).
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		ip := net.ParseIP(strings.Trim(host, "[]"))
		if host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "without server.token only requests to localhost are answered", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
