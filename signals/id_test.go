package signals_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/signals"
)

const canonical = "sig_9m4e2mr0ui3e8a215n4g"

func TestOneTextIsOneID(t *testing.T) {
	text := rapid.OneOf(
		rapid.String(), rapid.StringMatching(`sig_[0-9a-v]{20}`), rapid.StringMatching(`sig_[0-9a-v]{19}[0g]`),
		rapid.StringMatching(`(?i)sig[_-]?[0-9a-z]{18,22}`), rapid.Just(canonical),
	)
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		x, errX := signals.ParseID(a)
		y, errY := signals.ParseID(b)
		if again, err := signals.ParseID(strings.Clone(a)); again != x || (err == nil) != (errX == nil) {
			t.Fatalf("%q is %v and %v", a, x, again)
		}
		if (errX == nil) != (signals.Limits{}.Name("id", a) == nil) {
			t.Fatalf("%q: %v", a, errX)
		}
		if errX != nil {
			if !x.IsZero() || x.String() != "" {
				t.Fatalf("%q is refused and %v", a, x)
			}
			return
		}
		if x.String() != a || x.IsZero() {
			t.Fatalf("%q reads as %q", a, x)
		}
		if errY == nil && (x == y) != (a == b) {
			t.Fatalf("%q and %q: equal is %v", a, b, x == y)
		}
	})
}

func TestOnlyXIDFormsAreMintedIDs(t *testing.T) {
	made := xid.NewWithTime(time.Unix(1763642400, 0))
	id := signals.MustID("sig_" + made.String())
	if got := id.Time(); got != time.Unix(1763642400, 0).UTC() || !id.Minted() {
		t.Errorf("%v has time %v, minted %v", id, got, id.Minted())
	}
	if got := signals.MustID("sig_00000000000000000000"); got.IsZero() || got.Time() != time.Unix(0, 0).UTC() || got.String() != "sig_00000000000000000000" {
		t.Errorf("the first xid is %v of %v", got, got.Time())
	}
	if got := signals.MustID("sig_vvvvvvvvvvvvvvvvvvvg").Time(); got.Unix() != 1<<32-1 {
		t.Errorf("the last xid is of %v", got)
	}
	foreign := []string{
		made.String(), "sig-" + made.String(), "SIG_" + made.String(), "sig_", "sig_" + made.String() + "0", "sig_" + made.String()[1:],
		"sig_" + strings.ToUpper(made.String()), " " + canonical, canonical[:23] + "h", canonical[:23] + "1", canonical[:23] + "é",
		"sig_wwwwwwwwwwwwwwwwwwww",
	}
	for _, text := range foreign {
		if got := signals.MustID(text); got.String() != text || !got.Time().IsZero() || got.Minted() {
			t.Errorf("%q reads as %q of %v", text, got, got.Time())
		}
	}
	if got := (signals.ID{}).Time(); !got.IsZero() {
		t.Errorf("no id has time %v", got)
	}
}

func TestIDsAsJSON(t *testing.T) {
	type pair map[signals.ID]signals.ID
	want := pair{signals.MustID(canonical): signals.MustID("b"), signals.MustID("a"): {}}
	text, err := json.Marshal(want)
	if err != nil || string(text) != `{"a":"","`+canonical+`":"b"}` {
		t.Errorf("wrote %s, %v", text, err)
	}
	var got pair
	if err := json.Unmarshal(text, &got); err != nil || diff(want, got) != "" {
		t.Errorf("%s reads as %v, %v", text, got, err)
	}
	kept := signals.MustID("a")
	if err := kept.UnmarshalText([]byte("\n")); !errors.Is(err, signals.ErrInvalid) || kept != signals.MustID("a") {
		t.Errorf("refused text left %v, %v", kept, err)
	}
	if err := kept.UnmarshalText(nil); err != nil || !kept.IsZero() {
		t.Errorf("empty text is %v, %v", kept, err)
	}
}

func TestMustIDPanicsWhereParseIDFails(t *testing.T) {
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, signals.ErrInvalid) {
			t.Errorf("got %v", err)
		}
	}()
	signals.MustID("")
}

func FuzzParseID(f *testing.F) {
	for _, text := range []string{"", canonical, canonical[:23] + "h", "sig-abc123", "sig_", "\xff", "é", "sig_vvvvvvvvvvvvvvvvvvvg", strings.Repeat("x", 257)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, err := signals.ParseID(text)
		if err != nil {
			if !id.IsZero() || !errors.Is(err, signals.ErrInvalid) {
				t.Errorf("%q: %v, %v", text, id, err)
			}
			return
		}
		if id.String() != text || id.IsZero() || text == "" || len(text) > signals.NameBytes {
			t.Errorf("%q reads as %q", text, id)
		}
		if marshaled, err := id.MarshalText(); err != nil || !bytes.Equal(marshaled, []byte(text)) {
			t.Errorf("%q is written %q, %v", text, marshaled, err)
		}
		// A minted id is one that package xid reads and writes the same.
		x, err := xid.FromString(strings.TrimPrefix(text, "sig_"))
		isXID := err == nil && "sig_"+x.String() == text
		if isXID == id.Time().IsZero() || isXID && !id.Time().Equal(x.Time()) {
			t.Errorf("%q: xid %v, time %v", text, isXID, id.Time())
		}
	})
}
