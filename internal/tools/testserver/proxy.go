package testserver

import (
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// Proxy forwards TCP connections to an address, and misbehaves on request. Clients of Kafka connect to the address that
// the broker advertises, so the broker must advertise the address of the proxy; see KafkaAdvertised.
type Proxy struct {
	Addr string // address of the listener

	listener net.Listener
	mu       sync.Mutex
	target   string
	delay    time.Duration
	hole     bool
	refuse   bool
	accepted int
	conns    map[net.Conn]struct{}
	wg       sync.WaitGroup
}

// StartProxy starts a proxy, and stops it at the end of the test. The target may be set later.
func StartProxy(tb testing.TB, target string) *Proxy {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	p := &Proxy{Addr: l.Addr().String(), listener: l, target: target, conns: make(map[net.Conn]struct{})}
	p.wg.Go(p.accept)
	tb.Cleanup(func() {
		l.Close()
		p.Reset()
		p.wg.Wait()
	})
	return p
}

// SetTarget sends new connections to another address.
func (p *Proxy) SetTarget(addr string) { p.set(func() { p.target = addr }) }

// SetDelay delays all traffic by d, in both directions.
func (p *Proxy) SetDelay(d time.Duration) { p.set(func() { p.delay = d }) }

// SetBlackHole swallows all traffic while on is true; connections stay open. Swallowed bytes never arrive, so a test
// usually calls Reset after SetBlackHole(false).
func (p *Proxy) SetBlackHole(on bool) { p.set(func() { p.hole = on }) }

// SetRefuse closes new connections at once while on is true.
func (p *Proxy) SetRefuse(on bool) { p.set(func() { p.refuse = on }) }

// Accepted returns the number of connections so far, including refused connections.
func (p *Proxy) Accepted() (n int) {
	p.set(func() { n = p.accepted })
	return n
}

// Reset breaks every connection (TCP RST).
func (p *Proxy) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		if t, ok := c.(*net.TCPConn); ok {
			t.SetLinger(0)
		}
		c.Close()
	}
}

func (p *Proxy) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

func (p *Proxy) accept() {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		p.accepted++
		target, refuse := p.target, p.refuse
		p.mu.Unlock()
		if refuse {
			in.Close()
			continue
		}
		out, err := net.DialTimeout("tcp", target, 5*time.Second)
		if err != nil {
			in.Close()
			continue
		}
		p.mu.Lock()
		p.conns[in], p.conns[out] = struct{}{}, struct{}{}
		p.mu.Unlock()
		p.wg.Go(func() { p.pump(in, out) })
		p.wg.Go(func() { p.pump(out, in) })
	}
}

// pump copies from src to dst until either breaks, then closes both.
func (p *Proxy) pump(dst, src net.Conn) {
	defer func() {
		dst.Close()
		src.Close()
		p.mu.Lock()
		delete(p.conns, dst)
		delete(p.conns, src)
		p.mu.Unlock()
	}()
	buf := make([]byte, 64<<10)
	for {
		n, err := src.Read(buf)
		p.mu.Lock()
		delay, hole := p.delay, p.hole
		p.mu.Unlock()
		if n > 0 && !hole {
			time.Sleep(delay)
			if _, err := dst.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				if t, ok := dst.(*net.TCPConn); ok {
					t.SetLinger(0) // pass a reset on
				}
			}
			return
		}
	}
}
