package view_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/internal/view"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A writer writes the log of a solve.
type writer struct {
	mint *signals.Mint
	seq  uint64
	log  []signals.Any
}

func say[P signals.Payload](w *writer, source string, p P) signals.ID {
	w.seq++
	h := signals.Header{Seq: w.seq, ID: w.mint.ID(w.seq, time.Unix(int64(w.seq), 0)), Source: source, Thread: "s", Time: time.Unix(int64(w.seq), 0).UTC(), Confidence: 0.5}
	w.log = append(w.log, signals.New(h, p))
	return h.ID
}

// begin returns a writer of a solve that has begun.
func begin(t testing.TB) *writer {
	t.Helper()
	return beginBy(t, &runlog.Terms{Name: runlog.Learner, Strategy: "confidence-weighted", Threshold: 0.7, Quorum: 3})
}

// beginBy returns a writer of a solve that decides by terms.
func beginBy(t testing.TB, terms *runlog.Terms) *writer {
	t.Helper()
	w := &writer{mint: signals.NewMint()}
	say(w, bus.System, signals.Task{Task: "What?"})
	text, err := runlog.TextOf(terms)
	if err != nil {
		t.Fatal(err)
	}
	say(w, bus.System, runlog.Opened{Terms: text})
	return w
}

// book returns the book of a log, and its frames.
func book(t testing.TB, log []signals.Any) (*view.Book, []api.Frame) {
	t.Helper()
	codec, err := runlog.NewCodec()
	if err != nil {
		t.Fatal(err)
	}
	var shows *shower
	fold, err := desk.NewFold(journal.Snapshot{}, func(f *desk.Fold) desk.Watcher {
		shows = &shower{book: view.New("run", f)}
		return shows
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fold.Close)
	for i, s := range log {
		record, err := journal.SignalRecord(s)
		if err == nil {
			record.Seq = s.Head().Seq
			err = fold.Take(&record, codec, true)
		}
		if err != nil || len(shows.frames) != i+1 {
			t.Fatalf("signal %d: %v, with %d frames", s.Head().Seq, err, len(shows.frames))
		}
	}
	return shows.book, shows.frames
}

// A shower keeps the frames of a book.
type shower struct {
	book   *view.Book
	frames []api.Frame
}

// Folded implements [desk.Watcher].
func (s *shower) Folded(record *journal.Record, said signals.Any, of *replay.Thread, _ bool) error {
	if f, ok := s.book.Apply(record, said, of); ok {
		s.frames = append(s.frames, f)
	}
	return nil
}

func TestALaterReaderGetsTheFramesOfFollowers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := begin(t)
		for i := range rapid.IntRange(0, 40).Draw(rt, "signals") {
			agent := rapid.SampledFrom([]string{"ann", "bob", "cem", "dee"}).Draw(rt, "agent")
			id := rapid.SampledFrom([]string{"x", "y", "z"}).Draw(rt, "proposal")
			switch rapid.IntRange(0, 3).Draw(rt, "what") {
			case 0:
				say(w, agent, signals.Proposal{ProposalID: id, Content: "do " + id})
			case 1:
				say(w, agent, signals.Discovery{Finding: fmt.Sprint(i)})
			default:
				stance := rapid.SampledFrom([]signals.Stance{signals.Agree, signals.Disagree, signals.Abstain}).Draw(rt, "stance")
				say(w, agent, signals.Vote{ProposalID: id, Stance: stance, Weight: rapid.Float64Range(0, 1).Draw(rt, "weight")})
			}
		}
		b, frames := book(t, w.log)
		after := uint64(rapid.IntRange(0, len(w.log)).Draw(rt, "after"))
		got, _ := b.Detail("s", after)
		want := api.SolveDetail{Said: []api.Said{}, Steps: []api.Step{}, Votes: []api.Vote{}}
		for _, f := range frames {
			if f.Seq <= after {
				continue
			}
			want.Said = append(want.Said, *f.Said)
			if f.Step != nil {
				want.Steps = append(want.Steps, *f.Step)
			}
			if f.Vote != nil {
				want.Votes = append(want.Votes, *f.Vote)
			}
		}
		newest := map[[2]string]int{}
		for i, v := range want.Votes {
			newest[[2]string{v.Voter, v.Proposal}] = i
		}
		for i, v := range want.Votes {
			want.Votes[i].Counts = newest[[2]string{v.Voter, v.Proposal}] == i
		}
		for what, both := range map[string][2]any{"said": {got.Said, want.Said}, "steps": {got.Steps, want.Steps}, "votes": {got.Votes, want.Votes}} {
			if d := cmp.Diff(both[1], both[0]); d != "" {
				rt.Errorf("%s after %d (-frames +detail):\n%s", what, after, d)
			}
		}
		if last := frames[len(frames)-1].Solve; cmp.Diff(*last, got.Solve) != "" {
			rt.Errorf("the last frame's solve differs:\n%s", cmp.Diff(*last, got.Solve))
		}
	})
}

