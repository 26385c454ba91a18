package swarm_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// torn are two that propose, and two that vote for one each.
func torn() []*agents.Agent {
	return []*agents.Agent{
		proposer("p", "a", "do a"), proposer("q", "b", "do b"),
		answerer("v", func(int) string { return "a" }), answerer("w", func(int) string { return "b" }),
	}
}

// stuck are one that proposes, one that is for it and one that says nothing.
func stuck() []*agents.Agent {
	return []*agents.Agent{proposer("p", "a", "do a"), answerer("v", func(int) string { return "a" }), voter("w", nil)}
}

// startOn starts a swarm whose time stands still, unless it has a clock.
func startOn(t *testing.T, o swarm.Options) *swarm.Swarm {
	t.Helper()
	if o.Clock == nil {
		o.Clock = swarm.StepClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), 0)
	}
	o.Seed = 3
	s, err := swarm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// startAgain ends a swarm and checks that another one on its journal knows the
// same, and that the journal is what it derives to.
func startAgain(t *testing.T, s *swarm.Swarm, o swarm.Options) *swarm.Swarm {
	t.Helper()
	live := ledgerOf(t, s.Ledger())
	shutdown(t, s)
	if _, err := replayed(t, o.Journal); err != nil {
		t.Error(err)
	}
	s = startOn(t, o)
	if diff := cmp.Diff(live, ledgerOf(t, s.Ledger())); diff != "" {
		t.Errorf("what it learned (-live +folded):\n%.1000s", diff)
	}
	return s
}

func TestWhatIsLearnedDoesNotDependOnWhoLooks(t *testing.T) {
	o := swarm.Options{Agents: panel(), Journal: new(journal.Memory)}
	unseen := swarm.Options{Agents: panel(), Journal: new(journal.Memory)}
	s, other := startOn(t, o), startOn(t, unseen)
	for task := range 60 {
		r := ask(t, s, task)
		s.Ledger().Models()
		s.Ledger().Strategy()
		s.Ledger().Reliabilities()
		if _, err := s.Replay(r.Log); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.Resolve(r, truth(task)), other.Resolve(ask(t, other, task), truth(task))); err != nil {
			t.Fatal(err)
		}
	}
	if ledgerOf(t, s.Ledger()) != ledgerOf(t, other.Ledger()) {
		t.Error("who is looked at learns otherwise")
	}
	startAgain(t, s, o)
}

