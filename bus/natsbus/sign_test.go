package natsbus

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/nats-io/nats.go"
	"pgregory.net/rapid"
)

// anyText returns plain and odd ones, few, so that two of them are often equal. Tests do not share
// it: rapid notes in a generator how it is called.
func anyText() *rapid.Generator[string] {
	return rapid.OneOf(rapid.SampledFrom([]string{"", "a", "b", `"`, `a\`, "é", "\x7f", "\xff"}), rapid.String())
}

func messages(t *rapid.T) *nats.Msg {
	texts := anyText()
	names := []string{headerID, headerType, headerSign, headerProcess, "ce-type", "Ce-Type", "Nats-Expected-Last-Sequence"}
	h := nats.Header(rapid.MapOfN(rapid.SampledFrom(names), rapid.SliceOfN(texts, 1, 2), 0, 3).Draw(t, "header"))
	return &nats.Msg{Subject: texts.Draw(t, "subject"), Header: h, Data: []byte(texts.Draw(t, "data"))}
}

func TestMessagesWithEqualDigestsAreEqual(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sent, read := messages(t), messages(t)
		switch rapid.IntRange(0, 4).Draw(t, "alike") { // at random they are hardly ever equal
		case 0:
			read = sent
		case 1:
			read.Subject, read.Data = sent.Subject, sent.Data
		case 2:
			read.Subject, read.Header = sent.Subject, sent.Header
		case 3:
			read.Header, read.Data = sent.Header, sent.Data
		}
		m := &message{subject: read.Subject, header: read.Header, data: read.Data}
		if want := bytes.Equal(m.digest(), signedText(sent.Subject, sent.Header, sent.Data)); m.says(sent) != want {
			t.Fatalf("says: %v, digests equal: %v", !want, want)
		}
	})
}

func TestPlainTextIsQuotedAsAnyOther(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := anyText().Draw(t, "text")
		if got, want := appendQuote(nil, text), strconv.AppendQuote(nil, text); !bytes.Equal(got, want) {
			t.Fatalf("got %s, want %s", got, want)
		}
	})
}
