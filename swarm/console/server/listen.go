package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/swarmbus/swarmbus/swarm/console/guard"
)

// At says where a server listens, and how clients find it.
type At struct {
	// Addr is HOST:PORT, or unix: and the path of a socket. Without a certificate only trusted proxies can
	// use an address that is no loopback one.
	Addr   string
	Socket net.Listener // that the process was given, in place of Addr; nil: none
	// Certificate returns that of the server, for each connection. Nil: no TLS.
	Certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)
	Hosts       []string        // names of the server, with any port, beside its address
	URL         *url.URL        // at which clients find the server; nil: by its address and names
	Trusted     []netip.Prefix  // proxies that say where requests come from; those at a socket always may
	Identity    *guard.Identity // how they say who asks; nil: they do not
}

// An AddrError says that a server may not listen at an address.
type AddrError struct {
	Addr   string
	Public bool // it is one only with TLS; else it is none
}

func (e *AddrError) Error() string {
	if e.Public {
		return e.Addr + " is not a loopback address: without trusted proxies it needs tls"
	}
	return strconv.Quote(e.Addr) + " is neither HOST:PORT, such as 127.0.0.1:7333, nor unix: and the path of a socket"
}

// A Listener is where a server listens.
type Listener struct {
	net.Listener
	hosts []string
	site  guard.Site
}

// Listen begins to listen.
func Listen(ctx context.Context, at At) (*Listener, error) {
	l := &Listener{hosts: at.Hosts, site: guard.Site{URL: at.URL, Trusted: at.Trusted, TLS: at.Certificate != nil, Identity: at.Identity}}
	if at.Socket != nil {
		_, l.site.Local = at.Socket.(*net.UnixListener)
		return l.at(at.Socket, at)
	}
	path, local := strings.CutPrefix(at.Addr, "unix:")
	if local {
		l.site.Local = true
		var err error
		if l.Listener, err = listenLocal(ctx, path); err != nil {
			return nil, err
		}
		return l, nil
	}
	if _, _, err := net.SplitHostPort(at.Addr); err != nil {
		return nil, &AddrError{Addr: at.Addr}
	}
	var of net.ListenConfig
	listener, err := of.Listen(ctx, "tcp", at.Addr)
	if err != nil {
		return nil, fmt.Errorf("needs a free address, such as 127.0.0.1:0: %w", err)
	}
	return l.at(listener, at)
}

// at takes a listener that is not too public.
func (l *Listener) at(listener net.Listener, at At) (*Listener, error) {
	l.Listener = listener
	switch {
	case l.site.TLS:
		l.Listener = tls.NewListener(listener, &tls.Config{GetCertificate: at.Certificate, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}})
	case l.site.Local || l.tcp().IP.IsLoopback():
	case len(at.Trusted) == 0:
		return nil, errors.Join(&AddrError{at.Addr, true}, listener.Close())
	default:
		l.Listener = &known{listener, &l.site}
	}
	return l, nil
}

// A known is a listener for trusted proxies and this machine.
type known struct {
	net.Listener
	site *guard.Site
}

// Accept implements [net.Listener]. It closes the connections of others.
func (k *known) Accept() (net.Conn, error) {
	for {
		c, err := k.Listener.Accept()
		if err != nil || k.site.Knows(c.RemoteAddr()) {
			return c, err
		}
		_ = c.Close()
	}
}

// listenLocal listens at a socket, for the user and the group of the process. One that a killed
// process left is replaced.
func listenLocal(ctx context.Context, path string) (net.Listener, error) {
	var of net.ListenConfig
	l, err := of.Listen(ctx, "unix", path)
	if errors.Is(err, syscall.EADDRINUSE) {
		var to net.Dialer
		other, refused := to.DialContext(ctx, "unix", path)
		if refused == nil {
			return nil, errors.Join(err, other.Close())
		}
		if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSocket == 0 {
			return nil, errors.Join(err, fmt.Errorf("%s is there, and no socket", path))
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
		l, err = of.Listen(ctx, "unix", path)
	}
	if err != nil {
		return nil, fmt.Errorf("needs the path of a socket that no process listens at: %w", err)
	}
	if err := os.Chmod(path, 0o660); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (l *Listener) tcp() *net.TCPAddr { return l.Addr().(*net.TCPAddr) }

// Base returns the address for a browser.
func (l *Listener) Base() string {
	r := &http.Request{Host: l.Addr().String()}
	switch {
	case l.site.Local && len(l.hosts) > 0:
		r.Host = l.hosts[0]
	case l.site.Local:
		r.Host = "localhost"
	case len(l.hosts) > 0:
		r.Host = net.JoinHostPort(l.hosts[0], strconv.Itoa(l.tcp().Port))
	}
	return l.site.Base(r)
}

// names returns the hosts that requests may name.
func (l *Listener) names() (all []string) {
	for _, name := range l.hosts { // of a proxy, perhaps, which listens at a port of its own
		all = append(all, strings.ToLower(name))
	}
	if l.site.Local {
		return append(all, "localhost")
	}
	port := strconv.Itoa(l.tcp().Port)
	own := []string{l.tcp().IP.String()}
	if l.tcp().IP.IsLoopback() {
		own = append(own, "localhost", "127.0.0.1", "::1")
	}
	for _, name := range own {
		all = append(all, net.JoinHostPort(name, port))
		if port == "443" && l.site.TLS {
			all = append(all, name)
		}
	}
	return all
}
