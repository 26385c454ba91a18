package guard

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/internal/names"
	"github.com/swarmbus/swarmbus/internal/ownerfile"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// Tokens are those of a server beside that of its [Key]: a file with a name, a role and a hash of each,
// which only its owner may read. It is read for each request, so that what is revoked is so at once.
type Tokens struct{ Path string }

// TokensFile is the name of the file in the directory of a server.
const TokensFile = "console.tokens"

// A Token is one of them, without its text.
type Token struct {
	Name string          `json:"name"`
	Role api.Role        `json:"role"`
	Kind asking.Answerer `json:"kind,omitempty"` // what holds it; "": what the door takes it for
	Hash []byte          `json:"hash,omitempty"` // SHA-256 of the text
	Made time.Time       `json:"made"`
}

func (t Token) who() api.Who { return api.Who{Name: t.Name, Role: t.Role, Kind: t.Kind} }

// named is what a name is: one that looks like no other when it is read.
var named = regexp.MustCompile(`^[a-z]([a-z0-9._-]{0,61}[a-z0-9])?$`)

// reserved are the names of what is no person.
var reserved = []string{"system", "person", "expiry", "user", "router", "agent", "program"}

// New makes a token and returns its text, which is kept nowhere. Its error is a [*signals.FieldError]
// for a name that is not 1 to 63 lower-case letters, digits, ., _ and -, or that looks like another one.
func (t Tokens) New(name string, role api.Role, kind asking.Answerer, now time.Time) (string, error) {
	unlock, err := t.lock()
	if err != nil {
		return "", err
	}
	defer unlock()
	all, err := t.All()
	if err != nil {
		return "", err
	}
	switch alike := slices.IndexFunc(all, func(of Token) bool { return names.Alike(of.Name, name) }); {
	case !named.MatchString(name):
		return "", &signals.FieldError{Field: "name", Value: text.Cut(name, 80), Problem: "not 1 to 63 lower-case letters, digits, ., _ and -, the first a letter, the last no sign"}
	case alike >= 0:
		return "", &signals.FieldError{Field: "name", Value: name, Problem: fmt.Sprintf("looks like %q, which has a token: revoke that one first", all[alike].Name)}
	case slices.ContainsFunc(reserved, func(of string) bool { return names.Alike(of, name) }):
		return "", &signals.FieldError{Field: "name", Value: name, Problem: "is not a person's"}
	case !slices.Contains(api.Roles(), role):
		return "", &signals.FieldError{Field: "role", Value: string(role), Problem: fmt.Sprintf("not one of %q%s", api.Roles(), text.Suggest(role, api.Roles()))}
	case kind != "" && !slices.Contains(asking.Answerers(), kind):
		return "", &signals.FieldError{Field: "kind", Value: string(kind), Problem: fmt.Sprintf("not one of %q%s", asking.Answerers(), text.Suggest(kind, asking.Answerers()))}
	}
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	secret := base64.RawURLEncoding.EncodeToString(random[:])
	hash := sha256.Sum256([]byte(secret))
	return secret, t.write(append(all, Token{name, role, kind, hash[:], now.UTC().Truncate(time.Second)}))
}

// Revoke takes the token with that name away. Its sessions end with it.
func (t Tokens) Revoke(name string) error {
	unlock, err := t.lock()
	if err != nil {
		return err
	}
	defer unlock()
	all, err := t.All()
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(slices.Clone(all), func(of Token) bool { return of.Name == name })
	if len(left) == len(all) {
		return &signals.FieldError{Field: "name", Value: text.Cut(name, 80), Problem: "no token has it"}
	}
	return t.write(left)
}

// All returns the tokens in the order in which they were made. A file that is not there has none.
func (t Tokens) All() (all []Token, err error) {
	if err := private(t.Path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	file, err := os.ReadFile(t.Path)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(file, &all); err != nil {
		return nil, fmt.Errorf("guard: %s does not hold tokens: %w", t.Path, err)
	}
	return all, nil
}

// lock keeps other commands from changing the tokens until unlock is called.
func (t Tokens) lock() (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(t.Path), 0o700); err != nil {
		return nil, err
	}
	name := t.Path + ".lock"
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("another command changes the tokens: try again; if none does, one was killed: remove %s", name)
	}
	if err != nil {
		return nil, err
	}
	return func() { _ = os.Remove(name) }, file.Close()
}

// has reports whether there is a token with that name and role. An error of the file is none that says no.
func (t Tokens) has(who api.Who) bool {
	all, err := t.All()
	return err != nil || slices.ContainsFunc(all, func(of Token) bool { return of.who() == who })
}

// write replaces the file.
func (t Tokens) write(all []Token) error {
	of, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return ownerfile.Replace(t.Path, append(of, '\n'))
}

// of returns the token with a text. An error of the file lets nobody in.
func (t Tokens) of(secret string) (found Token, ok bool) {
	all, _ := t.All()
	hash := sha256.Sum256([]byte(secret))
	for _, of := range all {
		if subtle.ConstantTimeCompare(of.Hash, hash[:]) == 1 {
			found, ok = of, true
		}
	}
	return found, ok
}

// again returns the token that a session began with, if it has not been revoked.
func (t Tokens) again(hash []byte) (Token, bool) {
	all, _ := t.All()
	i := slices.IndexFunc(all, func(of Token) bool { return bytes.Equal(of.Hash, hash) })
	if i < 0 {
		return Token{}, false
	}
	return all[i], true
}

// unread says, after "the token is wrong", that the file cannot be read; "": it can.
func (t Tokens) unread() string {
	if _, err := t.All(); err != nil {
		return " (no token with a name is known: the server cannot read their file, and its log says why)"
	}
	return ""
}

// private returns an error unless only its owner may read a file.
func private(path string) error {
	info, err := os.Lstat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0) {
		err = fmt.Errorf("guard: others can read %s: set its mode to 0600", path)
	}
	return err
}
