package signals

import (
	"encoding/binary"
	"strings"
	"time"
	"unique"

	"github.com/rs/xid"
)

// ID identifies one signal. The text of an id that a [Mint] made is "sig_" and
// an xid (20 characters that sort by time); ids from elsewhere may be any other
// name. An ID is two words long, comparable with ==, usable as a map key, and
// the same text is always the same ID. The zero ID identifies nothing.
type ID struct {
	// A minted id is the mint's five bytes and a number, so that minting
	// allocates nothing. A foreign id is its text and the number 0.
	origin unique.Handle[string]
	number uint64 // minted | seconds<<24 | counter
}

const (
	idPrefix    = "sig_"
	counterBits = 24
	counterMask = 1<<counterBits - 1
	minted      = 1 << 63
)

// ParseID reads an id's text: 1 to [NameBytes] bytes of printable UTF-8.
func ParseID(text string) (ID, error) { return parseID("id", text) }

func parseID(field, text string) (ID, error) {
	if err := (Limits{}).Name(field, text); err != nil {
		return ID{}, err
	}
	if tail, ok := strings.CutPrefix(text, idPrefix); ok {
		// One text, one id: xid accepts only the form that it writes.
		if x, err := xid.FromString(tail); err == nil {
			return fromXID(x), nil
		}
	}
	return ID{origin: unique.Make(text)}, nil
}

// MustID is [ParseID] for ids that are constants of a program; it panics if
// ParseID fails.
func MustID(text string) ID {
	id, err := ParseID(text)
	if err != nil {
		panic(err)
	}
	return id
}

// IsZero reports whether id is the zero ID.
func (id ID) IsZero() bool { return id == ID{} }

// String returns the id's text, "" for the zero ID.
func (id ID) String() string {
	switch {
	case id.IsZero():
		return ""
	case id.number == 0:
		return id.origin.Value()
	}
	var text [len(idPrefix) + 20]byte
	copy(text[:], idPrefix)
	id.xid().Encode(text[len(idPrefix):])
	return string(text[:])
}

// Minted reports whether id has the form of an id made by a [Mint], whichever
// mint that was.
func (id ID) Minted() bool { return id.number != 0 }

// Time returns the second that the id's [Mint] put into it, or the zero time
// for a foreign id. Anybody can write an id, so the time proves nothing.
func (id ID) Time() time.Time {
	if id.number == 0 {
		return time.Time{}
	}
	return id.xid().Time().UTC()
}

// MarshalText returns the id's text.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText is [ParseID]; empty text is the zero ID.
func (id *ID) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*id = ID{}
		return nil
	}
	parsed, err := ParseID(string(text))
	if err == nil {
		*id = parsed
	}
	return err
}

// An xid has four bytes of seconds, five of machine and process, three of
// counter.

func fromXID(x xid.ID) ID {
	b := x.Bytes()
	seconds := uint64(binary.BigEndian.Uint32(b[:4]))
	counter := uint64(b[9])<<16 | uint64(b[10])<<8 | uint64(b[11])
	return ID{origin: unique.Make(string(b[4:9])), number: minted | seconds<<counterBits | counter}
}

func (id ID) xid() xid.ID {
	var x xid.ID
	binary.BigEndian.PutUint32(x[:4], uint32(id.number>>counterBits))
	copy(x[4:9], id.origin.Value())
	x[9], x[10], x[11] = byte(id.number>>16), byte(id.number>>8), byte(id.number)
	return x
}
