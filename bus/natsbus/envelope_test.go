package natsbus

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/nats-io/nats.go"
	"pgregory.net/rapid"
)

// letters are drawn from few subjects, so that some are equal.
func letters(t *rapid.T) (all []*letter) {
	name := rapid.SampledFrom([]string{"a", "b", mixed})
	for range rapid.IntRange(2, 4).Draw(t, "messages") {
		m := &nats.Msg{Subject: "s.log." + name.Draw(t, "thread") + "." + name.Draw(t, "kind") + "." + name.Draw(t, "source"), Header: nats.Header{}}
		for name, value := range rapid.MapOfN(rapid.StringN(1, 5, -1), rapid.StringN(0, 9, -1), 0, 3).Draw(t, "header") {
			m.Header[name] = []string{value}
		}
		m.Data = rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "data")
		all = append(all, &letter{Msg: m, size: m.Size()})
	}
	return all
}

func TestEnvelopeRoundTrips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := letters(t)
		m := envelope(in)
		out, err := (&message{seq: 7, subject: m.Subject, header: m.Header, data: m.Data}).unpack()
		if err != nil || len(out) != len(in) {
			t.Fatalf("%d of %d messages: %v", len(out), len(in), err)
		}
		for i, got := range out {
			want := in[i]
			if got.subject != want.Subject || !maps.EqualFunc(got.header, want.Header, slices.Equal) || !bytes.Equal(got.data, want.Data) || got.seq != 7 {
				t.Errorf("message %d is %+v, want %+v", i, got, want)
			}
			if !covers(m.Subject, want.Subject) {
				t.Errorf("the envelope to %s does not cover %s", m.Subject, want.Subject)
			}
		}
	})
}

// Of an envelope that is torn, or has too many messages, nothing is in the log.
func TestEnvelopeIsTakenAsAWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	several := func(n int) *nats.Msg {
		var all []*letter
		for i := range n {
			all = append(all, &letter{Msg: written(t, said(fmt.Sprint("x", i), "t", "a"))})
		}
		return envelope(all)
	}
	whole := reader(t, Options{})
	whole.reads(t, several(most))
	if n := count(whole.bus); n != most {
		t.Fatalf("%d signals of a whole envelope, want %d", n, most)
	}
	torn := several(3)
	for name, m := range map[string]*nats.Msg{
		"too many":        several(most + 1),
		"without its end": {Subject: torn.Subject, Header: torn.Header, Data: torn.Data[:len(torn.Data)-1]},
		"with a rest":     {Subject: torn.Subject, Header: torn.Header, Data: append(bytes.Clone(torn.Data), 9)},
		"empty":           {Subject: torn.Subject, Header: torn.Header},
	} {
		l := reader(t, Options{})
		l.reads(t, m)
		if got := l.Stats().Dead; got[Malformed] != 1 || len(got) != 1 || count(l.bus) > 0 {
			t.Errorf("%s: %d signals in the log, dead letters %v", name, count(l.bus), got)
		}
	}
}

func TestEnvelopeCoversNoOtherSource(t *testing.T) {
	t.Parallel()
	for subject, of := range map[string]string{
		"s.log.t.%%.a": "s.log.t.vote.b", "s.log.t.vote.a": "s.log.t.discovery.a", "s.log.t.%%.%%": "s.log.u.vote.a", "s.log.%%.%%.%%": "r.log.t.vote.a",
	} {
		if covers(subject, of) {
			t.Errorf("%s covers %s", subject, of)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(envelope([]*letter{{Msg: &nats.Msg{Subject: "s", Header: nats.Header{"a": {"b"}}, Data: []byte("c")}}}).Data)
	f.Add([]byte{1, 'a', 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := (&message{header: nats.Header{headerEnvelope: {"1"}}, data: data}).unpack()
		if err == nil && (len(all) == 0 || len(all) > most) {
			t.Errorf("%d messages", len(all))
		}
	})
}