func TestSupportIsThatOfTheDecision(t *testing.T) {
	t.Parallel()
	w := begin(t)
	for _, id := range []string{"x", "y"} {
		say(w, "ann", signals.Proposal{ProposalID: id, Content: "do " + id})
	}
	say(w, "ann", signals.Vote{ProposalID: "x", Stance: signals.Agree, Weight: 0.6})
	say(w, "bob", signals.Vote{ProposalID: "y", Stance: signals.Agree, Weight: 0.2})
	say(w, "cem", signals.Vote{ProposalID: "y", Stance: signals.Disagree, Weight: 0.2})
	b, _ := book(t, w.log)
	d, _ := b.Detail("s", 0)
	last := d.Steps[len(d.Steps)-1]
	for id, want := range map[string]float64{"x": 0.6, "y": 0.2} {
		if got := last.Support[id]; got < want-1e-9 || got > want+1e-9 {
			t.Errorf("%s has %v, want %v", id, got, want)
		}
	}
	if last.Leader != "x" || last.Voters != 3 || d.Leader.Proposal != "x" || d.Proposals[0].Letter != "A" {
		t.Errorf("the step is %+v", last)
	}
}

// Without ann, whose vote counts for more than those of the others, these choose y.
func TestWithoutAVoterTheOthersDecideByTheSameTerms(t *testing.T) {
	t.Parallel()
	team := []string{"ann", "bob", "cem"}
	for name, terms := range map[string]*runlog.Terms{
		"ranks":  {Name: runlog.Learner, Strategy: "hierarchical", Quorum: 1, Electorate: team, Ranks: map[string]int{"ann": 2}},
		"a plan": {Name: runlog.Learner, Strategy: "vote", Quorum: 1, Electorate: team, Threshold: 0.1, Planned: true},
	} {
		w := beginBy(t, terms)
		if terms.Planned {
			plan(t, w)
		}
		for i, voter := range team {
			id := []string{"x", "y", "y"}[i]
			say(w, voter, signals.Proposal{ProposalID: id + voter, Content: "do " + id})
			say(w, voter, signals.Vote{ProposalID: id + voter, Stance: signals.Agree, Weight: 1})
		}
		if terms.Planned {
			conclude(t, w, terms)
		}
		b, _ := book(t, w.log)
		d, _ := b.Detail("s", 0)
		if len(d.Rests) != len(team) {
			t.Fatalf("%s: the decision is %+v", name, d.Decision)
		}
		for _, rest := range d.Rests {
			if rest.Falls != (rest.Voter == "ann") || rest.Falls && rest.Choice != "ybob" {
				t.Errorf("%s: without %s: %s %q", name, rest.Voter, rest.Outcome, rest.Choice)
			}
		}
	}
}

// plan makes a solve a vote in which ann is known to be right more often than bob and cem.
func plan(t *testing.T, w *writer) {
	t.Helper()
	members := []mode.Member{{ID: "ann", Right: 0.95}, {ID: "bob", Right: 0.55}, {ID: "cem", Right: 0.55}}
	text, err := runlog.TextOf(&mode.Plan{Mode: mode.Vote, Reason: "answers are equal", Calls: 9, Lead: 3, Members: members})
	if err != nil {
		t.Fatal(err)
	}
	say(w, bus.System, runlog.Planned{Plan: text})
	say(w, bus.System, runlog.Began{Turns: "[]", Ask: agents.AskAnswer})
}

