package natsbus

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/swarmbus/swarmbus/bus"
)

// signedText returns what is signed of a message: a hash of its subject, the headers of the
// event, in whatever case, and of this package, and its data.
func signedText(subject string, header nats.Header, data []byte) []byte {
	names := make([]string, 0, len(header))
	for name := range header {
		if isSigned(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	b := make([]byte, 0, 1024+len(data))
	b = append(appendQuote(append(b, "swarmbus "+format+"\n"...), subject), '\n')
	for _, name := range names {
		b = append(appendQuote(b, name), " ["...)
		for i, value := range header[name] {
			if i > 0 {
				b = append(b, ' ')
			}
			b = appendQuote(b, value)
		}
		b = append(b, "]\n"...)
	}
	sum := sha256.Sum256(append(b, data...))
	return sum[:]
}

// isSigned reports whether a header is one of the event, in whatever case, or of this package.
func isSigned(name string) bool {
	ours := len(name) > 2 && strings.EqualFold(name[:3], "ce-") || strings.HasPrefix(name, "Swarmbus-") || name == headerID || len(name) == len(headerType) && strings.EqualFold(name, headerType)
	return ours && name != headerSign
}

// appendQuote is [strconv.AppendQuote], which takes its time, faster for plain text.
func appendQuote(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return strconv.AppendQuote(b, text)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}

// digest returns a hash of what a message says, which is the same in every process.
func (m *message) digest() []byte { return signedText(m.subject, m.header, m.data) }

// says reports whether a message says what was sent: whether their digests are equal.
func (m *message) says(sent *nats.Msg) bool {
	in := func(all, of nats.Header) bool {
		for name, values := range of {
			if isSigned(name) && !slices.Equal(all[name], values) {
				return false
			}
		}
		return true
	}
	return m.subject == sent.Subject && bytes.Equal(m.data, sent.Data) && in(m.header, sent.Header) && in(sent.Header, m.header)
}

// received returns a message that came from the servers, but not from the stream of the log.
func received(m *nats.Msg) *message {
	return &message{subject: m.Subject, header: m.Header, data: m.Data}
}

// sign signs a message; without a key, it does nothing.
func sign(m *nats.Msg, key ed25519.PrivateKey) {
	if key != nil {
		m.Header.Set(headerSign, base64.StdEncoding.EncodeToString(ed25519.Sign(key, signedText(m.Subject, m.Header, m.Data))))
	}
}

// A keyring has the keys of [Options].Keys; nil: signatures are not checked.
type keyring map[string][]ed25519.PublicKey

// signed checks that a message has the signature of a key that may speak for all of these
// sources. That of the system may speak for each.
func (k keyring) signed(m *message, sources ...string) error {
	if k == nil {
		return nil
	}
	signature, err := base64.StdEncoding.DecodeString(m.header.Get(headerSign))
	if err != nil || len(signature) == 0 {
		return errors.New("no signature")
	}
	text := m.digest()
	by := func(key ed25519.PublicKey) bool {
		return len(key) == ed25519.PublicKeySize && ed25519.Verify(key, text, signature)
	}
	for _, source := range sources {
		if !slices.ContainsFunc(k[source], by) && !slices.ContainsFunc(k[bus.System], by) {
			return fmt.Errorf("no key of %q made the signature", source)
		}
	}
	return nil
}

// signed is [keyring.signed] of the options.
func (o *Options) signed(m *message, sources ...string) error {
	return keyring(o.Keys).signed(m, sources...)
}
