package wire

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Base returns a base URL, and what of it may not be in an error: its password, also
// as it is sent, and its query. An error does not quote the URL.
func Base(raw string) (at *url.URL, secrets []string, err error) {
	at, err = url.Parse(raw)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, nil, errors.New("BaseURL must begin with http:// or https:// and name a host, such as http://127.0.0.1:8000/v1")
	}
	if password, ok := at.User.Password(); ok {
		escaped := url.UserPassword(at.User.Username(), password).String()
		_, escaped, _ = strings.Cut(escaped, ":")
		secrets = append(secrets, base64.StdEncoding.EncodeToString([]byte(at.User.Username()+":"+password)), password, escaped)
	}
	for _, values := range at.Query() {
		secrets = append(secrets, values...)
	}
	return at, append(secrets, at.RawQuery), nil
}

// Secrets returns a key as it is sent, and what may not be in an error: the key, and
// what the header sends, which may have a key as well. Blanks and line breaks around
// a key are not sent: the server that sends it back does not know of them. A key or a
// value that cannot be sent is an error, which does not quote it.
func Secrets(key string, header http.Header) (clean string, secrets []string, err error) {
	clean = strings.TrimSpace(key)
	if strings.ContainsFunc(clean, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return "", nil, errors.New("the key has a blank or something else inside that is not printable ASCII")
	}
	if clean != "" {
		secrets = append(secrets, clean)
	}
	for name, values := range header {
		for _, value := range values {
			if strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
				return "", nil, fmt.Errorf("the value of header %q has a control character", name)
			}
			_, credentials, _ := strings.Cut(value, " ") // behind a scheme
			for _, s := range []string{value, credentials} {
				if s = strings.TrimSpace(s); len(s) >= 8 { // others are words
					secrets = append(secrets, s)
				}
			}
		}
	}
	return clean, secrets, nil
}