func TestAModeShowsItsReasonItsVotesAndTheStrategiesDecisions(t *testing.T) {
	t.Parallel()
	terms := &runlog.Terms{Name: runlog.Learner, Strategy: "vote", Quorum: 1, Threshold: 0.1, Planned: true}
	w := beginBy(t, terms)
	plan(t, w)
	for i, voter := range []string{"ann", "bob", "cem"} {
		id := []string{"x", "y", "y"}[i]
		say(w, voter, signals.Proposal{ProposalID: id + voter, Content: "do " + id, Reasoning: "because"})
	}
	conclude(t, w, terms)
	b, _ := book(t, w.log)
	d, _ := b.Detail("s", 0)
	if d.Terms.Strategy != "vote" || d.Terms.Reason != "answers are equal" {
		t.Errorf("the terms are %+v, want those of the mode", d.Terms)
	}
	if len(d.Votes) != 3 || d.Votes[2].Proposal != "ybob" || d.Votes[2].Reasoning != "because" || !d.Votes[2].Counts {
		t.Errorf("the votes are %+v, want the three answers", d.Votes)
	}
	sum := 0.0
	for _, p := range d.Proposals {
		sum += p.Support
	}
	if last := d.Steps[len(d.Steps)-1].Support; math.Abs(sum-1) > 1e-9 || math.Abs(last["xann"]-d.Decision.Support) > 1e-9 || math.Abs(last["xann"]+last["ybob"]-1) > 1e-9 {
		t.Errorf("the shares are %+v, together %v, want 1, and %v for what was chosen", last, sum, d.Decision.Support)
	}
	if d.Turn == nil || d.Turn.By != "ann" || d.Turn.Text != "because" {
		t.Errorf("it was turned by %+v, want ann, whose answer leads, with its reason", d.Turn)
	}
	got, _, err := b.WhatIf("s", 0, nil)
	if err != nil || got.Actual.Choice != "xann" || got.Actual.Strategy != "vote" {
		t.Fatalf("the mode decides %+v (%v), want the answer of ann, who is right more often", got.Actual, err)
	}
	leader := map[string]string{}
	for _, row := range got.Strategies {
		leader[row.Strategy] = row.Cells[0].Leader
	}
	if leader["vote"] != "xann" || leader["voting"] != "ybob" || len(leader) != 1+len(consensus.Builtin()) {
		t.Errorf("the leaders are %v, want that of the mode, and that of two of three by count", leader)
	}
}

// If answers are tied, the vote of a person decides.
func TestThePersonWhoVotesOnATieDecides(t *testing.T) {
	t.Parallel()
	terms := &runlog.Terms{Name: runlog.Learner, Strategy: "vote", Quorum: 1, Threshold: 0.1, Planned: true}
	w := beginBy(t, terms)
	text, err := runlog.TextOf(&mode.Plan{Mode: mode.Vote, Calls: 9, Lead: 3, Members: []mode.Member{{ID: "ann", Right: 0.6}, {ID: "bob", Right: 0.6}}})
	if err != nil {
		t.Fatal(err)
	}
	say(w, bus.System, runlog.Planned{Plan: text})
	say(w, bus.System, runlog.Began{Turns: "[]", Ask: agents.AskAnswer})
	for _, voter := range []string{"ann", "bob"} {
		say(w, voter, signals.Proposal{ProposalID: "of-" + voter, Content: "do as " + voter + " says"})
	}
	say(w, bus.System, signals.Escalation{Reason: "which?"})
	vote := say(w, "dora", signals.Vote{ProposalID: "of-bob", Stance: signals.Agree, Weight: 1})
	say(w, bus.System, runlog.Answered{By: "dora", AnswerID: vote})
	conclude(t, w, terms)
	b, _ := book(t, w.log)
	if d, _ := b.Detail("s", 0); d.Turn == nil || d.Turn.By != "dora" {
		t.Errorf("it was turned by %+v, want dora", d.Turn)
	}
}

// conclude publishes the choice of a solve's plan.
func conclude(t *testing.T, w *writer, terms *runlog.Terms) {
	t.Helper()
	so := runlog.New("s")
	for _, said := range w.log {
		so.Apply(said)
	}
	if err := so.Votes.CountBy(consensus.Default(), terms.Options(), nil); err != nil {
		t.Fatal(err)
	}
	so.Votes.Round().Close()
	d := so.Votes.Round().Decision()
	text, err := runlog.TextOf(d)
	if err != nil {
		t.Fatal(err)
	}
	say(w, bus.System, runlog.Decided{Name: terms.Name, Closed: true, Stop: runlog.StopConsensus, Decision: text})
}

