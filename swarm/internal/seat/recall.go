package seat

import (
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A Recall restores the seats of a roster from a log: what the agents are still to hear,
// and how far the turns of the last round have come.
type Recall struct {
	// Stopped says that the solve stopped and continues: turns that failed in the round
	// may not fail again.
	Stopped bool

	seats   Roster
	spoke   *Seat   // the agent that spoke last: its turn may have more signals
	last    int     // the last seat with signals in the round; the turns of earlier seats are over
	failing []*Seat // the agents whose turns failed since one spoke
}

// NewRecall returns a recall that begins with the first signal of a log.
func NewRecall(seats Roster) *Recall { return &Recall{seats: seats, last: -1} }

// Take takes the next signal of the log, after which its thread is t and before which the
// thread had that mark. It returns the turns that begin with it.
func (p *Recall) Take(s signals.Any, t *runlog.Thread, before runlog.Mark) (begun []*Turn, err error) {
	p.deliver(s)
	for _, late := range t.Turns.Late[before.Late:] {
		p.late(late)
	}
	for _, failed := range t.Turns.Failed[before.Failed:] {
		p.failed(failed)
	}
	for _, refused := range t.Turns.Refused[before.Refused:] {
		p.refused(s, refused)
	}
	switch of := s.Body().(type) {
	case asking.Call:
		if t.Questions.Asks(of.ID) {
			p.asks(of.Agent, of.Turn)
		}
	case runlog.Failed:
		if of.Asks { // in a log from before questions were signals
			p.asks(of.Agent, of.Round)
		}
	}
	now := t.Mark()
	if now.Decided != nil && now.Decided != before.Decided {
		p.Stopped = true
		if now.Decided.Payload.Stop.GoesOn() {
			p.seats.retry(t.Calls.Plan() != nil)
		}
		for _, t := range p.seats.Turns() {
			t.Taking++
			t.Again = t.Failed && now.Decided.Payload.Stop.GoesOn()
		}
	}
	if now.Answered != before.Answered {
		p.seats.DropTurns()
	}
	if now.Began == before.Began {
		return nil, nil
	}
	turns, err := now.Began.Payload.All()
	if err != nil {
		return nil, err
	}
	*p = Recall{seats: p.seats, last: -1}
	return p.began(turns), nil
}

// deliver passes a signal to the seats that get it.
func (p *Recall) deliver(said signals.Any) {
	h := said.Head()
	for i, s := range p.seats {
		switch {
		case h.Source == s.Agent.ID:
			if t := s.Turn; t != nil && t.Round == int(h.Round) {
				t.logged = append(t.logged, said)
				if t.Again { // a failure would have come first
					t.Failed, t.Again = false, false
				}
			}
			p.spoke, p.last, p.failing = s, max(p.last, i), nil
		case s.Wants(said) && !s.Out:
			s.deliver(said)
		}
	}
}

func (p *Recall) late(late runlog.Late) {
	i := p.seats.place(late.Agent)
	if i < 0 {
		return
	}
	p.last = max(p.last, i)
	if t := p.seats[i].Turn; t != nil && t.Round == late.Round {
		t.State = Late
	}
}

func (p *Recall) failed(failed runlog.Failed) {
	i := p.seats.place(failed.Agent)
	if i < 0 {
		return
	}
	s := p.seats[i]
	p.spoke, p.last, p.failing = s, max(p.last, i), append(p.failing, s)
	if t := s.Turn; t != nil && t.Round == failed.Round {
		t.Failed, t.Again = true, false
		s.Fail(t, failed.Err())
	}
}

// asks notes that a question names a turn: it is taken again when the solve goes on.
func (p *Recall) asks(agent string, round int) {
	i := p.seats.place(agent)
	if i < 0 {
		return
	}
	s := p.seats[i]
	p.spoke, p.last = s, max(p.last, i)
	if t := s.Turn; t != nil && t.Round == round {
		t.Asks = true
	}
}

// refused notes the record of a signal that was refused as one of its turn.
func (p *Recall) refused(record signals.Any, refused runlog.Refused) {
	i := p.seats.place(refused.Agent)
	if i < 0 {
		return
	}
	s := p.seats[i]
	p.spoke, p.last = s, max(p.last, i)
	if t := s.Turn; t != nil && t.Round == refused.Round {
		t.logged = append(t.logged, record)
	}
}

// began restores the turns that a round began. All earlier turns are over, except late
// ones.
func (p *Recall) began(turns []runlog.BegunTurn) (begun []*Turn) {
	for _, s := range p.seats {
		if s.Turn != nil && s.Turn.State != Late {
			s.Turn = nil
		}
	}
	for _, b := range turns {
		if s := p.seats.Of(b.Agent); s != nil {
			begun = append(begun, s.Begin(s.hearAgain(b)))
		}
	}
	return begun
}

// Close ends the turns that are complete in the log: those of the last round
// before the last one with signals, since turns are committed in order, or all of it if
// the next round was about to begin. One that a question names goes on, and so do those that
// failed one after the other since somebody spoke: the solve may have been about to stop for them.
func (p *Recall) Close(next bool) {
	for i, s := range p.seats {
		switch t := s.Turn; {
		case t == nil, t.Asks:
		case t.State == Stopped,
			s != p.spoke && t.State == Late && t.ended() && !t.Again,
			t.State == Awaited && (next || i < p.last && s != p.spoke && !slices.Contains(p.failing, s)) && (!t.Failed || !p.Stopped):
			s.Turn = nil
		}
	}
}

// hearAgain is Hear for a turn of an earlier log.
func (s *Seat) hearAgain(begun runlog.BegunTurn) *agents.Turn {
	t := &agents.Turn{Agent: s.Agent.ID, Heard: s.memory.heard, Said: s.memory.said}
	var later []signals.Any
	waited := map[uint64]int{}
	for _, heard := range s.before {
		switch seq := heard.Head().Seq; {
		case slices.Contains(begun.Waiting, seq):
			later, waited[seq] = append(later, heard), s.waited[seq]+1
		case seq > begun.Through:
			later = append(later, heard)
		case !s.router.takeBack(heard):
			t.New = append(t.New, heard)
		}
	}
	s.before, s.waited = later, waited
	s.router.handAgain(t, begun.Through)
	s.memory.hear(remembered(t)...)
	return t
}

// again makes what the agent heard in its last turns new to it once more.
func (s *Seat) again(turns ...*Turn) {
	s.memory.heard = turns[0].Heard
	for _, t := range slices.Backward(turns) {
		s.before = slices.Concat(t.New, s.before)
		s.router.giveBack(t)
	}
	inOrder(s.before)
}
