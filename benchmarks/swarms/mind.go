package main

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/mode"
)

// A session holds the knowledge of a team's planted agents about the questions, and their cost.
type session struct {
	mu       sync.Mutex
	question *question
	checks   int // that an agent makes of its own answer
	cost     float64
	minds    []*mind
}

// A mind is an agent of a world. Several agents of a team may have the same mind.
type mind struct {
	*session
	who   int // in the world
	name  string
	again int // its place among the agents with this mind
	asked int // how often, in the question
	holds int // the answer that it holds; -1: none
	knows map[int]bool
	ran   bool       // its proof through a tool, for all to see
	shown signals.ID // a result of that which it has heard
	why   signals.ID // what has convinced it in this turn
}

// ask gives the team a question.
func (s *session) ask(q *question) {
	s.question, s.cost = q, 0
	for _, m := range s.minds {
		m.asked, m.holds, m.knows = m.again<<16, -1, map[int]bool{m.who: true}
		m.ran, m.shown = false, signals.ID{}
	}
}

// agent returns the mind as an agent.
func (m *mind) agent(w *world) *agents.Agent {
	return &agents.Agent{ID: m.name, Group: fmt.Sprint("model", w.family[m.who]), Reactor: agents.Func(m.react)}
}

func (m *mind) react(ctx context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
	m.pay(t)
	r := m.question.chance(m.who, m.asked)
	m.asked++
	switch t.Ask {
	case agents.AskFacts:
		return m.tell(r, m.question.asked)
	case agents.AskVerdict:
		return m.accept(t, r)
	case agents.AskAnswer:
		m.learn(t)
		return m.propose(ctx, t, m.question.think(m.who, m.knows, r))
	}
	return m.talk(ctx, t, r)
}

// pay adds the cost of the turn: a call, a quarter of one for each agent that it reads, and
// a quarter for its own history.
func (m *mind) pay(t *agents.Turn) {
	peers := map[string]bool{}
	for _, s := range t.New {
		if from := s.Head().Source; from != "system" {
			peers[from] = true
		}
	}
	if t.Ask == agents.AskVerdict { // one argument may be the judge's own
		peers = map[string]bool{}
		for _, p := range t.Proposals {
			peers[p.ID()] = true
		}
	}
	price := 1 + mode.Reading*float64(len(peers))
	if t.Ask == 0 && t.Round > 1 {
		price += mode.Reading
	}
	for n := range m.checks {
		price += 1 + mode.Reading*float64(n+1)
	}
	m.mu.Lock()
	m.cost += price
	m.mu.Unlock()
}

func (m *mind) tell(r *rand.Rand, often float64) iter.Seq2[signals.Any, error] {
	if !m.question.private || r.Float64() >= often {
		return agents.Emit(agents.Pass("I know what all know"))
	}
	return agents.Emit(m.piece())
}

func (m *mind) piece() signals.Any {
	return signals.New(signals.Header{Confidence: .9}, signals.Discovery{Finding: fmt.Sprintf("piece %d", m.who), Relevance: 1})
}

// learn takes the pieces of evidence in the agent's inbox, and notes a proof that was run.
func (m *mind) learn(t *agents.Turn) {
	for _, s := range t.New {
		if s.Kind() == signals.KindToolResult {
			m.shown = s.Head().ID
		}
		if d, ok := signals.As[signals.Discovery](s); ok {
			var piece int
			if _, err := fmt.Sscanf(d.Payload.Finding, "piece %d", &piece); err == nil {
				m.knows[piece] = true
			}
		}
	}
}

const proof = "a proof"

// argument returns the reason that the agent gives: a proof if it has one, or, if it is
// wrong, one that does not hold.
func (m *mind) argument(answer int) string {
	switch {
	case answer == 0 && m.question.proof[m.who] && !m.question.hostile[m.who]:
		return proof
	case answer != 0:
		return "an argument"
	}
	return ""
}

// propose answers. It checks its answer first if it is a team of one that does.
func (m *mind) propose(ctx context.Context, t *agents.Turn, answer int) iter.Seq2[signals.Any, error] {
	q := m.question
	for range m.checks {
		r := q.chance(m.who, m.asked)
		m.asked++
		if !q.hostile[m.who] && m.argument(answer) != proof && r.Float64() < q.redraw {
			answer = q.think(m.who, m.knows, r)
		}
	}
	m.holds = answer
	id := fmt.Sprintf("%s-%d", m.name, t.Round)
	said := []signals.Any{agents.Propose(id, q.label(answer), confidence(q, m), m.argument(answer))}
	if t.Ask == 0 {
		said = append(m.run(ctx, answer), said...)
		said = append(said, m.agree(id, answer))
	}
	return agents.Emit(said...)
}

// run returns the result of the agent's proof of an answer, if it has one that it has not run: in a
// deliberation others can see that it holds.
func (m *mind) run(ctx context.Context, answer int) []signals.Any {
	if m.ran || m.argument(answer) != proof {
		return nil
	}
	m.ran = true
	return []signals.Any{agents.Returned(ctx, signals.ToolResult{ToolName: "run", Result: m.question.label(answer) + " holds", TriggeredBy: m.name})}
}

