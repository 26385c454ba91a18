package swarm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// ownLearner is the name of the swarm's ledger in the terms of its decisions.
const ownLearner = "swarm"

// openJournal restores the state from a journal, and continues to write it. It starts
// from the newest saved state, if there is one that can be read.
func (s *Swarm) openJournal() error {
	if s.opts.Journal == nil {
		return nil
	}
	codec, err := newCodec()
	if err != nil {
		return err
	}
	from, err := newestSaved(s.opts.Journal, codec)
	if err != nil {
		return err
	}
	owed, err := s.relearn(from, codec)
	if err != nil {
		return err
	}
	ctx := context.Background()
	if from == nil {
		s.writer, err = journal.Attach(ctx, s.bus, s.opts.Journal, codec)
	} else {
		s.writer, err = journal.Continue(ctx, s.bus, s.opts.Journal, codec)
	}
	if err == nil && len(owed) > 0 {
		err = s.bus.Feed(ctx, owed...)
	}
	if err == nil && len(s.standing) == 0 { // those go on by what had been learned when they began
		err = s.save(ctx, true)
	}
	return err
}

// relearn folds the ledger, and counts the threads that are taken. It trusts the log;
// a [Replay] that does not can check whether its records can be derived. It returns
// the conflicts whose signals the log lacks because it was cut off. If it starts from a
// saved state, it feeds the bus.
func (s *Swarm) relearn(from *beginning, codec *signals.Codec) ([]signals.Any, error) {
	replay, after, err := s.replayFrom(from, codec)
	if err != nil {
		return nil, err
	}
	defer replay.Close()
	for said, err := range journal.Signals(s.opts.Journal, codec, after) {
		if err == nil {
			err = replay.Next(said)
		}
		if err != nil {
			return nil, fmt.Errorf("the journal cannot be folded (swarmbus verify and swarmbus replay --check tell more): %w", err)
		}
	}
	s.folded.memory, s.folded.unclosed, s.folded.latest = *replay.memory(), replay.unclosed(), replay.latest
	s.time.Store(max(s.time.Load(), replay.latest))
	s.passed(replay.numbers[s.threadPrefix()])
	s.standing = replay.standing()
	if s.opts.Ledger != nil {
		if err := s.fill(s.opts.Ledger, replay.Ledger(ownLearner)); err != nil {
			return nil, err
		}
		s.opts.Ledger.LearnWhenTold()
		s.folded.Learners[ownLearner] = s.opts.Ledger
	}
	return replay.owed(), nil
}

// replayFrom returns a replay that accepts what it cannot derive, with the saved state
// if there is one, and the record after which it begins.
func (s *Swarm) replayFrom(from *beginning, codec *signals.Codec) (*Replay, uint64, error) {
	if from == nil {
		return replayOf(s.opts.Journal)
	}
	earlier, err := from.earlier(s.opts.Journal, codec)
	if err != nil {
		return nil, 0, err
	}
	replay, err := newReplay(from.record, &from.state.memory)
	if err != nil {
		return nil, 0, err
	}
	replay.trusting, replay.latest = true, from.state.Latest
	s.folded.at, s.folded.size = from.last.Head().Seq, uint64(from.size)
	for _, said := range earlier {
		err = cmp.Or(err, replay.recall(said))
	}
	if err = cmp.Or(err, s.feedFrom(from, earlier, codec)); err != nil {
		replay.Close()
		return nil, 0, err
	}
	return replay, from.record, nil
}

// fill makes an empty ledger the one that was folded from the journal, if there is one.
func (s *Swarm) fill(ledger, folded *reliability.Ledger) error {
	if folded == nil {
		return nil
	}
	if ours, theirs := ledger.Options(), folded.Options(); !reflect.DeepEqual(ours, theirs) {
		return &signals.FieldError{Field: "ledger", Value: fmt.Sprintf("%+v", ours), Problem: fmt.Sprintf("that of the journal has the options %+v", theirs)}
	}
	state, err := json.Marshal(folded)
	if err != nil {
		return err
	}
	return json.Unmarshal(state, ledger)
}

// newCodec returns a codec for the signals of a journal, which a bus has validated.
func newCodec() (*signals.Codec, error) {
	codec, err := signals.NewCodec(runlog.Kinds()...)
	if err == nil {
		codec.Limits.TextBytes = -1
	}
	return codec, err
}

// numbered parses the name of a swarm's thread; n is 0 for other threads.
func numbered(thread string) (prefix string, n uint64) {
	i := strings.LastIndexByte(thread, '-') + 1
	n, err := strconv.ParseUint(thread[i:], 10, 64)
	if err != nil {
		return "", 0
	}
	return thread[:i], n
}

// closeJournal waits until everything is written, or until ctx ends.
func (s *Swarm) closeJournal(ctx context.Context) error {
	if s.writer == nil {
		return nil
	}
	return s.writer.Close(ctx)
}

