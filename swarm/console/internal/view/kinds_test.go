package view_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/otel/oteltest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/internal/view"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/said"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

// An estimate is a new kind, whose only place is here.
type estimate struct {
	ProposalID string `json:"proposalId"`
	Days       string `json:"days"`
	Why        string `json:"why"`
}

func (estimate) Kind() signals.Kind { return "acme.example/estimate" }

// Said implements [said.Sayer].
func (e estimate) Said() said.Line {
	return said.Line{Form: "estimate", About: said.Argument, Tone: said.Warning, Text: e.Days + " days", Reason: e.Why, Proposal: e.ProposalID, Severity: "high"}
}

// frames keeps the frames of a log.
type frames struct {
	book *view.Book
	all  []api.Frame
}

// Folded implements [desk.Watcher].
func (f *frames) Folded(record *journal.Record, s signals.Any, of *replay.Thread, _ bool) error {
	if frame, ok := f.book.Apply(record, s, of); ok {
		f.all = append(f.all, frame)
	}
	return nil
}

// TestNewKindIsAddedInOnePlace adds one, and looks for it where people see what is said.
func TestNewKindIsAddedInOnePlace(t *testing.T) {
	t.Parallel()
	terms, err := runlog.TextOf(&runlog.Terms{Name: runlog.Learner, Strategy: "confidence-weighted", Threshold: 0.7, Quorum: 2})
	if err != nil {
		t.Fatal(err)
	}
	recorder := tracetest.NewSpanRecorder()
	observer, err := otel.New(&otel.Options{Tracers: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))})
	if err != nil {
		t.Fatal(err)
	}
	b, err := bus.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	stop, err := observer.Watch(b)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	ann, err := b.Agent("ann", bus.Permissions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ann.Publish(t.Context(), signals.New(signals.Header{Thread: "s"}, estimate{"p1", "9", "the schema"})); err != nil {
		t.Fatal(err)
	}
	observer.Flush()
	if tree := oteltest.Tree(oteltest.FromSDK(recorder.Ended())); !strings.Contains(tree, "swarmbus.proposal=p1") || !strings.Contains(tree, "swarmbus.severity=high") {
		t.Errorf("the span is\n%s", tree)
	}

	codec, err := runlog.NewCodec(signals.For[estimate]())
	if err != nil {
		t.Fatal(err)
	}
	var shown frames
	fold, err := desk.NewFold(journal.Snapshot{}, func(f *desk.Fold) desk.Watcher { shown.book = view.New("run", f); return &shown })
	if err != nil {
		t.Fatal(err)
	}
	defer fold.Close()
	var printed bytes.Buffer
	show := transcript.Text(&printed, nil)
	mint := signals.NewMint()
	head := func(seq uint64, source string) signals.Header {
		at := time.Unix(int64(seq), 0).UTC()
		return signals.Header{Seq: seq, ID: mint.ID(seq, at), Time: at, Source: source, Thread: "s"}
	}
	for _, s := range []signals.Any{
		signals.New(head(1, bus.System), signals.Task{Task: "When?"}),
		signals.New(head(2, bus.System), runlog.Opened{Terms: terms}),
		signals.New(head(3, "ann"), estimate{"p1", "9", "the schema"}),
	} {
		record, err := journal.SignalRecord(s)
		if err != nil {
			t.Fatal(err)
		}
		record.Seq = s.Head().Seq
		if err := fold.Take(&record, codec, true); err != nil {
			t.Fatal(err)
		}
		if err := show(solves.Spoke{Signal: s}); err != nil {
			t.Fatal(err)
		}
	}
	if got := shown.all[2].Said; got.Form != "estimate" || got.About != said.Argument || got.Text != "9 days" || got.Reason != "the schema" || got.Proposal != "p1" || got.Severity != "high" {
		t.Errorf("the frame has %+v", got)
	}
	if !strings.Contains(printed.String(), "estimate") || !strings.Contains(printed.String(), "9 days — the schema") {
		t.Errorf("the transcript is\n%s", printed.String())
	}
}
