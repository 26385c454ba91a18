package guard

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"
)

// A Site says how clients reach a server: directly, or through proxies.
type Site struct {
	URL     *url.URL       // at which clients find the server; nil: where their requests go
	Trusted []netip.Prefix // proxies that say where a request comes from, and for what it is
	Local   bool           // the server listens where only such a proxy can connect
	TLS     bool           // the server itself speaks TLS
	// Identity says how such a proxy says who asks; nil: it does not.
	Identity *Identity
}

// arrivedKey is the key of the scheme of a request in its context.
type arrivedKey struct{}

// Wrap returns a handler that passes on each request as its client sent it: with the client's
// address as RemoteAddr, the host that it named, and a path without that of the URL.
func (s *Site) Wrap(next http.Handler) http.Handler {
	base := s.Path()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path+"/" == base {
			http.Redirect(w, r, base, http.StatusPermanentRedirect)
			return
		}
		scheme := "http"
		if s.TLS {
			scheme = "https"
		}
		proxied := s.trusts(addressOf(r))
		by := s.asked(r, hop{client: addressOf(r), scheme: scheme, host: r.Host})
		r = r.WithContext(context.WithValue(relayed(r.Context(), proxied), arrivedKey{}, by.scheme))
		r.RemoteAddr, r.Host = by.client, by.host
		if rest, below := strings.CutPrefix(r.URL.Path, base); below && base != "/" {
			to := *r.URL
			if to.Path = clean(rest); to.Path != rest { // what is behind would redirect to another place
				to.Path, to.RawPath = base+to.Path, ""
				http.Redirect(w, r, to.RequestURI(), http.StatusTemporaryRedirect)
				return
			}
			to.Path, to.RawPath = "/"+rest, ""
			if raw, below := strings.CutPrefix(r.URL.RawPath, base); below {
				to.RawPath = "/" + raw
			}
			r.URL = &to
		}
		next.ServeHTTP(w, r)
	})
}

// clean returns a path below the base without empty steps and such as "..".
func clean(below string) string {
	to := strings.TrimPrefix(path.Clean("/"+below), "/")
	if strings.HasSuffix(below, "/") && to != "" {
		to += "/"
	}
	return to
}

// Path returns the path of the URL, with a slash at its end.
func (s *Site) Path() string {
	if s.URL == nil {
		return "/"
	}
	return strings.TrimSuffix(s.URL.Path, "/") + "/"
}

// Base returns the address at which the client of a request finds the server, without a slash at
// its end.
func (s *Site) Base(r *http.Request) string {
	if s.URL != nil {
		return s.URL.Scheme + "://" + s.URL.Host + strings.TrimSuffix(s.URL.Path, "/")
	}
	return s.scheme(r) + "://" + r.Host
}

// scheme returns that by which the client of a request speaks.
func (s *Site) scheme(r *http.Request) string {
	if scheme, ok := r.Context().Value(arrivedKey{}).(string); ok {
		return scheme
	}
	if s.TLS {
		return "https"
	}
	return "http"
}

// names reports whether a request may name a host.
func (s *Site) names(hosts []string, host string) bool {
	host = strings.ToLower(host)
	if s.URL != nil {
		hosts = append(hosts[:len(hosts):len(hosts)], s.URL.Hostname())
	}
	name := host
	if of, _, err := net.SplitHostPort(host); err == nil {
		name = of
	}
	return slices.Contains(hosts, host) || slices.Contains(hosts, name)
}

// own reports whether an origin is that of the page at which a request is.
func (s *Site) own(r *http.Request, origin string) bool {
	return origin == s.scheme(r)+"://"+r.Host || s.URL != nil && origin == s.URL.Scheme+"://"+s.URL.Host
}

// cookie returns the name of the cookie of a session, and whether only TLS may carry it. It is named
// after the port of the address, since browsers send the cookies of a host to all its ports.
func (s *Site) cookie(r *http.Request) (name string, secure bool) {
	host, secure := r.Host, s.scheme(r) == "https"
	if s.URL != nil {
		host, secure = s.URL.Host, s.URL.Scheme == "https"
	}
	name = "swarmbus"
	if _, port, err := net.SplitHostPort(host); err == nil {
		name += "-" + port
	}
	switch {
	case secure && s.Path() == "/":
		name = "__Host-" + name
	case secure:
		name = "__Secure-" + name
	}
	return name, secure
}

