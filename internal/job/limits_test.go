package job

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener whose connections are pipes in memory, which have the time of a synctest bubble.
type pipes struct {
	conns chan net.Conn
	end   chan struct{}
	once  sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), end: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.end:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { p.once.Do(func() { close(p.end) }); return nil }

func (*pipes) Addr() net.Addr { return &net.TCPAddr{} }

// serverEnd is a connection that says when the server has closed it.
type serverEnd struct {
	net.Conn
	closed func()
}

func (s *serverEnd) Close() error { s.closed(); return s.Conn.Close() }

// dial returns the client's end of a connection, and a context that is done when the server has closed it.
func (p *pipes) dial() (client net.Conn, open context.Context) {
	client, server := net.Pipe()
	open, closed := context.WithCancel(context.Background())
	p.conns <- &serverEnd{server, closed}
	return client, open
}

// A client that sends nothing, half a request or no further one, and one that takes no answer, is let go after
// its limit. Headers are limited, too.
func TestClientsHaveLimits(t *testing.T) {
	for _, c := range []struct {
		what, sends string
		takes       int // bytes of the answer
		limit       time.Duration
	}{
		{"sends nothing", "", 0, 5 * time.Second},
		{"sends half a header", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n", 0, 5 * time.Second},
		{"sends half a body", "POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf", 1 << 20, 10 * time.Second},
		{"takes no answer", "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", 0, 30 * time.Second},
		{"asks no further", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 1 << 20, time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newPipes()
			stop := served(t).serve(p, nil)
			client, open := p.dial()
			begun := time.Now()
			go func() {
				_, _ = io.WriteString(client, c.sends) // the server need not take all
				_, _ = io.CopyN(io.Discard, client, int64(c.takes))
			}()
			<-open.Done()
			// net/http holds a connection for half a second after an answer to half a body.
			if took := time.Since(begun); took < c.limit || took >= c.limit+time.Second {
				t.Errorf("a client that %s is let go after %v, want %v", c.what, took, c.limit)
			}
			client.Close()
			stop()
		})
	}
	for size, want := range map[int]int{12 << 10: http.StatusOK, 24 << 10: http.StatusRequestHeaderFieldsTooLarge} {
		synctest.Test(t, func(t *testing.T) {
			p := newPipes()
			stop := served(t).serve(p, nil)
			client, _ := p.dial()
			go fmt.Fprintf(client, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: %s\r\n\r\n", strings.Repeat("x", size))
			if response, err := http.ReadResponse(bufio.NewReader(client), nil); err != nil || response.StatusCode != want {
				t.Errorf("a header of %d bytes: %+v, error %v", size, response, err)
			}
			client.Close()
			stop()
		})
	}
}

// The stream of a page has no limit, and ends by itself when the job does; a request that does not end is cut off
// after a second.
func TestEndOfTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipes()
		l := served(t)
		stop := l.serve(p, nil)
		page, open := p.dial()
		go fmt.Fprint(page, "GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
		response, err := http.ReadResponse(bufio.NewReader(page), nil)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%+v, error %v", response, err)
		}
		ended := make(chan error, 1)
		go func() {
			_, err := io.Copy(io.Discard, response.Body)
			ended <- err
		}()
		time.Sleep(time.Hour)
		if open.Err() != nil {
			t.Error("a stream ends although its client takes it")
		}
		stop()
		if err := <-ended; err != nil {
			t.Errorf("a stream is cut off: %v", err)
		}
		page.Close()
	})
	synctest.Test(t, func(t *testing.T) {
		p := newPipes()
		stop := served(t).serve(p, nil)
		client, open := p.dial()
		go fmt.Fprint(client, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
		synctest.Wait()
		begun := time.Now()
		stop()
		if took := time.Since(begun); took != time.Second || open.Err() == nil {
			t.Errorf("a client that takes no answer: the end after %v, closed: %v", took, open.Err() != nil)
		}
		client.Close()
	})
}
