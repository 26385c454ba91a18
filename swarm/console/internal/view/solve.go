package view

import (
	"cmp"
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// A solve is the fold of a thread, with what is shown of it. Said and steps are only
// appended to, so that readers share them.
type solve struct {
	*replay.Thread
	run            string
	began, updated time.Time

	said   []api.Said
	steps  []api.Step
	ballot ballots
	talks  talks

	rounds  []api.Round
	lanes   []string
	seqs    map[signals.ID]uint64
	costs   map[string]api.Cost
	counted *replay.Terms // by which the votes count; nil: not yet

	text   api.Synthesis // of the first texted signals
	texted int
	fields []api.Field // likewise

	now     consensus.Decision // on the votes as they are
	revised *solves.Revision   // by what is left; nil: nothing was taken back after the decision
	need    need
}

// need is the support that a decision needs.
type need struct {
	threshold float64
	quorum    int
}

func newSolve(run string, t *replay.Thread) *solve {
	return &solve{Thread: t, run: run, seqs: map[signals.ID]uint64{}, costs: map[string]api.Cost{}, ballot: newBallots()}
}

func (s *solve) id() string { return s.run + "." + s.Name }

// apply shows the newest signal of the thread, and returns its frame for clients.
func (s *solve) apply(said signals.Any) api.Frame {
	h := said.Head()
	if s.began.IsZero() {
		s.began = h.Time
	}
	s.updated, s.seqs[h.ID] = h.Time, h.Seq
	frame := api.Frame{Type: api.FrameSignal, Log: s.run, Seq: h.Seq, Time: &s.updated, Kind: string(said.Kind())}
	s.revised = solves.RevisionOf(s.Thread)
	s.count()
	words := s.describe(said)
	v, ok := signals.As[signals.Vote](said)
	if p, proposed := signals.As[signals.Proposal](said); proposed {
		v = s.Calls.Vote(p)
		ok = v != nil
	}
	if ok {
		vote := s.ballot.cast(s, v)
		s.ballot.withdraw(s, said)
		vote.Out = s.ballot.list[len(s.ballot.list)-1].Out
		words.Was, words.Proposal = vote.Was, vote.Proposal
		frame.Vote = &vote
	} else {
		s.ballot.withdraw(s, said)
	}
	s.lane(h.Source)
	s.talks.apply(s, said)
	s.round(said)
	s.said = append(s.said, words)
	if step, ok := s.step(said); ok {
		s.steps, frame.Step = append(s.steps, step), &step
	}
	summary := s.summary()
	frame.Said, frame.Changes, frame.Solve = &words, changes(said), &summary
	return frame
}

// lane notes the speakers: agents in the order in which they spoke first, then people.
func (s *solve) lane(source string) {
	if source != bus.System && !slices.Contains(s.lanes, source) {
		s.lanes = append(s.lanes, source)
	}
}

// changes returns the parts of the detail that a signal may change.
func changes(s signals.Any) []string {
	switch s.Body().(type) {
	case signals.Proposal, runlog.Same, signals.Vote, signals.Retraction:
		return []string{"proposals"}
	case runlog.Began:
		return []string{"rounds", "debates"}
	case runlog.Late, runlog.Failed, agents.Passed:
		return []string{"rounds"}
	case signals.Conflict:
		return []string{"conflicts"}
	case signals.Challenge:
		return []string{"debates"}
	case signals.Escalation, runlog.Answered:
		return []string{"escalations"}
	case runlog.Opened:
		return []string{"terms"}
	case runlog.Decided, signals.Consensus, runlog.Outcome:
		return []string{"decision", "proposals", "conflicts"}
	}
	if s.Kind() == conflict.KindResolved {
		return []string{"conflicts", "debates", "proposals"}
	}
	return nil
}

// round notes rounds, and the turns that have records.
func (s *solve) round(said signals.Any) {
	h := said.Head()
	if p, ok := said.Body().(runlog.Began); ok {
		r := api.Round{Round: int(h.Round), Seq: h.Seq, Time: h.Time, Turns: []string{}}
		begun, _ := p.All() // the codec checked it
		for _, t := range begun {
			r.Turns = append(r.Turns, t.Agent)
			s.lane(t.Agent)
		}
		if p.Debate.Round > 0 {
			r.Debate = p.Debate.String()
		}
		s.rounds = append(s.rounds, r)
		return
	}
	if len(s.rounds) == 0 {
		return
	}
	switch last := &s.rounds[len(s.rounds)-1]; p := said.Body().(type) {
	case runlog.Late:
		last.Late = append(last.Late, p.Agent)
	case runlog.Failed:
		last.Failed = append(last.Failed, p.Agent)
	case agents.Passed:
		last.Passed = append(last.Passed, h.Source)
	}
}

func (s *solve) spend(agent string, c agents.Cost) {
	s.costs[agent] = plus(s.costs[agent], api.Cost{
		Calls: c.Calls, InputTokens: c.InputTokens, CachedTokens: c.CachedTokens, OutputTokens: c.OutputTokens,
		Dollars: c.Dollars, Seconds: c.Time.Seconds(),
	})
}

func plus(a, b api.Cost) api.Cost {
	return api.Cost{
		Calls: a.Calls + b.Calls, InputTokens: a.InputTokens + b.InputTokens, CachedTokens: a.CachedTokens + b.CachedTokens,
		OutputTokens: a.OutputTokens + b.OutputTokens, Dollars: a.Dollars + b.Dollars, Seconds: a.Seconds + b.Seconds,
	}
}

// summary returns the solve as it is in a list.
func (s *solve) summary() api.Solve {
	of := api.Solve{
		ID: s.id(), Run: s.run, Thread: s.Name, Task: s.Task().Task, State: api.Running,
		Agents: len(s.lanes), Rounds: s.Turns.Rounds, Signals: len(s.Log),
		Began: s.began, Updated: s.updated, Seq: s.Log[len(s.Log)-1].Head().Seq, Threshold: consensus.DefaultThreshold,
	}
	of.Spark, of.Quorate = s.spark()
	for _, agent := range slices.Sorted(maps.Keys(s.costs)) { // a sum of floats goes by their order
		of.Cost = plus(of.Cost, s.costs[agent])
	}
	if s.Votes.Round() != nil {
		d := s.now
		of.Voters, of.Threshold, of.Quorum = d.Voters, s.need.threshold, s.need.quorum
		if id := d.Leader(); id != "" {
			of.Leader = &api.Leader{Proposal: id, Content: s.content(id), Support: d.Support, Confidence: d.Confidence, Learned: d.Learned}
		}
	}
	if s.Stage.Stopped() {
		s.stopped(&of)
	}
	return of
}

// stopped returns why the solve stopped.
func (s *solve) stopped(of *api.Solve) {
	d := s.Stage.Decided.Payload
	stop := cmp.Or(d.Stop, runlog.StopFor(s.Last.Outcome))
	of.Stop, of.Detail, of.Ended = stop.String(), s.told(stop, d.Detail), &s.Stage.Decided.Time
	switch stop {
	case runlog.StopConsensus:
		of.State, of.Answer = api.Decided, s.Stage.Announced.Payload.Decision
	case runlog.StopSettled, runlog.StopAnswered:
		of.State, of.Answer = api.Decided, s.content(s.Last.Choice)
	case runlog.StopEscalated:
		of.State, of.Waits = api.Waiting, 1
	case runlog.StopAsked:
		of.State = api.Waiting
		of.Waits = len(s.Questions.Open())
	case runlog.StopCancelled:
		of.State = api.Interrupted
	case runlog.StopError:
		of.State = api.Failed
	default:
		of.State = api.Undecided
	}
	of.Revised = s.revised != nil && s.revised.Changed && of.State != api.Waiting
}

// told says why the solve stopped, with the sentence of its decision.
func (s *solve) told(stop runlog.StopReason, detail string) string {
	r := solves.Result{Stop: stop, Detail: detail, Decision: s.Last}
	for _, f := range s.Turns.Failed {
		r.Failed = append(r.Failed, solves.TurnFailed{Agent: f.Agent, Round: f.Round, Err: f.Err()})
	}
	return r.Sentence(s.called)
}

// content returns the content of a proposal.
func (s *solve) content(id string) string {
	if p := s.Votes.Of(id); p != nil {
		return p.Proposal.Payload.Content
	}
	return ""
}

// spark returns the leader's support over time, in at most 32 points, and the index of the first
// one with a quorum.
func (s *solve) spark() (all []float64, quorate int) {
	const most = 32
	all = make([]float64, 0, most)
	n := len(s.steps)
	quorate = min(n, most)
	for i := range min(n, most) {
		at := i
		if n > most {
			at = i * (n - 1) / (most - 1)
		}
		all = append(all, s.steps[at].Support[s.steps[at].Leader])
		if s.steps[at].Voters >= s.need.quorum {
			quorate = min(quorate, i)
		}
	}
	return all, quorate
}

// detail returns the whole state of the solve.
func (s *solve) detail(after uint64) api.SolveDetail {
	of := api.SolveDetail{
		Solve: s.summary(), Context: s.Task().Context, Ref: s.Task().Ref, Lanes: slices.Clone(s.lanes), Terms: s.terms(),
		Proposals: s.proposals(), Votes: s.ballot.after(after), Said: since(s.said, after, func(w api.Said) uint64 { return w.Seq }),
		Steps: since(s.steps, after, func(w api.Step) uint64 { return w.Seq }), RoundList: slices.Clone(s.rounds),
		Conflicts: s.conflicts(), Debates: s.talks.all(), Escalations: s.escalations(), Calls: s.calls(), Costs: []api.AgentCost{}, Obstacles: []string{},
		Decision: s.recorded(), Turn: s.turning(), Rests: s.rests(),
	}
	of.RoundList = append([]api.Round{}, of.RoundList...)
	of.Lanes = append([]string{}, of.Lanes...)
	for _, agent := range slices.Sorted(maps.Keys(s.costs)) {
		of.Costs = append(of.Costs, api.AgentCost{Agent: agent, Cost: s.costs[agent]})
	}
	for _, o := range s.Obstacles() {
		of.Obstacles = append(of.Obstacles, o.String())
	}
	if s.Stage.Stopped() && of.State != api.Waiting {
		of.Revision, of.Synthesis = s.revision(), s.synthesis()
		of.Fields = s.fields
	}
	if of.State == api.Waiting && s.revised != nil { // what it was asked on is not what it will be decided on
		of.Decision = s.decided(s.revised.Decision)
	}
	if h := s.Log[0].Head(); h.Trace != nil {
		of.Trace = &api.Trace{ID: hex.EncodeToString(h.Trace.TraceID[:])}
	}
	return of
}

// since returns what comes after a position. The slice is shared.
func since[T any](all []T, after uint64, seq func(T) uint64) []T {
	i, _ := slices.BinarySearchFunc(all, after+1, func(t T, at uint64) int {
		switch got := seq(t); {
		case got < at:
			return -1
		case got > at:
			return 1
		}
		return 0
	})
	return append([]T{}, all[i:]...)
}
