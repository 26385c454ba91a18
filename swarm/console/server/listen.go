package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// At says where a server listens.
type At struct {
	Addr        string           // HOST:PORT; without a certificate a loopback address
	Certificate *tls.Certificate // nil: no TLS
	Hosts       []string         // names of the server, with any port, beside its address
}

// An AddrError says that a server may not listen at an address.
type AddrError struct {
	Addr   string
	Public bool // it is one only with TLS; else it is none
}

func (e *AddrError) Error() string {
	if e.Public {
		return e.Addr + " is not a loopback address: it needs tls"
	}
	return strconv.Quote(e.Addr) + " is not HOST:PORT, such as 127.0.0.1:7333"
}

// A Listener is where a server listens.
type Listener struct {
	net.Listener
	hosts []string
	tls   bool
}

// Listen begins to listen.
func Listen(ctx context.Context, at At) (*Listener, error) {
	if _, _, err := net.SplitHostPort(at.Addr); err != nil {
		return nil, &AddrError{Addr: at.Addr}
	}
	var of net.ListenConfig
	listener, err := of.Listen(ctx, "tcp", at.Addr)
	if err != nil {
		return nil, fmt.Errorf("needs a free address, such as 127.0.0.1:0: %w", err)
	}
	l := &Listener{Listener: listener, hosts: at.Hosts, tls: at.Certificate != nil}
	if !l.tls {
		if !l.tcp().IP.IsLoopback() {
			return nil, errors.Join(&AddrError{at.Addr, true}, listener.Close())
		}
		return l, nil
	}
	l.Listener = tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{*at.Certificate}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}})
	return l, nil
}

func (l *Listener) tcp() *net.TCPAddr { return l.Addr().(*net.TCPAddr) }

// Base returns the address for a browser.
func (l *Listener) Base() string {
	scheme := "http://"
	if l.tls {
		scheme = "https://"
	}
	if len(l.hosts) > 0 {
		return scheme + net.JoinHostPort(l.hosts[0], strconv.Itoa(l.tcp().Port))
	}
	return scheme + l.Addr().String()
}

// names returns the hosts that requests may name.
func (l *Listener) names() (all []string) {
	port := strconv.Itoa(l.tcp().Port)
	own := []string{l.tcp().IP.String()}
	if l.tcp().IP.IsLoopback() {
		own = append(own, "localhost", "127.0.0.1", "::1")
	}
	for _, name := range own {
		all = append(all, net.JoinHostPort(name, port))
		if port == "443" && l.tls {
			all = append(all, name)
		}
	}
	for _, name := range l.hosts { // of a proxy, perhaps, which listens at a port of its own
		all = append(all, strings.ToLower(name))
	}
	return all
}
