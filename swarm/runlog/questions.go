package runlog

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// A Question is one to a person: about the call of a tool, or an escalation.
type Question struct {
	ID     string // commits to what is asked; an answer names it
	Thread string
	Asks   string    // who asks: an agent, or the system for a conflict
	Seq    uint64    // of the signal that asks; 0: a record before questions were signals
	Since  time.Time // when it was asked
	// Priority is that of the signal that asks: 0 of most, above it what is urgent.
	Priority int16
	// Expires is when it is denied if nobody has answered; zero: never.
	Expires time.Time
	Reason  string // why
	// Context is what an escalation says beside the reason.
	Context string
	// Approval says that the answer begins with [reports.Approve] or [reports.Refuse].
	Approval bool
	// Call is the call of a tool that is asked about; nil: an escalation.
	Call *asking.Call
	// Open says that the question waits for an answer. Without one it has ended if it was
	// asked anew, or the agent or the thread went on without.
	Open   bool
	Answer *Said // the one that counts; nil: there is none
}

// Said is what somebody outside has answered.
type Said struct {
	By      string
	From    asking.Answerer // about a call: what By is; "": a person, as the answer says
	At      time.Time
	Seq     uint64         // of the signal that says it; 0: the log does not have it
	Verdict asking.Verdict // about a call
	Text    string         // the reason of a verdict
	Args    string         // of the verdict Edit
	Signal  signals.Any    // the answer to an escalation; nil: the log does not have it
}

// String describes the answer in words.
func (s *Said) String() string {
	what := cmp.Or(string(s.Verdict), "answered")
	if s.Text != "" {
		what += ": " + s.Text
	}
	who := asking.Answer{By: s.By, From: s.From}.Who()
	return fmt.Sprintf("%s said %q at %s", who, clip(what), s.At.Format(time.RFC3339))
}

// Standing reports whether the answer to the question allows further calls, until it is taken back.
func (q *Question) Standing() bool {
	return q.Answer != nil && q.Answer.Verdict == asking.Solve && q.Answer.Seq > 0
}

// Questions are those of a thread, in the order in which they were asked. The zero value has
// none.
type Questions struct {
	all     []Question
	answers []asking.Answered
	team    Insiders // whose turns have begun
	last    *signals.Signal[Answered]
	stopped bool      // the thread waits for the answer to an escalation
	newest  time.Time // signal
}

// All returns the questions.
func (q *Questions) All() []Question { return slices.Clone(q.all) }

// Clone returns a copy.
func (q *Questions) Clone() Questions {
	return Questions{all: slices.Clone(q.all), answers: slices.Clone(q.answers), newest: q.newest}
}

// Open returns those about calls of tools that wait for an answer.
func (q *Questions) Open() (open []Question) {
	for _, of := range q.all {
		if of.Open && of.Call != nil {
			open = append(open, of)
		}
	}
	return open
}

// Asks reports whether the question with that id has been asked.
func (q *Questions) Asks(id string) bool { return q.of(id) != nil }

// Of returns the question with that id, and whether it has been asked.
func (q *Questions) Of(id string) (Question, bool) {
	if of := q.of(id); of != nil {
		return *of, true
	}
	return Question{}, false
}

func (q *Questions) of(id string) *Question {
	i := slices.IndexFunc(q.all, func(of Question) bool { return of.ID == id })
	if i < 0 {
		return nil
	}
	return &q.all[i]
}

// Answers returns the answers about calls, for [asking.With].
func (q *Questions) Answers() []asking.Answered { return slices.Clone(q.answers) }

