package job

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// crowd accepts every connection and keeps at most limit of them, to leave file descriptors for checkpoints, outputs and
// Kafka. A further connection closes the oldest connection without a running request. So a client that sends nothing, or
// one byte per second, cannot keep others out.
type crowd struct {
	net.Listener
	limit int

	mu     sync.Mutex
	guests []*guest // in order of arrival
}

// guest is a connection in a crowd.
type guest struct {
	net.Conn
	crowd   *crowd
	serving int // number of running requests
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
		_ = leaves.Close() // this connection serves no request
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

// inContext implements http.Server.ConnContext.
func (c *crowd) inContext(ctx context.Context, conn net.Conn) context.Context {
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	return context.WithValue(ctx, guestKey{}, conn)
}

// keep marks the connection of a request as busy while h answers.
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
