package host_test

import (
	"context"
	"iter"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/console/host"
)

// sparse are records whose positions leave gaps.
type sparse struct{ journal.Memory }

const gap = 4096

func (s *sparse) Last() uint64 { return s.Memory.Last() * gap }

func (s *sparse) Read(after uint64) iter.Seq2[journal.Record, error] {
	return apart(s.Memory.Read(after / gap))
}

func (s *sparse) Follow(ctx context.Context, after uint64) iter.Seq2[journal.Record, error] {
	return apart(s.Memory.Follow(ctx, after/gap))
}

func apart(all iter.Seq2[journal.Record, error]) iter.Seq2[journal.Record, error] {
	return func(yield func(journal.Record, error) bool) {
		for record, err := range all {
			if record.Seq *= gap; !yield(record, err) {
				return
			}
		}
	}
}

// The positions of a log of many machines leave gaps: what a client missed is counted in signals.
func TestAClientContinuesOnALogWithGapsAfterARestart(t *testing.T) {
	t.Parallel()
	const signalsOf = 6000
	mint := signals.NewMint()
	records := new(sparse)
	for i := range uint64(signalsOf) {
		var s signals.Any = signals.New(signals.Header{Source: "ann", Confidence: 1}, signals.Memory{Content: "more", Category: "note", Importance: 1})
		if i == 0 {
			s = signals.New(signals.Header{Source: "system", Confidence: 1}, signals.Task{Task: "Which one?"})
		}
		h := s.Head()
		h.Seq, h.Thread, h.Time = (i+1)*gap, "t", time.Unix(int64(i), 0)
		h.ID = mint.ID(h.Seq, h.Time)
		record, err := journal.SignalRecord(signals.With(s, h))
		if err == nil {
			_, err = records.Append(record)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	hub := feed.New(feed.Options{})
	h, err := host.Open(t.Context(), host.Options{Dir: t.TempDir(), Hub: hub, Elsewhere: []host.Elsewhere{afar{Log: records}.at("ports")}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		hub.Close()
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	if err := h.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for missed, want := range map[uint64]string{3: api.FrameSignal, 4000: api.FrameSignal, 5000: api.FrameResync} {
		c, err := hub.Join("test", "test", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		hub.Subscribe(c, api.Subscription{}, map[string]uint64{"ports": (signalsOf - missed) * gap})
		for f := range hub.Frames(t.Context(), c) {
			if f.Type == api.FrameHello {
				continue
			}
			if f.Type != want || want == api.FrameSignal && f.Seq != (signalsOf-missed+1)*gap {
				t.Errorf("after %d missed signals: %s at %d, want %s: %s", missed, f.Type, f.Seq, want, f.Reason)
			}
			break
		}
		hub.Leave(c)
	}
}