// Answer returns what the system has to publish to answer a question about a call: the answer,
// after the question if that is not a signal yet. With a [*signals.FieldError] it refuses an answer to
// what is not asked, one that the question does not take ([asking.Call.Takes]), and one under the name
// of an agent of the solve; with an [*AnsweredError] that has the first one, one to what has been
// answered.
func (q *Questions) Answer(a asking.Answer) (say []signals.Any, err error) {
	wrong := func(field, value, problem string) ([]signals.Any, error) {
		return nil, &signals.FieldError{Kind: asking.KindAnswered, Field: field, Value: value, Problem: problem}
	}
	of := q.of(a.ID)
	if of == nil || of.Call == nil {
		return wrong("id", a.ID, "not that of a call of a tool that is asked about")
	}
	revokes := a.Verdict == asking.Revoke
	switch {
	case revokes && !of.Standing():
		return wrong("verdict", string(a.Verdict), "nothing that was answered to this question holds for the solve")
	case of.Answer != nil && !revokes:
		return nil, &AnsweredError{Thread: of.Thread, By: of.Answer.By, At: of.Answer.At, Question: *of}
	case !of.Open && !revokes:
		return wrong("id", a.ID, "not of a question that waits: it was asked anew, or the solve went on")
	case !append(q.team, of.Call.Agent).Outside(cmp.Or(a.By, Person)):
		return wrong("by", a.By, "an agent of the solve, which never allows a call: give the name of the person who does")
	}
	if err := of.Call.Takes(a); err != nil && !revokes {
		return nil, err
	}
	h := signals.Header{Thread: of.Thread, Confidence: 1, TTL: -time.Millisecond, Recipients: signals.To(bus.System)}
	if of.Seq == 0 {
		say = append(say, signals.New(h, *of.Call))
	}
	a.By, a.Shown = cmp.Or(a.By, Person), of.Call.Shown()
	return append(say, signals.New(h, a)), nil
}

// apply takes the next signal of the thread, of which earlier ones are the log.
func (q *Questions) apply(log []signals.Any, s signals.Any) {
	h := s.Head()
	q.newest = h.Time
	switch s := s.(type) {
	case *signals.Signal[asking.Call]:
		if h.Source == bus.System && s.Payload.Thread == h.Thread {
			q.ask(s.Payload, h)
		}
	case *signals.Signal[asking.Answer]:
		if h.Source == bus.System {
			q.answer(s.Payload, h)
		}
	case *signals.Signal[signals.Escalation]:
		same := slices.ContainsFunc(q.all, func(of Question) bool { return of.Open && of.Call == nil && of.words() == s.Payload })
		q.all = append(q.all, Question{
			ID: h.ID.String(), Thread: h.Thread, Asks: h.Source, Seq: h.Seq, Since: h.Time, Reason: s.Payload.Reason, Context: s.Payload.Context, Priority: h.Priority,
			Approval: asksApproval(log, h.ReplyTo), Open: !same, // an answer to the one is to the other
		})
	case *signals.Signal[Answered]:
		q.stopped, q.last = false, s
		if to, ok := q.Of(s.ReplyTo.String()); ok {
			q.answered(log, func(of *Question) bool { return of.ID == to.ID || of.Answer == nil && of.words() == to.words() })
		}
	case *signals.Signal[Began]:
		if q.last != nil { // in logs of before, one answer was to all
			q.answered(log, func(of *Question) bool { return of.Answer == nil && of.Seq < q.last.Seq })
		}
		turns, _ := s.Payload.All() // checked when it was published
		for _, t := range turns {
			if !slices.Contains(q.team, t.Agent) {
				q.team = append(q.team, t.Agent)
			}
			q.end(func(of *Question) bool {
				return of.Call != nil && of.Call.Agent == t.Agent && of.Call.Turn < int(s.Round)
			})
		}
	case *signals.Signal[Decided]:
		q.stopped = s.Payload.Stop == StopEscalated
		if !s.Payload.Stop.GoesOn() && s.Payload.Stop != StopEscalated {
			q.end(func(*Question) bool { return true })
		}
	default:
		if of := q.of(h.ReplyTo.String()); q.stopped && of != nil && of.Open && q.team.Outside(h.Source) {
			of.Open, of.Answer = false, &Said{By: h.Source, At: h.Time, Seq: h.Seq, Signal: s} // left by somebody: its program goes on with it
		}
	}
}

// words returns what an escalation says.
func (q *Question) words() signals.Escalation {
	return signals.Escalation{Reason: q.Reason, Context: q.Context}
}

// answered gives escalations the last answer.
func (q *Questions) answered(log []signals.Any, which func(*Question) bool) {
	for i := range q.all {
		if of := &q.all[i]; of.Call == nil && which(of) {
			of.Open, of.Answer = false, said(log, q.last)
		}
	}
}

