package modelstest

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
)

// OpenWith returns a model of the server at baseURL that sends the key and the header
// with every call, or an error if one of them cannot be sent.
type OpenWith func(baseURL, key string, header http.Header) (models.Model, error)

// TestSecrets checks that a model sends its key and its header to the server of its
// base URL alone, and that no error quotes them, each part in a subtest.
func TestSecrets(t *testing.T, open OpenWith) {
	for _, c := range secrets {
		t.Run(c.name, func(t *testing.T) {
			if err := c.check(open); err != nil {
				t.Error(err)
			}
		})
	}
}

var secrets = []struct {
	name  string
	check func(open OpenWith) error
}{
	{"NoErrorQuotesThem", unquoted},
	{"WhatCannotBeSentIsRefused", unsendable},
	{"NoRedirectIsFollowed", unredirected},
}

// encodings are those in which a server may send back what it was sent.
var encodings = map[string]func(string) string{
	"as it is": func(s string) string { return s },
	"escaped":  url.QueryEscape,
	"base64":   func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"hex":      func(s string) string { return hex.EncodeToString([]byte(s)) },
}

// quotes reports whether a text has the secret in one of the encodings. In base64, a
// digit at the end may have bits of something else.
func quotes(text, secret string) bool {
	for _, encode := range encodings {
		encoded := strings.TrimRight(encode(secret), "=")
		if strings.Contains(text, encoded[:len(encoded)-1]) {
			return true
		}
	}
	return false
}

// unquoted lets the server send back all that it was sent. The blanks around a key are
// not sent, so that the server's key is not the one that the caller has.
func unquoted(open OpenWith) error {
	for name, encode := range encodings {
		if err := unquotedAs(open, encode); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func unquotedAs(open OpenWith, encode func(string) string) error {
	const key, proxy = Key + "/+0=", "sk-proxy/0123456789+"
	var sent string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = fmt.Sprint(r.Header)
		var parts []string
		for _, part := range strings.Fields(strings.Trim(sent, "map[]")) {
			parts = append(parts, encode(strings.TrimRight(part, "]")))
		}
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprintf(w, `{"error":{"type":"authentication_error","message":%q}}`, strings.Join(parts, " "))
	}))
	defer s.Close()
	for _, given := range []string{key, key + " ", "\t" + key + "\r\n"} {
		err := askWith(open, s.URL, given, http.Header{"Proxy-Authorization": {"Bearer " + proxy}})
		switch {
		case !strings.Contains(sent, key) || !strings.Contains(sent, proxy):
			return fmt.Errorf("key %q: the server was not sent the key or the header", given)
		case !errors.Is(err, models.ErrAuth) || quotes(err.Error(), key) || quotes(err.Error(), proxy):
			return fmt.Errorf("key %q: got %w", given, err)
		}
	}
	return nil
}

func unsendable(open OpenWith) error {
	for _, c := range []struct {
		key    string
		header http.Header
	}{
		{"sk-1\nsk-2", nil},
		{"sk-1 sk-2", nil},
		{"sk-ü", nil},
		{"sk-1", http.Header{"X-Key": {"sk-1\n"}}},
	} {
		if _, err := open("http://127.0.0.1:1", c.key, c.header); err == nil || strings.Contains(err.Error(), "sk-") {
			return fmt.Errorf("key %q, header %q: got %w", c.key, c.header, err)
		}
	}
	return nil
}

func unredirected(open OpenWith) error {
	var elsewhere []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		elsewhere = append(elsewhere, fmt.Sprint(r.Header))
	}))
	defer other.Close()
	for _, status := range []int{301, 302, 307, 308} {
		s := httptest.NewServer(http.RedirectHandler(strings.Replace(other.URL, "127.0.0.1", "localhost", 1), status))
		err := askWith(open, s.URL, "sk-1", http.Header{"Api-Key": {"sk-2"}})
		s.Close()
		if !errors.Is(err, models.ErrInvalid) || len(elsewhere) > 0 {
			return fmt.Errorf("status %d: the other host was sent %q, got %w", status, elsewhere, err)
		}
	}
	return nil
}

// askWith returns the error of a call.
func askWith(open OpenWith, baseURL, key string, header http.Header) error {
	m, err := open(baseURL, key, header)
	if err != nil {
		return err
	}
	if c, ok := m.(interface{ Close() }); ok {
		defer c.Close()
	}
	_, err = m.Ask(context.Background(), question())
	return err
}
