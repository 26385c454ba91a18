package natstest

import (
	"net"
	"sync"
	"testing"
	"time"
)

// A Proxy passes TCP connections on to an address. It can cut them, and slow them down.
type Proxy struct {
	to     string
	listen net.Listener

	mu    sync.Mutex // protects the fields below
	conns map[net.Conn]bool
	cut   bool
	slow  time.Duration // for each piece of data
}

// NewProxy returns a proxy that ends with the test.
func NewProxy(t testing.TB, to string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{to: to, listen: l, conns: map[net.Conn]bool{}}
	go p.accept()
	t.Cleanup(func() {
		_ = l.Close()
		p.Cut()
	})
	return p
}

// Addr is where the proxy listens.
func (p *Proxy) Addr() string { return p.listen.Addr().String() }

// Cut ends all connections, and new ones at once until Mend.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = true
	for c := range p.conns {
		_ = c.Close()
	}
	clear(p.conns)
}

// Mend undoes Cut and Slow.
func (p *Proxy) Mend() { p.set(false, 0) }

// Slow delays each piece of data.
func (p *Proxy) Slow(d time.Duration) { p.set(false, d) }

func (p *Proxy) set(cut bool, slow time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut, p.slow = cut, slow
}

func (p *Proxy) accept() {
	for {
		from, err := p.listen.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", p.to)
		if err != nil || !p.keep(from, to) {
			_ = from.Close()
			if to != nil {
				_ = to.Close()
			}
			continue
		}
		go p.pass(from, to)
		go p.pass(to, from)
	}
}

func (p *Proxy) keep(all ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range all {
		if !p.cut {
			p.conns[c] = true
		}
	}
	return !p.cut
}

func (p *Proxy) pass(from, to net.Conn) {
	defer func() { _, _ = from.Close(), to.Close() }()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		p.mu.Lock()
		slow := p.slow
		p.mu.Unlock()
		time.Sleep(slow)
		if _, werr := to.Write(buffer[:n]); err != nil || werr != nil {
			return
		}
	}
}