// recordTerms records the terms of the solve's decision, which depend on what
// is known at this point of the log.
func (r *solve) recordTerms(ctx context.Context) {
	s := r.swarm
	if s.writer == nil || r.result.Stop != 0 || r.standing() {
		return
	}
	s.recording.Lock()
	defer s.recording.Unlock()
	unlearn := func() {}
	if r.opts.Ledger != nil {
		unlearn = r.opts.Ledger.Learn()
	}
	by, fresh := r.opts.decideBy()
	known := *r.options() // includes voters that an answer added
	known.Reliabilities = fresh.Reliabilities
	err := r.countBy(by, &known)
	var open signals.Any
	if err == nil {
		open, err = r.onRecord().Open(r.result.Thread)
	}
	if err == nil {
		err = r.tryAnnounce(ctx, open)
	}
	if r.records.opened = err == nil; r.records.opened {
		s.folded.unclosed[r.result.Thread] = true
	} else {
		unlearn() // a replay of the log will not have learned here
		r.stop(StopError, "the terms cannot be recorded", err)
	}
}

// standing adopts the terms with which an earlier process opened the solve, and what
// had been learned then. It reports whether there are any, and whether they are still
// those of the team.
func (r *solve) standing() bool {
	terms := r.swarm.standing[r.result.Thread]
	if terms == nil || r.thread.Stage.Decided != nil {
		return false
	}
	ours, err := runlog.TextOf(r.onRecord())
	theirs, problem := runlog.TextOf(&terms.Terms)
	if ours != theirs || errors.Join(err, problem) != nil {
		return false
	}
	by, _ := r.thread.Votes.Terms()
	if terms.by != nil {
		by = terms.by
	}
	if err := r.countBy(by, terms.options); err != nil {
		r.stop(StopError, "the recorded terms cannot be applied", err)
	}
	r.records.opened = true
	return true
}

func (r *solve) onRecord() *runlog.Terms {
	by, options := r.thread.Votes.Terms()
	t := &runlog.Terms{
		Name: ownLearner, Strategy: by.Name(), Default: r.opts.Strategy == nil, Same: true, Weights: r.weights,
		NoConflicts: !r.swarm.bus.FindsConflicts(),
	}
	t.SetOptions(options)
	if r.opts.Ledger != nil {
		t.Learner = ownLearner
		if learns := r.opts.Ledger.Options(); !reflect.DeepEqual(learns, reliability.Options{}) {
			t.Learns = &learns
		}
	}
	if known, err := consensus.Lookup(t.Strategy); !t.Default {
		t.Own = err != nil || !reflect.DeepEqual(known, by)
	}
	return t
}

// record records the decision, and learns from its votes if the log accepted it. With
// a journal, it does nothing if there are no terms on record.
func (r *solve) record(ctx context.Context) {
	s := r.swarm
	s.recording.Lock()
	defer s.recording.Unlock()
	if s.writer == nil {
		r.result.Observed = r.observe(r.opts.Ledger.Observe)
		return
	}
	if !r.records.opened {
		return
	}
	votes, name := r.votes().Ballots(), r.observe(r.opts.Ledger.Check)
	err := r.recordDecision(ctx, name)
	if err == nil && name != "" {
		err = r.opts.Ledger.Observe(name, votes)
	}
	if err != nil {
		r.result.Stop, r.result.Detail, r.result.Err = StopError, "the decision cannot be recorded", err
		return
	}
	if name != "" {
		s.folded.observe(r.result.Thread, name)
	}
	r.result.Observed = name
}

func (r *solve) recordDecision(ctx context.Context, observed string) error {
	made := runlog.Decided{Name: ownLearner, Closed: r.votes().Closed(), Quorum: r.thread.Votes.Quorum(), Observed: observed, Stop: r.result.Stop, Detail: r.result.Detail}
	if made.Stop != StopConsensus {
		made.Withheld = r.withholds(r.result.Decision)
	}
	said, err := made.Record(r.result.Thread, r.result.Decision)
	if err != nil {
		return err
	}
	if err = r.tryAnnounce(ctx, said); err == nil && made.ClosesThread() {
		delete(r.swarm.folded.unclosed, r.result.Thread)
	}
	return err
}

// keep waits until the journal has acknowledged the whole solve.
func (r *solve) keep(ctx context.Context) {
	s := r.swarm
	if s.writer == nil || len(r.thread.Log) == 0 {
		return
	}
	last := r.thread.Log[len(r.thread.Log)-1].Head().Seq
	err := s.writer.Sync(ctx, last)
	if err != nil && ctx.Err() != nil {
		inTime, cancel := r.inTime(ctx)
		defer cancel()
		err = s.writer.Sync(inTime, last)
	}
	if err != nil {
		r.result.Stop, r.result.Detail, r.result.Err = StopError, "the journal did not accept all of it", err
		return
	}
	_ = s.save(ctx, false) // only the next start takes longer
}

// publishOutcome records an outcome and, if the log accepted it, resolves it in the
// ledger.
func (s *Swarm) publishOutcome(r *Result, right string) error {
	ctx := context.Background()
	told := signals.New(
		signals.Header{Thread: r.Thread, Confidence: 1, Time: s.now(), TTL: forever}, runlog.Outcome{ProposalID: right, Observed: r.Observed},
	)
	receipt, err := s.bus.System().Publish(ctx, told)
	if err == nil {
		err = s.opts.Ledger.Resolve(r.Observed, right)
	}
	if err != nil {
		return err
	}
	return s.writer.Sync(ctx, receipt.Seq)
}
