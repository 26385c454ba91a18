package natsbus

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
)

// signedText returns what is signed of a message: its subject, the headers of the event
// and of this package, and its data.
func signedText(subject string, header nats.Header, data []byte) []byte {
	h := sha256.New()
	fmt.Fprintf(h, "swarmbus %s\n%q\n", format, subject)
	for _, name := range slices.Sorted(maps.Keys(header)) {
		ours := strings.HasPrefix(name, "ce-") || strings.HasPrefix(name, "Swarmbus-") || name == headerID || name == headerType
		if ours && name != headerSign {
			fmt.Fprintf(h, "%q %q\n", name, header[name])
		}
	}
	h.Write(data)
	return h.Sum(nil)
}

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
	text := signedText(m.subject, m.header, m.data)
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