func TestAChangedVoteIsShownWithItsEffect(t *testing.T) {
	t.Parallel()
	w := begin(t)
	for _, id := range []string{"x", "y"} {
		say(w, "ann", signals.Proposal{ProposalID: id, Content: "do " + id})
	}
	say(w, "bob", signals.Vote{ProposalID: "x", Stance: signals.Agree, Weight: 1}) // 5
	say(w, "ann", signals.Vote{ProposalID: "x", Stance: signals.Agree, Weight: 1})
	say(w, "bob", signals.Vote{ProposalID: "x", Stance: signals.Disagree, Weight: 1})
	say(w, "bob", signals.Vote{ProposalID: "y", Stance: signals.Agree, Weight: 1})
	say(w, "ann", signals.Vote{ProposalID: "y", Stance: signals.Agree, Weight: 1})
	say(w, "ann", signals.Vote{ProposalID: "x", Stance: signals.Disagree, Weight: 1})
	b, _ := book(t, w.log)
	d, _ := b.Detail("s", 0)
	if was := d.Votes[2].Was; was == nil || was.Seq != 5 || was.Stance != "agree" {
		t.Errorf("bob's second vote changes %+v", was)
	}
	if was := d.Votes[3].Was; was == nil || was.Seq != 5 || was.Proposal != "x" {
		t.Errorf("bob's third vote changes %+v", was)
	}
	if d.Turn == nil || d.Turn.To != "y" || d.Turn.From != "x" || d.Turn.Seq != 9 || len(d.Turn.Changers) != 2 {
		t.Errorf("what turned it is %+v", d.Turn)
	}
}

func TestWhatIfCountsOnlyVotesUpToAPosition(t *testing.T) {
	t.Parallel()
	w := begin(t)
	say(w, "ann", signals.Proposal{ProposalID: "x", Content: "do x"})
	for _, voter := range []string{"ann", "bob", "cem"} {
		say(w, voter, signals.Vote{ProposalID: "x", Stance: signals.Agree, Weight: 1})
	}
	b, _ := book(t, w.log)
	for at, want := range map[uint64]string{4: "pending", 5: "pending", 6: "reached", 0: "reached"} {
		got, ok, err := b.WhatIf("s", at, nil)
		if err != nil || !ok || got.Actual.Outcome != want {
			t.Errorf("at %d: %s (%v), want %s", at, got.Actual.Outcome, err, want)
		}
	}
	if _, ok, _ := b.WhatIf("other", 0, nil); ok {
		t.Error("there is no other solve")
	}
}

// A decision stays on record when votes are taken back; all else that is shown goes by the votes
// that are left.
func TestWhatIsShownGoesByTheVotesThatAreLeft(t *testing.T) {
	t.Parallel()
	terms := &runlog.Terms{Name: runlog.Learner, Strategy: "confidence-weighted", Threshold: 0.7, Quorum: 3}
	w := beginBy(t, terms)
	say(w, "ann", signals.Proposal{ProposalID: "x", Content: "do x"})
	say(w, "dee", signals.Vote{ProposalID: "x", Stance: signals.Disagree, Weight: 0.5})
	var votes []signals.ID
	for _, voter := range []string{"ann", "bob", "cem"} {
		votes = append(votes, say(w, voter, signals.Vote{ProposalID: "x", Stance: signals.Agree, Weight: 1}))
	}
	conclude(t, w, terms)
	say(w, bus.System, signals.Consensus{ProposalID: "x", Decision: "do x"})
	check := func(left int, changed bool) {
		b, _ := book(t, w.log)
		d, _ := b.Detail("s", 0)
		if d.Decision.Choice != "x" || d.State != api.Decided || d.Answer != "do x" || d.Revised != changed {
			t.Errorf("on record is %q of %s, %q, revised %v; want x, do x, %v", d.Decision.Choice, d.State, d.Answer, d.Revised, changed)
		}
		now := *d.Decision
		if r := d.Revision; (r != nil) != (left < 3) || r != nil && (r.Changed != changed || len(r.Said) != 3-left) {
			t.Errorf("with %d votes left the revision is %+v", left, r)
		} else if r != nil {
			now = r.Decision
		}
		if (now.Choice == "x") == changed || (left < 3) == (now.Support == d.Decision.Support) {
			t.Errorf("with %d votes left %q is decided, with %v; on record is %v", left, now.Choice, now.Support, d.Decision.Support)
		}
		last := d.Steps[len(d.Steps)-1]
		if last.Outcome != now.Outcome || last.Support["x"] != d.Proposals[0].Support || len(now.Leaders) > 0 && last.Support["x"] != now.Support {
			t.Errorf("the last step is %+v, the grid has %v, decided is %+v", last, d.Proposals[0].Support, now)
		}
		if (d.Leader != nil) != (len(now.Leaders) > 0) || d.Leader != nil && d.Leader.Support != now.Support {
			t.Errorf("the list has the leader %+v, decided is %+v", d.Leader, now)
		}
		if (len(d.Rests) > 0) == changed {
			t.Errorf("with %d votes left it rests on %v", left, d.Rests)
		}
		counts := 0
		for _, v := range d.Votes {
			if v.Counts != (v.Out == 0) {
				t.Errorf("vote %d counts: %v, though it is out since %d", v.Seq, v.Counts, v.Out)
			}
			if v.Counts {
				counts++
			}
		}
		if counts != left+1 {
			t.Errorf("%d votes count, want %d", counts, left+1)
		}
		if got, _, err := b.WhatIf("s", 0, nil); err != nil || got.Actual.Outcome != now.Outcome || got.Actual.Choice != now.Choice {
			t.Errorf("what if: actually %s %q (%v), want %s %q", got.Actual.Outcome, got.Actual.Choice, err, now.Outcome, now.Choice)
		}
		begins := map[bool]string{false: "The answer is: do x [3].", true: "Nothing is decided"}
		if left == 0 {
			begins[true] = "There is no answer"
		}
		if d.Synthesis == nil || !strings.HasPrefix(d.Synthesis.Text, begins[changed]) {
			t.Errorf("the answer as a text is %+v, want %q", d.Synthesis, begins[changed])
		}
	}
	check(3, false)
	for i, vote := range votes {
		say(w, bus.System, signals.Retraction{TargetSignalID: vote, Reason: "wrong"})
		check(2-i, i > 0)
	}
}