// agree returns the agent's vote for an answer, which replies to what has convinced it.
func (m *mind) agree(id string, answer int) signals.Any {
	vote := agents.Agree(id, confidence(m.question, m), m.argument(answer))
	h := vote.Head()
	h.ReplyTo = m.why
	return signals.With(vote, h)
}

// confidence returns a confidence as models state it: high, and hardly related to being right.
func confidence(q *question, m *mind) float64 {
	return min(.99, max(.6, .88+.06*q.chance(m.who, 1<<24+m.asked).NormFloat64()))
}

// accept judges the arguments for answers.
func (m *mind) accept(t *agents.Turn, r *rand.Rand) iter.Seq2[signals.Any, error] {
	q := m.question
	vote := func(answer int) iter.Seq2[signals.Any, error] {
		for _, p := range t.Proposals {
			if q.answers[p.Proposal.Payload.Content] == answer {
				return agents.Emit(agents.Agree(p.ID(), .9, "its argument holds"))
			}
		}
		return agents.Emit(agents.Pass("no argument holds"))
	}
	if q.attacks(m.who) {
		return vote(q.decoy)
	}
	proven := slices.ContainsFunc(t.Proposals, func(p agents.Standing) bool { return p.Proposal.Payload.Reasoning == proof })
	switch {
	case proven && r.Float64() < q.accepts:
		return vote(0)
	case r.Float64() < q.deceived:
		return vote(q.anyWrong(r))
	}
	return vote(-1)
}

// talk is a turn of a deliberation.
func (m *mind) talk(ctx context.Context, t *agents.Turn, r *rand.Rand) iter.Seq2[signals.Any, error] {
	q := m.question
	m.learn(t)
	m.why = signals.ID{}
	if m.holds < 0 {
		first := m.propose(ctx, t, q.think(m.who, m.knows, r))
		if q.private && r.Float64() < q.tells {
			return func(yield func(signals.Any, error) bool) {
				first(yield)
				yield(m.piece(), nil)
			}
		}
		return first
	}
	before := m.holds
	after := m.change(t, r)
	var said []signals.Any
	if q.private && r.Float64() < q.tells {
		said = append(said, m.piece())
	}
	if after == before {
		return agents.Emit(append(said, agents.Pass("I hold what I held"))...)
	}
	m.holds = after
	said = append(said, m.run(ctx, after)...)
	made := false
	for _, p := range t.Proposals {
		switch q.answers[p.Proposal.Payload.Content] {
		case after:
			made, said = true, append(said, m.agree(p.ID(), after))
		case before:
			said = append(said, agents.Disagree(p.ID(), confidence(q, m), "I have changed my mind"))
		}
	}
	if !made {
		for s, err := range m.propose(ctx, t, after) {
			if err == nil {
				said = append(said, s)
			}
		}
	}
	return agents.Emit(said...)
}

// change returns the answer that an agent holds after it has heard the others.
func (m *mind) change(t *agents.Turn, r *rand.Rand) int {
	q, now := m.question, m.holds
	if q.attacks(m.who) || q.stubborn[m.who] {
		return now
	}
	if q.private || m.argument(now) != proof && r.Float64() < q.redraw {
		now = q.think(m.who, m.knows, r)
	}
	count, others, enemies, proven := make([]int, q.world.answers), 0, 0, false
	for _, o := range m.minds {
		held := said(q, t, o)
		if o == m || held < 0 {
			continue
		}
		count[held]++
		others++
		proven = proven || held == 0 && q.proof[o.who] && !q.hostile[o.who]
		if q.hostile[o.who] {
			enemies++
		}
	}
	sure := now == 0 && q.proof[m.who]
	if !sure && now != 0 && proven && r.Float64() < q.accepts {
		now, sure, m.why = 0, true, m.shown
	}
	if sure || others == 0 {
		return now
	}
	if r.Float64() < q.deceived {
		if a := pick(count, others, r); a != 0 {
			now = a
		}
	}
	leads := slices.Index(count, slices.Max(count))
	if r.Float64() >= .7 {
		leads = pick(count, others, r)
	}
	conform := q.conform
	if q.follows[m.who] {
		conform = .85
	}
	adopts := conform * (.5 + .5*float64(count[leads])/float64(others))
	if now == 0 {
		adopts *= 1 - q.truth
	} else if leads == 0 {
		adopts *= 1 + q.truth
	}
	if now != leads && r.Float64() < adopts {
		now = leads
	}
	if enemies > 0 && now != q.decoy && r.Float64() < 1-math.Pow(1-q.persuades, float64(enemies)) {
		now = q.decoy
	}
	return now
}

// pick returns the answer of one of those counted.
func pick(count []int, of int, r *rand.Rand) int {
	n := r.IntN(of)
	for a, c := range count {
		if n -= c; n < 0 {
			return a
		}
	}
	return 0
}

// said returns the answer that an agent agrees with according to the turn; -1: none.
func said(q *question, t *agents.Turn, o *mind) int {
	for _, p := range slices.Backward(t.Proposals) {
		if v := p.VoteOf(o.name); v != nil && v.Payload.Stance == signals.Agree {
			return q.answers[p.Proposal.Payload.Content]
		}
	}
	return -1
}
