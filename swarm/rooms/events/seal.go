package events

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/gowebpki/jcs"

	"github.com/swarmbus/swarmbus/signals"
)

// Canonical returns the canonical form of the event (RFC 8785) without id, sig and seq. The
// id is its hash.
func (e Event) Canonical() ([]byte, error) {
	c := e.Common()
	c.Sig = ""
	e.Seq, e.ID, e.Body = 0, "", e.Body.with(c)
	data, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("events: %w", err)
	}
	// Inside of a string the quotes would be escaped.
	return jcs.Transform(bytes.Replace(data, []byte(`"sig":"",`), nil, 1))
}

// Digest returns the id that the event should have.
func (e Event) Digest() (string, error) {
	canonical, err := e.Canonical()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}

// Seal returns the event with its place in a chain, its id and its signature. prev is
// the id of the room's previous event, "" if there is none.
func Seal(e Event, prev string, key ed25519.PrivateKey) (Event, error) {
	c := e.Common()
	c.Prev, c.Sig = prev, ""
	e.Time = e.Time.Round(0).UTC()
	e.Body = e.Body.with(c)
	id, err := e.Digest()
	if err != nil {
		return Event{}, err
	}
	c.Sig = base64.StdEncoding.EncodeToString(ed25519.Sign(key, []byte(id)))
	e.ID, e.Body = id, e.Body.with(c)
	return e, nil
}

// signedBy reports whether the event's signature is that of a key.
func (e Event) signedBy(key ed25519.PublicKey) bool {
	sig, ok := decode(e.Common().Sig)
	return ok && len(key) == ed25519.PublicKeySize && ed25519.Verify(key, []byte(e.ID), sig)
}

// decode reads base64 in its only form, without line breaks and loose bits.
func decode(text string) ([]byte, bool) {
	data, err := base64.StdEncoding.DecodeString(text)
	return data, err == nil && base64.StdEncoding.EncodeToString(data) == text
}

// public reads a public key.
func public(text string) (ed25519.PublicKey, error) {
	key, ok := decode(text)
	if !ok || len(key) != ed25519.PublicKeySize {
		return nil, &signals.FieldError{Field: "public", Value: text, Problem: "not an Ed25519 key in base64"}
	}
	return key, nil
}

// PublicText returns the public half of a key as events have it.
func PublicText(key ed25519.PrivateKey) string {
	half, _ := key.Public().(ed25519.PublicKey)
	return base64.StdEncoding.EncodeToString(half)
}