// Votes that rest on nothing but what was taken back do not count either, since it was.
func TestAVoteFallsWithWhatItRestsOn(t *testing.T) {
	t.Parallel()
	w := begin(t)
	say(w, "ann", signals.Proposal{ProposalID: "x", Content: "do x"})
	before := say(w, "bob", signals.Vote{ProposalID: "x", Stance: signals.Disagree, Weight: 0.5})
	finding := say(w, "ann", signals.Discovery{Finding: "it works", Relevance: 1})
	w.seq++
	h := signals.Header{Seq: w.seq, ID: w.mint.ID(w.seq, time.Unix(int64(w.seq), 0)), Source: "bob", Thread: "s", Time: time.Unix(int64(w.seq), 0).UTC(), Confidence: 0.5, ReplyTo: finding}
	w.log = append(w.log, signals.New(h, signals.Vote{ProposalID: "x", Stance: signals.Agree, Weight: 1}))
	say(w, bus.System, signals.Retraction{TargetSignalID: finding, Reason: "wrong"})
	b, _ := book(t, w.log)
	d, _ := b.Detail("s", 0)
	if len(d.Votes) != 2 || d.Votes[1].Out != w.seq || d.Votes[1].Counts || !d.Votes[0].Counts {
		t.Errorf("the votes are %+v; want that of signal %d out since %d, and the one before, %v, to count", d.Votes, h.Seq, w.seq, before)
	}
}

func TestWhatIfWithoutVotesHasNoProbability(t *testing.T) {
	t.Parallel()
	b, _ := book(t, begin(t).log)
	if got, _, err := b.WhatIf("s", 0, nil); err != nil || got.Actual.Confidence != 0 {
		t.Errorf("nobody has voted, and the confidence is %v (%v)", got.Actual.Confidence, err)
	}
}

// BenchmarkApply measures a signal in a solve of 100,000 signals, of which one in ten is a
// vote.
func BenchmarkApply(b *testing.B) {
	w := begin(b)
	for i := range 5 {
		say(w, "ann", signals.Proposal{ProposalID: fmt.Sprint(i), Content: fmt.Sprint("do ", i)})
	}
	r := rand.New(rand.NewPCG(1, 1)) //nolint:gosec // votes
	for i := range 100_000 {
		agent := fmt.Sprint("agent", i%50)
		if i%10 == 0 {
			say(w, agent, signals.Vote{ProposalID: fmt.Sprint(r.IntN(5)), Stance: signals.Agree, Weight: r.Float64()})
			continue
		}
		say(w, agent, signals.Discovery{Finding: fmt.Sprintf("finding %d, which says something of the usual length", i)})
	}
	for b.Loop() {
		book(b, w.log)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(w.log)), "ns/signal")
	all, _ := book(b, w.log)
	began := time.Now()
	d, _ := all.Detail("s", 0)
	text, err := json.Marshal(d)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(time.Since(began).Milliseconds()), "ms/detail")
	b.ReportMetric(float64(len(text))/(1<<20), "MiB/detail")
}
