package job

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestOnlyLocalNamesAreAnswered(t *testing.T) {
	h := localOnly(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for host, want := range map[string]int{
		"localhost": 200, "localhost:8090": 200, "127.0.0.1:8090": 200, "127.1.2.3": 200, "[::1]:8090": 200, "[::1]": 200,
		"": 403, "evil.example": 403, "evil.example:8090": 403, "127.0.0.1.evil.example": 403, "localhost.evil.example:80": 403, "192.0.2.1": 403,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("Host %q: status %d, want %d", host, w.Code, want)
		}
	}
}
