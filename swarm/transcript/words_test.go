package transcript_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

// TestSignalsOfOtherPackagesAreShownInWords whether their kind is known or not.
func TestSignalsOfOtherPackagesAreShownInWords(t *testing.T) {
	var ids [2]signals.ID
	for i, text := range []string{"sig_d5ari0041hnc7580000g", "sig_d5ari0041hnc75800010"} {
		var err error
		if ids[i], err = signals.ParseID(text); err != nil {
			t.Fatal(err)
		}
	}
	from := signals.Header{Source: "a"}
	for want, said := range map[string]signals.Any{
		"resolved: decided by rule": signals.New(from, conflict.Resolution{SignalA: ids[0], SignalB: ids[1], Reason: "decided by rule"}),
		"turn_id: t1, claim: it leaks, confidence: 0.5, evidence_refs: a; b, novel: true": signals.New(from, signals.Raw{
			Type: "report:finding", JSON: `{"turn_id":"t1","model":"","claim":"it leaks","confidence":0.5,"evidence_refs":["a","b"],"novel":true,"none":null}`,
		}),
		`at: {"line":3}`: signals.New(from, signals.Raw{Type: "acme.example/at", JSON: `{"at":{"line":3}}`}),
		"high confidence.low 0.30: shaky — two runs": coordination.New(from, coordination.Note{
			Class: coordination.ConfidenceLow, Priority: coordination.High, Confidence: coordination.Graded(0.3), Summary: "shaky", Details: "two runs",
		}),
		"[1,2]": signals.New(from, signals.Raw{Type: "acme.example/list", JSON: `[1,2]`}),
	} {
		var b bytes.Buffer
		show(t, []solves.Event{solves.Spoke{Signal: said}}, transcript.Text(&b, &transcript.Options{Width: 200}))
		if got := strings.TrimSpace(b.String()); !strings.HasSuffix(got, "  "+want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// What refers to another signal names it by what it said, and a long kind leaves the columns aligned.
func TestSignalsThatReferToOthersNameThemInWords(t *testing.T) {
	look, plan := signals.MustID("sig_look"), signals.MustID("sig_plan")
	var b bytes.Buffer
	spoke := func(id signals.ID, s signals.Any) solves.Event {
		h := s.Head()
		h.ID, h.Source, h.Confidence = id, "a", 1
		return solves.Spoke{Signal: signals.With(s, h)}
	}
	show(t, []solves.Event{
		spoke(look, coordination.Draft(coordination.Note{Class: coordination.AttentionRaise, Summary: "the disk is full"})),
		spoke(plan, signals.New(signals.Header{}, signals.Proposal{ProposalID: "grow", Content: "grow it"})),
		spoke(signals.MustID("sig_end"), coordination.Resolution(look)),
		spoke(signals.MustID("sig_own"), signals.New(signals.Header{}, signals.Raw{Type: "acme.example/replication-lag:now", JSON: `{"minutes":40}`})),
		spoke(signals.MustID("sig_won"), signals.New(signals.Header{}, conflict.Resolution{
			SignalA: plan, SignalB: look, How: conflict.ByDebate, Winner: plan, Reason: "it is cheaper",
		})),
	}, transcript.Text(&b, nil))
	lines := strings.Split(strings.Trim(b.String(), "\n"), "\n")
	for i, want := range map[int]string{2: "resolved: the disk is full", 3: "minutes: 40", 4: "resolved by debate for grow: it is cheaper"} {
		if !strings.HasSuffix(lines[i], " 1.00  "+want) {
			t.Errorf("got %q, want %q", lines[i], want)
		}
	}
	for _, line := range lines {
		before, _, _ := strings.Cut(line, "1.00")
		if first, _, _ := strings.Cut(lines[0], "1.00"); utf8.RuneCountInString(before) != utf8.RuneCountInString(first) {
			t.Errorf("not aligned:\n%s", b.String())
			break
		}
	}
}

// Who votes for a rival and against the winner dissents once.
func TestADissenterIsShownOnce(t *testing.T) {
	by, err := consensus.Lookup("voting")
	if err != nil {
		t.Fatal(err)
	}
	round, err := consensus.NewRound(by, &consensus.Options{Electorate: []string{"a", "b", "c"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"x", "y"} {
		if err := round.Propose(id); err != nil {
			t.Fatal(err)
		}
	}
	for seq, v := range []consensus.Vote{
		{Voter: "a", ProposalID: "x", Stance: consensus.Agree},
		{Voter: "b", ProposalID: "x", Stance: consensus.Agree},
		{Voter: "c", ProposalID: "y", Stance: consensus.Agree},
		{Voter: "c", ProposalID: "x", Stance: consensus.Disagree},
	} {
		v.Seq, v.Weight = uint64(seq+1), 1
		if err := round.Vote(v); err != nil {
			t.Fatal(err)
		}
	}
	d := round.Decision()
	if len(d.Dissent()) != 2 {
		t.Fatalf("votes against the winner: %v", d.Dissent())
	}
	var b bytes.Buffer
	show(t, []solves.Event{solves.Stopped{Result: &solves.Result{Stop: runlog.StopConsensus, Decision: d}}}, transcript.Text(&b, nil))
	if n := strings.Count(b.String(), "Dissent"); n != 1 {
		t.Errorf("%d lines of dissent:\n%s", n, b.String())
	}
}

type unspeakable struct{}

func (unspeakable) Kind() signals.Kind           { return "acme.example/unspeakable" }
func (unspeakable) String() string               { panic("no words") }
func (unspeakable) MarshalJSON() ([]byte, error) { panic("no JSON") }

func TestAPayloadThatPanicsEndsNoProgramThatShowsIt(t *testing.T) {
	said := solves.Spoke{Signal: signals.New(signals.Header{Source: "a"}, unspeakable{})}
	var b bytes.Buffer
	show(t, []solves.Event{said}, transcript.Text(&b, nil))
	if !strings.Contains(b.String(), "cannot be shown: panic: no words") {
		t.Errorf("got %q", b.String())
	}
	for name, write := range map[string]func(solves.Event) error{"JSON": transcript.JSON(&b), "Log": transcript.Log(&b)} {
		if err := write(said); err == nil || !strings.Contains(err.Error(), "panic: no JSON") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhyASolveEndedIsNeverCut(t *testing.T) {
	long := strings.Repeat("because of this ", 20) + "at last"
	r := &solves.Result{
		Stop: runlog.StopEscalated, Detail: long + " stop", Answer: long + " answer", Decision: consensus.Decision{Note: long + " decision"},
		Question: &solves.Question{Asks: "a", Reason: long + " question", Options: []string{long + " option"}},
	}
	var b bytes.Buffer
	show(t, []solves.Event{
		solves.Spoke{Signal: signals.New(signals.Header{Source: "a"}, signals.Escalation{Reason: long + " said"})}, solves.Stopped{Result: r},
	}, transcript.Text(&b, &transcript.Options{Width: 60}))
	whole := strings.ReplaceAll(b.String(), "\n", " ")
	for _, end := range []string{" stop", " answer", " decision", " question", " option"} {
		if !strings.Contains(whole, "at last"+end) {
			t.Errorf("%s is cut:\n%s", end, b.String())
		}
	}
	if strings.Contains(whole, " said") {
		t.Errorf("what an agent said is not cut:\n%s", b.String())
	}
	for line := range strings.Lines(b.String()) {
		if n := len([]rune(strings.TrimSpace(line))); n > 60 {
			t.Errorf("a line of %d columns: %s", n, line)
		}
	}
}