// A hop is a request as a server or proxy received it.
type hop struct{ client, scheme, host string }

// asked returns a request as its client sent it, by what the trusted proxies say that are between.
// If they say it in two ways that differ, one of them may be the client's: neither is believed.
func (s *Site) asked(r *http.Request, received hop) hop {
	if !s.trusts(received.client) {
		return received
	}
	one, some := s.before(received, elements(r.Header))
	other, others := s.before(received, each(r.Header))
	switch {
	case some && others && one.client != other.client:
		return received
	case others:
		return other
	}
	return one
}

// before returns what the first of the trusted proxies received, of which the last is at the end.
func (s *Site) before(received hop, by []hop) (of hop, some bool) {
	of = received
	for _, one := range slices.Backward(by) {
		if !s.trusts(of.client) || one.client == "" {
			break
		}
		of.client = one.client
		if one.scheme == "http" || one.scheme == "https" {
			of.scheme = one.scheme
		}
		if one.host != "" {
			of.host = one.host
		}
	}
	return of, len(by) > 0
}

// Knows reports whether an address is of a trusted proxy or of this machine.
func (s *Site) Knows(of net.Addr) bool {
	at, ok := of.(*net.TCPAddr)
	return ok && (at.IP.IsLoopback() || s.trusts(at.IP.String()))
}

func (s *Site) trusts(address string) bool {
	at, err := netip.ParseAddr(address)
	if err != nil {
		return s.Local && (address == "" || address == "@") // the other end of a socket
	}
	at = at.Unmap().WithZone("")
	return slices.ContainsFunc(s.Trusted, func(p netip.Prefix) bool { return p.Contains(at) })
}

// each returns what the headers X-Forwarded-For, -Proto and -Host say.
func each(h http.Header) (all []hop) {
	list := func(name string) (all []string) {
		for _, text := range h.Values(name) {
			for one := range strings.SplitSeq(text, ",") {
				all = append(all, strings.TrimSpace(one))
			}
		}
		return all
	}
	clients, schemes, hosts := list("X-Forwarded-For"), list("X-Forwarded-Proto"), list("X-Forwarded-Host")
	last := func(all []string, behind int) string { // a proxy may replace a list by its last element
		if i := len(all) - 1 - behind; i >= 0 {
			return all[i]
		}
		return ""
	}
	for i, client := range clients {
		behind := len(clients) - 1 - i
		all = append(all, hop{nodeOf(client), strings.ToLower(last(schemes, behind)), last(hosts, behind)})
	}
	return all
}

// elements returns what the header Forwarded says (RFC 7239). One that is none ends the list of those
// that are believed.
func elements(h http.Header) (all []hop) {
	for _, text := range h.Values("Forwarded") {
		for _, element := range split(text, ',') {
			var one hop
			for _, pair := range split(element, ';') {
				name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
				if inner, quoted := strings.CutPrefix(value, `"`); quoted {
					value = strings.ReplaceAll(strings.TrimSuffix(inner, `"`), `\`, "")
				}
				switch strings.ToLower(name) {
				case "for":
					one.client = nodeOf(value)
				case "proto":
					one.scheme = strings.ToLower(value)
				case "host":
					one.host = value
				}
			}
			all = append(all, one)
		}
	}
	return all
}

// split splits a header at a separator that is not quoted.
func split(text string, at rune) []string {
	quoted := false
	return strings.FieldsFunc(text, func(c rune) bool {
		if c == '"' {
			quoted = !quoted
		}
		return c == at && !quoted
	})
}

// nodeOf returns the address of a client, without its port; "": it is none.
func nodeOf(text string) string {
	if at, err := netip.ParseAddrPort(text); err == nil {
		return at.Addr().Unmap().String()
	}
	at, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		return ""
	}
	return at.Unmap().String()
}