// asksApproval reports whether a signal of the log is an escalation of a worker that is to be approved.
func asksApproval(log []signals.Any, request signals.ID) bool {
	i := slices.IndexFunc(log, func(s signals.Any) bool { return s.Head().ID == request })
	if i < 0 || request.IsZero() {
		return false
	}
	asked, ok := signals.As[reports.Requested](reports.Typed(log[i]))
	return ok && asked.Payload.Escalation.Kind == reports.Approval
}

// end ends questions that nobody waits for any more.
func (q *Questions) end(which func(*Question) bool) {
	for i := range q.all {
		of := &q.all[i]
		of.Open = of.Open && !which(of)
	}
}

// ask takes a question about a call. One about the same call as it was before ends.
func (q *Questions) ask(c asking.Call, h signals.Header) {
	if q.Asks(c.ID) {
		return // a turn that is taken again asks again
	}
	q.end(func(of *Question) bool {
		return of.Call != nil && of.Call.Agent == c.Agent && of.Call.Turn == c.Turn && of.Call.Call == c.Call
	})
	of := Question{ID: c.ID, Thread: c.Thread, Asks: c.Agent, Seq: h.Seq, Since: h.Time, Reason: c.Why, Call: &c, Open: true}
	if c.Expires > 0 {
		of.Expires = h.Time.Add(c.Expires)
	}
	q.all = append(q.all, of)
	q.settle()
}

// answer takes an answer about a call. Of several the first counts.
func (q *Questions) answer(a asking.Answer, h signals.Header) {
	if a.Verdict == asking.Revoke {
		q.revoke(a, h)
		return
	}
	i := slices.IndexFunc(q.all, func(of Question) bool { return of.Call != nil && of.Answer == nil && of.Call.Is(a) })
	if i < 0 {
		return
	}
	of := &q.all[i]
	if of.late(h.Time) {
		a = of.Call.Expired()
	}
	a.ID = of.ID
	q.answers = append(q.answers, asking.Answered{Call: *of.Call, Answer: a, At: h.Time})
	of.Open, of.Answer = false, saidOf(a, h.Seq, h.Time)
	q.settle()
}

// revoke lets an answer that held for the solve hold for its call alone.
func (q *Questions) revoke(a asking.Answer, h signals.Header) {
	of := q.of(a.ID)
	if of == nil || !of.Standing() {
		return
	}
	for i := range q.answers {
		if q.answers[i].Call.ID == a.ID {
			q.answers = slices.Clone(q.answers)
			q.answers[i].Answer.Verdict = asking.Once
		}
	}
	said := *of.Answer
	said.Verdict, said.Text = asking.Once, fmt.Sprintf("for the solve, until %s took it back at %s", a.Who(), h.Time.Format(time.RFC3339))
	of.Answer = &said
}

// settle gives open questions the answers that hold for the solve.
func (q *Questions) settle() {
	for i := range q.all {
		of := &q.all[i]
		if !of.Open || of.Call == nil {
			continue
		}
		if i := slices.IndexFunc(q.answers, func(a asking.Answered) bool { return a.Allows(*of.Call) }); i >= 0 {
			of.Open, of.Answer = false, saidOf(q.answers[i].Answer, 0, q.answers[i].At)
		}
	}
}

func saidOf(a asking.Answer, seq uint64, at time.Time) *Said {
	return &Said{By: cmp.Or(a.By, Person), From: a.From, At: at, Seq: seq, Verdict: a.Verdict, Text: a.Reason, Args: a.Args}
}

// said returns the answer to an escalation, which is in the log.
func said(log []signals.Any, s *signals.Signal[Answered]) *Said {
	of := &Said{By: s.Payload.By, At: s.Time}
	if i := slices.IndexFunc(log, func(said signals.Any) bool { return said.Head().ID == s.Payload.AnswerID }); i >= 0 {
		of.Signal, of.Seq = log[i], log[i].Head().Seq
	}
	return of
}

// Record takes what the journal of a thread has of a question or an answer from before they were
// signals: the next record of a tool's recorder, in the order of the journal.
func (q *Questions) Record(r asking.Record) {
	switch {
	case r.Asked != nil:
		q.ask(*r.Asked, signals.Header{Time: q.newest})
	case r.Answer != nil:
		at := r.At
		if at.IsZero() {
			at = q.newest
		}
		q.answer(*r.Answer, signals.Header{Time: at})
	}
}
