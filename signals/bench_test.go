package signals_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/signals"
)

func benchSignal() *signals.Signal[signals.Vote] {
	return signals.New(fullHeader(), signals.Vote{
		ProposalID: "backoff", Stance: signals.Agree, Weight: 0.9,
		Reasoning: "Jittered exponential backoff spreads the retries; the linear one made the outage of March longer.",
	})
}

func BenchmarkValidate(b *testing.B) {
	var s signals.Any = benchSignal()
	b.ReportAllocs()
	for b.Loop() {
		if err := signals.Validate(s); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkKind(b *testing.B) {
	var s signals.Any = benchSignal()
	b.ReportAllocs()
	for b.Loop() {
		if s.Kind() != signals.KindVote {
			b.Fatal(s.Kind())
		}
	}
}

func BenchmarkMintID(b *testing.B) {
	m := signals.NewMint()
	seq := uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		seq++
		if m.ID(seq, noon).IsZero() {
			b.Fatal(seq)
		}
	}
}

func BenchmarkIDString(b *testing.B) {
	id := signals.MustID(canonical)
	b.ReportAllocs()
	for b.Loop() {
		if id.String() == "" {
			b.Fatal(id)
		}
	}
}

func BenchmarkParseID(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := signals.ParseID(canonical); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMarshal(b *testing.B) {
	var s signals.Any = benchSignal()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := signals.Marshal(s); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUnmarshal(b *testing.B) {
	data := []byte(marshal(b, benchSignal()))
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := signals.Unmarshal(data); err != nil {
			b.Fatal(err)
		}
	}
}
