package natsbus

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
)

// signedText returns what is signed of a message: a hash of its subject, the headers of the
// event, in whatever case, and of this package, and its data.
func signedText(subject string, header nats.Header, data []byte) []byte {
	names := make([]string, 0, len(header))
	for name := range header {
		ours := len(name) > 2 && strings.EqualFold(name[:3], "ce-") || strings.HasPrefix(name, "Swarmbus-") || name == headerID || name == headerType
		if ours && name != headerSign {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	b := append(strconv.AppendQuote([]byte("swarmbus "+format+"\n"), subject), '\n')
	for _, name := range names {
		b = append(strconv.AppendQuote(b, name), " ["...)
		for i, value := range header[name] {
			if i > 0 {
				b = append(b, ' ')
			}
			b = strconv.AppendQuote(b, value)
		}
		b = append(b, "]\n"...)
	}
	sum := sha256.Sum256(append(b, data...))
	return sum[:]
}

// digest returns a hash of what a message says, which is the same in every process.
func (m *message) digest() []byte { return signedText(m.subject, m.header, m.data) }

// sign signs a message; without a key, it does nothing.
func sign(m *nats.Msg, key ed25519.PrivateKey) {
	if key != nil {
		m.Header.Set(headerSign, base64.StdEncoding.EncodeToString(ed25519.Sign(key, signedText(m.Subject, m.Header, m.Data))))
	}
}

// signed checks that a message has the signature of a key that may speak for all of its
// sources.
func (j *judge) signed(m *message, sources []string) error {
	if j.keys == nil {
		return nil
	}
	signature, err := base64.StdEncoding.DecodeString(m.header.Get(headerSign))
	if err != nil || len(signature) == 0 {
		return errors.New("it has no signature")
	}
	text := m.digest()
	by := func(key ed25519.PublicKey) bool {
		return len(key) == ed25519.PublicKeySize && ed25519.Verify(key, text, signature)
	}
	for _, source := range sources {
		if !slices.ContainsFunc(j.keys[source], by) {
			return fmt.Errorf("no key of %q signed it", source)
		}
	}
	return nil
}
