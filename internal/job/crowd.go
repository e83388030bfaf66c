package job

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// crowd accepts every connection and keeps at most limit of them, which leaves file descriptors for
// checkpoints, outputs and Kafka. One connection more ends the oldest one without a request under
// way. So clients that send nothing, or one byte per second, keep nobody out.
type crowd struct {
	net.Listener
	limit int

	mu     sync.Mutex
	guests []*guest // in order of arrival
}

// guest is a connection of a crowd.
type guest struct {
	net.Conn
	crowd   *crowd
	serving int // requests that are answered on it
}

// Accept implements net.Listener.
func (c *crowd) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	g := &guest{Conn: conn, crowd: c}
	c.mu.Lock()
	c.guests = append(c.guests, g)
	var leaves *guest
	if len(c.guests) > c.limit {
		for _, other := range c.guests {
			if other.serving == 0 {
				leaves = other
				break
			}
		}
	}
	c.mu.Unlock()
	if leaves != nil {
		_ = leaves.Close() // nothing was promised on it
	}
	return g, nil
}

// Close implements net.Conn.
func (g *guest) Close() error {
	g.crowd.mu.Lock()
	for i, other := range g.crowd.guests {
		if other == g {
			g.crowd.guests = append(g.crowd.guests[:i], g.crowd.guests[i+1:]...)
			break
		}
	}
	g.crowd.mu.Unlock()
	return g.Conn.Close()
}

// guestKey is the key of the guest in the context of a request.
type guestKey struct{}

// inContext is an http.Server.ConnContext.
func (c *crowd) inContext(ctx context.Context, conn net.Conn) context.Context {
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	return context.WithValue(ctx, guestKey{}, conn)
}

// keep lets no connection go while h answers a request on it.
func (c *crowd) keep(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g, ok := r.Context().Value(guestKey{}).(*guest); ok {
			g.add(1)
			defer g.add(-1)
		}
		h.ServeHTTP(w, r)
	})
}

func (g *guest) add(n int) {
	g.crowd.mu.Lock()
	defer g.crowd.mu.Unlock()
	g.serving += n
}
