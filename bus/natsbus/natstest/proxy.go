package natstest

import (
	"bytes"
	"net"
	"sync"
	"testing"
	"time"
)

// A Proxy passes TCP connections on to an address. It can cut them, slow them
// down, and make them long.
type Proxy struct {
	to     string
	listen net.Listener

	mu    sync.Mutex // protects the fields below
	conns map[net.Conn]bool
	cut   bool
	slow  time.Duration // for each piece of data
	far   time.Duration // after which a piece arrives
}

// A piece is data that arrives when it is due.
type piece struct {
	data []byte
	due  time.Time
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

// Away gives the link a latency, in both directions; its rate stays as it is.
func (p *Proxy) Away(far time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.far = far
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
	pieces := make(chan piece, 1024)
	go deliver(pieces, from, to)
	defer close(pieces)
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		p.mu.Lock()
		slow, far := p.slow, p.far
		p.mu.Unlock()
		time.Sleep(slow)
		pieces <- piece{bytes.Clone(buffer[:n]), time.Now().Add(far)}
		if err != nil {
			return
		}
	}
}

// deliver writes each piece when it is due, and ends the connections after the last one or
// after one that cannot be written.
func deliver(pieces <-chan piece, from, to net.Conn) {
	end := func() { _, _ = from.Close(), to.Close() }
	defer end()
	for one := range pieces {
		time.Sleep(time.Until(one.due))
		if _, err := to.Write(one.data); err != nil {
			end() // which ends the reader
		}
	}
}