func TestWhatSolvesAtOnceLearnIsInTheLog(t *testing.T) {
	for range 3 {
		o := swarm.Options{Agents: torn(), Journal: new(journal.Memory), Quorum: 1}
		s := startOn(t, o)
		var all sync.WaitGroup
		for task := range 100 {
			all.Go(func() {
				r, err := s.Solve(context.Background(), signals.Task{Task: fmt.Sprint(task)})
				if err == nil {
					err = s.Resolve(r, "a")
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		startAgain(t, s, o)
	}
}

// TestAJournalThatWasCutAnywhereStartsAgainAndAgain cuts between records.
func TestAJournalThatWasCutAnywhereStartsAgainAndAgain(t *testing.T) {
	for _, policy := range []swarm.ConflictPolicy{swarm.VoteOnConflicts, swarm.EscalateConflicts} {
		on := func(j journal.Store) swarm.Options {
			return swarm.Options{Agents: torn(), Journal: j, Conflicts: policy, Quorum: 1}
		}
		whole := new(journal.Memory)
		s := startOn(t, on(whole))
		r := ask(t, s, 1)
		if err := s.Resolve(r, "a"); err != nil {
			t.Fatal(err)
		}
		ask(t, s, 2)
		shutdown(t, s)
		var records []journal.Record
		for record, err := range whole.Read(0) {
			if err != nil {
				t.Fatal(err)
			}
			records = append(records, record)
		}
		for cut := range len(records) + 1 {
			j := new(journal.Memory)
			if _, err := j.Append(records[:cut]...); cut > 0 && err != nil {
				t.Fatal(err)
			}
			s := startOn(t, on(j))
			for task := range 2 {
				if err := s.Resolve(ask(t, s, task), "b"); err != nil {
					t.Fatal(err)
				}
				s = startAgain(t, s, on(j))
			}
		}
	}
}

func TestWhatWasDroppedIsNotResumed(t *testing.T) {
	day := 24 * time.Hour
	for name, bound := range map[string]journal.Retention{"old": {Age: day}, "big": {Bytes: 1}} {
		t.Run(name, func(t *testing.T) {
			now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			o := swarm.Options{Agents: stuck(), Quorum: 2, Journal: new(journal.Memory), Clock: func() time.Time { return now }}
			if name == "old" { // it waits for its answer until then
				o.Agents, o.Conflicts = torn(), swarm.EscalateConflicts
			}
			s := startOn(t, o)
			r := ask(t, s, 1)
			now = now.Add(2 * day)
			ask(t, s, 2)
			if retain(t, o.Journal, bound) == 0 {
				t.Fatal("nothing was dropped")
			}
			if _, err := s.Resume(t.Context(), r.Log, vote("a", yes, 1)); !errors.Is(err, swarm.ErrLog) || !strings.Contains(err.Error(), "dropped") {
				t.Errorf("got %v", err)
			}
			ask(t, s, 3)
			startAgain(t, s, o)
		})
	}
}

// TestAThreadIsOverWhenTheLogSaysSo answers solves that ended undecided with
// rivals of what had been proposed.
func TestAThreadIsOverWhenTheLogSaysSo(t *testing.T) {
	o := swarm.Options{Agents: stuck(), Journal: new(journal.Memory), Quorum: 2}
	s := startOn(t, o)
	r := ask(t, s, 1)
	again, err := s.Resume(t.Context(), r.Log, propose("z", "do z"))
	if err != nil || len(again.Conflicts) != 0 {
		t.Fatalf("%v, conflicts %v", err, again.Conflicts)
	}
	startAgain(t, s, o)
}

func TestABusThatStartsAgainHasTheProposalsAndConflictsThatItHad(t *testing.T) {
	newBus := func() *bus.Bus {
		b, err := bus.New(&bus.Options{Proposals: 10})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.Close)
		return b
	}
	o := swarm.Options{Agents: torn(), Journal: new(journal.Memory), Quorum: 1, Bus: newBus()}
	s := startOn(t, o)
	for task := range 10 {
		ask(t, s, task)
	}
	o.Conflicts = swarm.EscalateConflicts
	o.Bus = newBus()
	s = startAgain(t, s, o)
	r := ask(t, s, 11)
	if r.Stop != swarm.StopEscalated || len(r.Proposals) != 2 {
		t.Fatalf("%v with %d proposals", r.Stop, len(r.Proposals))
	}
	conflicts := func() (all []conflict.Pair) {
		past, err := s.Past()
		if err != nil || len(past) != 11 {
			t.Fatal(len(past), err)
		}
		for _, p := range past {
			all = slices.AppendSeq(all, s.Bus().Conflicts(p.Thread))
		}
		return all
	}
	before := conflicts()
	o.Bus = newBus()
	s = startAgain(t, s, o)
	if after := conflicts(); !slices.Equal(before, after) || len(before) != 1 {
		t.Errorf("open conflicts were %v, and are %v", before, after)
	}
}

// TestAThreadBesideTheSolvesMayBeClosed does what no log says.
func TestAThreadBesideTheSolvesMayBeClosed(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	o := swarm.Options{Agents: torn(), Journal: new(journal.Memory), Clock: func() time.Time { now = now.Add(time.Second); return now }}
	s := startOn(t, o)
	say := func(by, id string, ttl time.Duration) {
		t.Helper()
		p, err := s.Bus().Agent(by, bus.Permissions{})
		if err == nil {
			_, err = p.Publish(t.Context(), signals.New(signals.Header{Thread: "chat", TTL: ttl}, signals.Proposal{ProposalID: id, Content: "do " + id}))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	say("x", "this", time.Second)
	ask(t, s, 1)
	say("y", "that", 0)
	s.Bus().CloseThread("chat")
	say("z", "more", 0)
	say("z", "and more", 0)
	ask(t, s, 1)
	startAgain(t, s, o)
}

func TestAnAnsweredSolveLearnsTheOutcomeOnceForEachDecision(t *testing.T) {
	o := swarm.Options{Agents: torn(), Journal: new(journal.Memory), Conflicts: swarm.EscalateConflicts, Quorum: 1}
	s := startOn(t, o)
	asked := ask(t, s, 1)
	answered, err := s.Resume(t.Context(), asked.Log, vote("a", yes, 1))
	if err != nil || asked.Observed == answered.Observed {
		t.Fatal(err, asked.Observed, answered.Observed)
	}
	if err := s.Resolve(answered, "b"); err != nil {
		t.Fatal(err)
	}
	s = startAgain(t, s, o)
	if err := s.Resolve(asked, "a"); err != nil {
		t.Fatal(err)
	}
	startAgain(t, s, o)
}

// An outcome that names no decision is of all in its thread, as logs of earlier
// versions and of other programs have it.
func TestAnOutcomeWithoutANameIsOfAllDecisionsOfItsThread(t *testing.T) {
	log := newRecord(t)
	terms := swarm.Terms{Name: "x", Strategy: "x", Default: true, Learner: "x"}
	log.decide(terms, "one", 1)
	log.decide(terms, "two", 1)
	log.say(swarm.Outcome{ProposalID: "a"})
	r, err := replayed(t, log.journal)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(ledgerOf(t, r.Ledger("x")), `"known":[0,0]`); got == 0 {
		t.Errorf("got %s", ledgerOf(t, r.Ledger("x")))
	}
}

// A record writes a journal by hand.
type record struct {
	t       *testing.T
	journal *journal.Memory
	bus     *bus.Bus
	writer  *journal.Writer
	thread  string
}

func newRecord(t *testing.T) *record {
	t.Helper()
	b, err := bus.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &record{t: t, journal: new(journal.Memory), bus: b, thread: "t"}
	codec, err := signals.NewCodec(swarm.Kinds()...)
	if err == nil {
		r.writer, err = journal.Attach(t.Context(), b, r.journal, codec)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.writer.Close(context.Background()); b.Close() })
	return r
}

func (r *record) put(said signals.Any, err error) {
	r.t.Helper()
	var receipt bus.Receipt
	if err == nil {
		receipt, err = r.bus.System().Publish(r.t.Context(), said)
	}
	if err == nil {
		err = r.writer.Sync(r.t.Context(), receipt.Seq)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *record) say(p signals.Payload) {
	r.t.Helper()
	h := signals.Header{Thread: r.thread, Confidence: 1}
	switch p := p.(type) {
	case swarm.Outcome:
		r.put(signals.New(h, p), nil)
	case signals.Proposal:
		r.put(signals.New(h, p), nil)
	default:
		r.t.Fatalf("%T", p)
	}
}

// decide records terms and the decision of so many voters for "a" by confidence,
// which is what a ledger decides by at first.
func (r *record) decide(terms swarm.Terms, name string, voters int) {
	r.t.Helper()
	if !slices.ContainsFunc(slices.Collect(r.bus.History(bus.Filter{Threads: []string{r.thread}})), func(s signals.Any) bool { return s.Kind() == signals.KindProposal }) {
		r.say(signals.Proposal{ProposalID: "a", Content: "do a"})
	}
	r.put(terms.Open(r.thread))
	votes, err := consensus.NewRound(consensus.Default(), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	for v := range voters {
		p, err := r.bus.Agent(fmt.Sprint("v", v), bus.Permissions{})
		if err != nil {
			r.t.Fatal(err)
		}
		if _, err := p.Publish(r.t.Context(), signals.With(vote("a", yes, 1), signals.Header{Thread: r.thread, Confidence: 1})); err != nil {
			r.t.Fatal(err)
		}
	}
	for said := range r.bus.History(bus.Filter{Threads: []string{r.thread}}) {
		if err := swarm.Fold(votes, said, 1); err != nil {
			r.t.Fatal(err)
		}
	}
	r.put(swarm.Decided{Name: terms.Name, Observed: name}.Record(r.thread, votes.Decision()))
}

// TestRetainForgetsTheNamesThatTheLedgerForgot keeps four decisions.
func TestRetainForgetsTheNamesThatTheLedgerForgot(t *testing.T) {
	log := newRecord(t)
	terms := swarm.Terms{Name: "x", Strategy: "x", Default: true, Learner: "x", Learns: &reliability.Options{Window: 4}}
	for i := range 6 {
		log.thread = fmt.Sprint("thread-", i)
		log.decide(terms, fmt.Sprint("decision-", i), 1)
	}
	log.thread = "chat"
	log.say(signals.Proposal{ProposalID: "z", Content: "the last one stays"})
	if retain(t, log.journal, journal.Retention{Bytes: 1}) == 0 {
		t.Fatal("nothing was dropped")
	}
	snapshot, err := log.journal.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if state := string(snapshot.State); strings.Contains(state, "decision-0") || !strings.Contains(state, "decision-5") {
		t.Errorf("it keeps %s", state)
	}
}

func TestBusesOfOnesOwnStartAgain(t *testing.T) {
	for name, own := range map[string]bus.Options{
		"wide":              {Limits: signals.Limits{TextBytes: 1 << 24}},
		"without conflicts": {NoConflicts: true},
		"tight":             {Limits: signals.Limits{TextBytes: 100}},
	} {
		t.Run(name, func(t *testing.T) {
			newBus := func() *bus.Bus {
				b, err := bus.New(&own)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(b.Close)
				return b
			}
			long := strings.Repeat("x", 1<<18)
			o := swarm.Options{
				Agents:  []*agents.Agent{proposer("p", "a", long), proposer("q", "b", "do b"), voter("v", map[string]signals.Stance{"a": yes, "b": no})},
				Journal: new(journal.Memory), Bus: newBus(), Quorum: 1,
			}
			s := startOn(t, o)
			_, err := s.Solve(t.Context(), signals.Task{Task: long[:1000]})
			if (err != nil) != (name == "tight") {
				t.Error(err)
			}
			if name == "tight" && o.Journal.Last() != 0 {
				t.Errorf("%d records of what was refused", o.Journal.Last())
			}
			o.Bus = newBus()
			startAgain(t, s, o)
		})
	}
}

// TestAStrategyIsNotTakenForItsNamesake replays what "voting" did not decide.
func TestAStrategyIsNotTakenForItsNamesake(t *testing.T) {
	by := consensus.Func("voting", func(b consensus.Ballots) consensus.Decision { return consensus.Bayesian{}.Decide(b) })
	o := swarm.Options{Agents: panel(), Journal: new(journal.Memory), Strategy: by}
	s := startOn(t, o)
	live := ask(t, s, 1)
	shutdown(t, s)
	s = startOn(t, o)
	past, err := s.Past()
	if err != nil || len(past) != 1 || past[0].Decision.Support != live.Decision.Support || len(past[0].Decision.Tallies()) != 2 {
		t.Error(past, err)
	}
	if _, err := replayed(t, o.Journal); !errors.Is(err, swarm.ErrStrategy) {
		t.Errorf("got %v", err)
	}
}

func TestALibrarysStrategyIsKnownAgain(t *testing.T) {
	o := swarm.Options{Agents: panel(), Journal: new(journal.Memory), Strategy: consensus.Voting{}}
	s := startOn(t, o)
	ask(t, s, 1)
	shutdown(t, s)
	if _, err := replayed(t, o.Journal); err != nil {
		t.Error(err)
	}
}

// TestADifferenceKeepsNoSwarmFromStarting has logs that say something else than
// they derive to. They are the truth for who goes on with them.
func TestADifferenceKeepsNoSwarmFromStarting(t *testing.T) {
	lines := exported(t, journalled(t))
	for what, change := range map[string][2]string{
		"decision": {`"support":0.8333333333333334`, `"support":0.9`},
		"announce": {`"decision":"do `, `"decision":"don't `},
		"vote":     {`"stance":"agree"`, `"stance":"disagree"`},
		"conflict": {`"type":"conflict"`, `"type":"something:else"`},
		"observed": {`"observed":"solve-00000007-1",`, ``},
	} {
		t.Run(what, func(t *testing.T) {
			changed := strings.Replace(lines, change[0], change[1], 1)
			if changed == lines {
				t.Fatalf("the log has no %s", change[0])
			}
			path := filepath.Join(t.TempDir(), "j")
			if err := journal.Import(path, strings.NewReader(changed)); err != nil {
				t.Fatal(err)
			}
			j, err := journal.Open(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			if _, err := replayed(t, j); err == nil {
				t.Error("the change is not found")
			}
			for task := range 2 {
				s, err := openPanel(j)
				if err != nil {
					t.Fatal(err)
				}
				ask(t, s, task)
				past, err := s.Past()
				if err != nil || len(past) != 31+task {
					t.Errorf("%d solves, %v", len(past), err)
				} else if what == "decision" && past[0].Decision.Support != 0.9 {
					t.Errorf("support %v is not what the log says", past[0].Decision.Support)
				}
				shutdown(t, s)
			}
			retain(t, j, journal.Retention{Bytes: 1})
		})
	}
}

func TestThePastAsksWhatTheSolveAsked(t *testing.T) {
	escalates := func(id string) *agents.Agent {
		return &agents.Agent{ID: id, Reactor: agents.On(func(context.Context, *signals.Signal[signals.Task]) seq {
			return agents.Say(signals.New(signals.Header{Confidence: 1}, signals.Escalation{Reason: id + " asks", Context: "c"}))
		})}
	}
	o := swarm.Options{Agents: []*agents.Agent{escalates("x"), escalates("y")}, Journal: new(journal.Memory)}
	s := startOn(t, o)
	r := solve(t, s)
	past, err := s.Past()
	if err != nil || len(past) != 1 {
		t.Fatal(len(past), err)
	}
	if diff := cmp.Diff(r.Question, past[0].Question); diff != "" || r.Question.Asks != "x" {
		t.Errorf("the question (-live +past):\n%s", diff)
	}
}

// TestTimeGoesOnFromTheLog has a proposal that expired before the end.
func TestTimeGoesOnFromTheLog(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	o := swarm.Options{Agents: torn(), Journal: new(journal.Memory), Clock: func() time.Time { return now }}
	s := startOn(t, o)
	ask(t, s, 1)
	p, err := s.Bus().Agent("x", bus.Permissions{})
	if err == nil {
		_, err = p.Publish(t.Context(), signals.New(signals.Header{Thread: "chat", TTL: time.Minute}, signals.Proposal{ProposalID: "a", Content: "do a"}))
	}
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Hour)
	ask(t, s, 1)
	shutdown(t, s)
	s = startOn(t, o)
	defer s.Close()
	for said := range s.Bus().History(bus.Filter{Threads: []string{"chat"}}) {
		t.Errorf("%v is alive again", said)
	}
}

// TestACancelledSolveSaysThatTheJournalDidNotTakeIt has a turn that breaks the
// journal and ends the solve.
func TestACancelledSolveSaysThatTheJournalDidNotTakeIt(t *testing.T) {
	j := new(journal.Memory)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	breaks := &agents.Agent{ID: "x", Reactor: agents.Func(func(context.Context, *agents.Turn) seq {
		cancel()
		return agents.Fail(j.Close())
	})}
	s := startOn(t, swarm.Options{Agents: []*agents.Agent{breaks}, Journal: j})
	r, err := s.Solve(ctx, signals.Task{Task: "1"})
	if r.Stop != swarm.StopError || !errors.Is(err, journal.ErrClosed) {
		t.Errorf("got %v, %v", r.Stop, err)
	}
}

func TestAnOutcomeIsToldWhenTheJournalHasIt(t *testing.T) {
	j := new(journal.Memory)
	s := startOn(t, swarm.Options{Agents: torn(), Journal: j})
	r := ask(t, s, 1)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Resolve(r, "a"); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// TestWhoWatchesMayAppendToALog does so while the solve goes on.
func TestWhoWatchesMayAppendToALog(t *testing.T) {
	o := swarm.Options{Agents: torn(), Journal: new(journal.Memory), Conflicts: swarm.EscalateConflicts, Quorum: 1}
	s := startOn(t, o)
	r := ask(t, s, 1)
	for range 5 { // whatever room a slice has left
		again, err := s.Resume(t.Context(), r.Log, signals.New(signals.Header{Confidence: 1}, signals.Memory{Content: "c", Category: "c"}))
		if err != nil {
			break
		}
		r = again
	}
	mine := propose("mine", "mine")
	var logs [][]signals.Any
	for e, err := range swarm.Watch(t.Context(), o.Journal, r.Thread) {
		if err != nil {
			t.Fatal(err)
		}
		stopped, ok := e.(swarm.Stopped)
		if !ok {
			continue
		}
		logs = append(logs, append(stopped.Result.Log, mine))
		if len(stopped.Result.Log) == len(r.Log) {
			break
		}
	}
	for _, log := range logs {
		if log[len(log)-1] != mine {
			t.Error("what was appended was overwritten")
		}
	}
	if len(logs) < 2 {
		t.Errorf("it stopped %d times", len(logs))
	}
}

// TestAStopThatTheVotesDoNotSayIsFound has a solve that was turned down, which
// nothing announces.
func TestAStopThatTheVotesDoNotSayIsFound(t *testing.T) {
	o := swarm.Options{Agents: []*agents.Agent{proposer("p", "a", "do a"), voter("v", map[string]signals.Stance{"a": no}), voter("w", map[string]signals.Stance{"a": no})}, Journal: new(journal.Memory)}
	s := startOn(t, o)
	if r := ask(t, s, 1); r.Stop != swarm.StopRejected {
		t.Fatalf("got %v", r.Stop)
	}
	shutdown(t, s)
	lines := exported(t, o.Journal)
	for _, stop := range []string{"consensus", "deadlock", "uncertified"} {
		path := filepath.Join(t.TempDir(), "j")
		if err := journal.Import(path, strings.NewReader(strings.Replace(lines, `"stop":"rejected"`, `"stop":"`+stop+`"`, 1))); err != nil {
			t.Fatal(err)
		}
		v, err := journal.NewView(path)
		if err != nil {
			t.Fatal(err)
		}
		var d *swarm.Difference
		if _, err := replayed(t, v); !errors.As(err, &d) || d.What != "stop" {
			t.Errorf("%s: got %v", stop, err)
		}
	}
}
