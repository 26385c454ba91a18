package tools

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/internal/schema"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

// An Outcome is the outcome of a call.
type Outcome struct {
	Call   string // the call's ID
	Tool   string // the full name; for an unknown tool, the name as called, cut
	Policy Policy // 0: no rule lets the agent call it
	How    How
	Result
	Took time.Duration // by the run's clock, or as recorded
	// Instructs is that of the tool's [Hints].
	Instructs bool
}

// How says how a call ended.
type How string

// The ends of calls.
const (
	Done     How = "done"     // with a result
	Failed   How = "failed"   // the tool reports that it failed
	Broken   How = "broken"   // it got no result
	TimedOut How = "timeout"  // it got none in time
	Invalid  How = "invalid"  // the arguments do not conform: it was not made
	Denied   How = "denied"   // by the policy or a person: it was not made
	Asked    How = "asked"    // a person has to answer first
	Answered How = "answered" // a person gave the result: it was not made
	Beyond   How = "beyond"   // the turn had made its maximum number of calls: it was not made
	Unknown  How = "unknown"  // there is no such tool
)

// Signal returns the tool:result signal of the call, made by the given agent.
func (o Outcome) Signal(agent string) signals.Any {
	return signals.New(signals.Header{Confidence: 1}, o.result(agent))
}

func (o Outcome) result(agent string) signals.ToolResult {
	return signals.ToolResult{
		ToolName: o.Tool, Result: o.Text, IsError: o.IsError, TriggeredBy: agent, DurationMs: max(0, float64(o.Took.Microseconds())/1000),
	}
}

// Progress is a note ([hooks.Note]) that a tool reports how far a call is, in the context
// of the call.
type Progress struct {
	Tool        string  // the full name
	Done, Total float64 // in the tool's unit; Total is 0 if it is not known
	Message     string  // the tool's
}

// Make makes calls side by side, up to the set's bound, and returns their outcomes in the
// same order. A failed call is an outcome, which the agent gets. The error is an [*asking.Error]
// if a call needs a person's permission, the cause of the end of ctx, or the recorder's;
// calls that were made by then are on record. A tool that panics is [Broken]: the hook of
// ctx gets an [*agents.PanicError] with the stack, which is in the program's log, too.
func (c *Calls) Make(ctx context.Context, calls ...models.Call) ([]Outcome, error) {
	outcomes, errs := make([]Outcome, len(calls)), make([]error, len(calls))
	slots := make(chan struct{}, cmp.Or(c.set.Parallel, 4))
	var wg sync.WaitGroup
	for i, call := range calls {
		slots <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		c.made++
		tooMany := c.made > cmp.Or(c.set.Most, 8)
		place := c.place
		place.Call = c.of.NextCall()
		errs[i] = agents.ErrNoReturn
		wg.Go(func() {
			defer func() { <-slots }()
			outcomes[i], errs[i] = c.one(ctx, place, call, tooMany)
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return outcomes, joined(errs)
}

// joined returns one error for those of several calls: all questions in one.
func joined(errs []error) error {
	var all asking.Error
	for _, err := range errs {
		if calls := asking.Asked(err); calls != nil {
			all.Calls = append(all.Calls, calls...)
		} else if err != nil {
			return err
		}
	}
	if all.Calls != nil {
		return &all
	}
	return nil
}

// callID matches the ids that servers give to calls. In another a model may say something.
var callID = regexp.MustCompile(`^[\w-]{1,64}$`)

// one makes a call as an op of the hook. The hook sees neither arguments nor names that a
// model made up.
func (c *Calls) one(ctx context.Context, p Place, call models.Call, tooMany bool) (o Outcome, err error) {
	o = Outcome{Call: call.ID, Tool: cmp.Or(text.Cut(text.Printable(call.Name), 80), "(none)")}
	target := "(unknown)"
	at := slices.IndexFunc(c.offers, func(o offer) bool { return o.name == call.Name || o.Full() == call.Name })
	if at >= 0 {
		o.Tool, o.Policy = c.offers[at].Full(), c.offers[at].policy
		target, o.Instructs = o.Tool, c.offers[at].Hints.Instructs
	}
	ctx, end := hooks.Start(ctx, hooks.Op{
		Name: hooks.OpTool, Target: target, Thread: p.Thread, Round: p.Turn, Attributes: []slog.Attr{
			slog.String(hooks.AttrPolicy, o.Policy.String()), slog.String(hooks.AttrToolType, "function"), slog.String(hooks.AttrCall, callID.FindString(call.ID)),
		},
	})
	told := agents.ErrNoReturn
	defer func() { end([]slog.Attr{slog.String(hooks.AttrOutcome, string(o.How))}, told) }()
	var e entry
	switch {
	case at < 0:
		e = refused(Unknown, fmt.Sprintf("there is no tool %q", o.Tool))
	case o.Policy == Deny:
		e = refused(Denied, fmt.Sprintf("%s may not call %s", p.Agent, o.Tool))
	case tooMany:
		e = refused(Beyond, fmt.Sprintf("a turn may make at most %d calls", cmp.Or(c.set.Most, 8)))
	default:
		e, err = c.call(ctx, p, c.offers[at], call.Args)
	}
	o.Result, o.How, o.Took = e.Result, e.How, e.Took
	if told = err; err == nil && o.IsError {
		told = cmp.Or(e.cause, errors.New(o.Text))
	}
	if asking.Asked(err) != nil {
		o.How, told = Asked, nil
	}
	if err == nil && o.How == Done && !o.Instructs {
		agents.Returned(ctx, o.result(p.Agent))
	}
	return o, err
}

// An entry is the record of a call.
type entry struct {
	Result Result        `json:"result"`
	How    How           `json:"how"`
	Took   time.Duration `json:"took,omitempty"`
	// Answers are what a person said of the call before, in the order of the questions: a
	// replay asks them again.
	Answers []asking.Answered `json:"answers,omitempty"`

	cause error // why it got no result, when it was made
}

func refused(how How, why string) entry { return entry{Result: Result{why, true}, How: how} }

// call returns the recorded entry of a call, or makes the call.
func (c *Calls) call(ctx context.Context, p Place, o offer, args json.RawMessage) (entry, error) {
	args = bytes.TrimSpace(args)
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if err := schema.Check(o.checks(), args); err != nil {
		return refused(Invalid, fmt.Sprintf("the arguments do not conform to the schema of %s: %s", o.Full(), text.Cut(err.Error(), 500))), nil
	}
	if _, err := asking.Show(string(args)); err != nil {
		return refused(Invalid, err.Error()), nil
	}
	p = p.with("call", o.Full(), string(args))
	var made entry
	e, err := recorded(ctx, c.turn, p, func(ctx context.Context) (_ entry, err error) {
		made, err = c.perform(ctx, p, o, args)
		return made, err
	})
	e.cause = made.cause
	for _, a := range e.Answers {
		if asking.Of(ctx, a.Call) == nil {
			return entry{}, &asking.Error{Calls: []asking.Call{a.Call}}
		}
	}
	return e, err
}

// perform makes a call, if the policy or a person allows it.
func (c *Calls) perform(ctx context.Context, p Place, o offer, args json.RawMessage) (e entry, err error) {
	tool, err := c.set.find(ctx, o.Full())
	if err != nil {
		return refused(Broken, fmt.Sprintf("%s cannot be called: %v", o.Full(), err)), nil
	}
	j := Judge(ctx, c.set.May, p.Agent, o.Spec, args)
	if j.Policy == Deny {
		return refused(Denied, fmt.Sprintf("%s may not make this call of %s, by the rule %s", p.Agent, o.Full(), j.Rule)), nil
	}
	o.policy, o.rule, o.by = j.Policy, j.Rule, j.by
	said, sent, err := c.permission(ctx, p, o, tool.Spec, args)
	var cannot *signals.FieldError
	switch n := len(said); {
	case errors.As(err, &cannot):
		return refused(Invalid, fmt.Sprintf("a person has to allow the call of %s, and cannot be asked: %v", o.Full(), cannot)), nil
	case err != nil:
		return entry{}, err
	case n > 0 && said[n-1].Answer.Verdict == asking.Deny:
		e = refused(Denied, fmt.Sprintf("%s has denied the call of %s: %s", answerer(said[n-1].Answer), o.Full(), cmp.Or(said[n-1].Answer.Reason, "no reason was given")))
	case n > 0 && said[n-1].Answer.Verdict == asking.Respond:
		e = entry{Result: Result{Text: said[n-1].Answer.Reason}, How: Answered}
	case n > 0 && !said[n-1].Answer.Verdict.Makes():
		e = refused(Denied, fmt.Sprintf("the call of %s was answered with %q, which this program does not know", o.Full(), said[n-1].Answer.Verdict))
	case string(sent) == string(args):
		e, err = c.set.run(ctx, tool, args)
	default:
		e, err = c.edited(ctx, tool, sent)
	}
	e.Answers = said
	return e, err
}

// answerer returns what has answered, in words.
func answerer(a asking.Answer) string {
	if a.From == "" {
		a.From = asking.Person
	}
	return map[asking.Answerer]string{asking.Person: "a person", asking.Agent: "an agent", asking.Program: "a program"}[a.From]
}

// edited makes a call with a person's arguments, which the agent is told.
func (c *Calls) edited(ctx context.Context, tool Tool, args json.RawMessage) (entry, error) {
	if err := schema.Check(tool.checks(), args); err != nil {
		return refused(Invalid, fmt.Sprintf("a person has changed the arguments of %s to what does not conform to its schema: %s", tool.Full(), text.Cut(err.Error(), 500))), nil
	}
	if j := Judge(ctx, c.set.May, c.place.Agent, tool.Spec, args); j.Policy == Deny {
		return refused(Denied, fmt.Sprintf("a person has changed the arguments of %s to what the rule %s denies", tool.Full(), j.Rule)), nil
	}
	e, err := c.set.run(ctx, tool, args)
	e.Result.Text = fmt.Sprintf("a person has changed the arguments of this call to %s; its result: %s", args, e.Result.Text)
	return e, err
}

// permission returns what a person said of the call, and the arguments to send, and records that it
// begins unless the last answer is against it. Its error is a [*signals.FieldError] if the question
// cannot be asked.
func (c *Calls) permission(ctx context.Context, p Place, o offer, now Spec, args json.RawMessage) (said []asking.Answered, sent json.RawMessage, err error) {
	q := asking.Call{Thread: p.Thread, Agent: p.Agent, Turn: p.Turn, Call: p.Call, Tool: o.Full(), Args: string(args), Spec: now.hash(), Input: string(now.checks()), Rule: o.rule, Expires: o.by.Expires, OnExpiry: o.by.OnExpiry}
	if o.policy == Ask {
		q.Why = "this tool needs a person's approval"
	}
	if q.Spec != o.hash() {
		text, _ := json.Marshal(now) // raw messages that were validated always marshal
		offered, _ := json.Marshal(o.Spec)
		q.Changed, q.Offered, q.Why = string(text), string(offered), "the tool has changed its description, schema or hints since it was first offered"
	}
	over := func() bool { // or the arguments are those of the last answer
		if err != nil || len(said) == 0 {
			return err != nil
		}
		last := said[len(said)-1].Answer
		q.Args = cmp.Or(last.Args, q.Args)
		return !last.Verdict.Makes()
	}
	if said, err = c.ask(ctx, said, q); over() {
		return said, nil, err
	}
	for q.Changed, q.Offered = "", ""; ; {
		mine := asking.Begun{Begun: true, By: rand.Text(), Tool: q.Tool, Sent: asking.Digest(q.Args), Rule: o.rule, Asks: o.policy != Allow} // of two processes that begin at once, one has its own on record
		if len(said) > 0 {
			mine.Question = said[len(said)-1].Call.ID
		}
		first, err := recorded(ctx, c.turn, p.with("begun", "first"+strings.Repeat(", again", q.Attempt)), func(context.Context) (asking.Begun, error) { return mine, nil })
		if err != nil || first.By == mine.By || now.Hints.repeats() {
			return said, json.RawMessage(q.Args), err
		}
		q.Attempt++
		q.Why = "an earlier call began and has no result on record, so it may have been done"
		if said, err = c.ask(ctx, said, q); err != nil || over() {
			return said, nil, err
		}
	}
}

// ask adds the answer to a question about a call. Without one, its error asks, unless there is
// no reason to ask. An answer to another question about the same place does not count: the
// question says what has changed since.
func (c *Calls) ask(ctx context.Context, said []asking.Answered, q asking.Call) ([]asking.Answered, error) {
	q = asking.New(q)
	if a := asking.Of(ctx, q); a != nil {
		return append(said, *a), nil
	}
	if q.Why == "" {
		return said, nil
	}
	if before := asking.Before(ctx, q); before != nil {
		if err := c.drifted(ctx, &q, before); err != nil {
			return said, err
		}
	}
	if err := q.Check(signals.Limits{}); err != nil {
		return said, err
	}
	return said, &asking.Error{Calls: []asking.Call{q}}
}

// drifted says in a question what is not as it was when one about the same place was answered.
func (c *Calls) drifted(ctx context.Context, q *asking.Call, before *asking.Answered) error {
	was := before.Call
	q.Was, q.Why = was.ID, fmt.Sprintf("%s answered %q, and since then something has changed; %s", cmp.Or(before.Answer.By, "a person"), before.Answer.Verdict, q.Why)
	if was.Args != q.Args {
		q.WasArgs = was.Args
	}
	if was.Rule != q.Rule {
		q.WasRule = was.Rule
	}
	if was.Spec == q.Spec || was.Spec == "" || was.Tool != q.Tool {
		return nil
	}
	offered, isThere, err := found[Spec](ctx, c.solve, c.place.solve("spec", was.Tool, was.Spec))
	if isThere {
		text, _ := json.Marshal(offered)
		q.Offered = string(text)
	}
	return err
}

// errTooLong ends a call that takes longer than [Set.Timeout].
var errTooLong = errors.New("tools: the call takes too long")

// run calls the tool. Its result is cut; how long it took is by the run's clock.
func (s *Set) run(ctx context.Context, t Tool, args json.RawMessage) (entry, error) {
	timeout, most := cmp.Or(s.Timeout, time.Minute), min(cmp.Or(s.Output, signals.DefaultTextBytes), signals.DefaultTextBytes)
	inside, cancel := context.WithTimeoutCause(ctx, timeout, errTooLong)
	defer cancel()
	began := agents.Now(ctx)
	result, err := t.called(inside, args)
	e := entry{Result: result, How: Done, Took: agents.Now(ctx).Sub(began)}
	switch {
	case err != nil && ctx.Err() != nil:
		return entry{}, context.Cause(ctx)
	case err != nil && inside.Err() != nil:
		e.Result, e.How = Result{fmt.Sprintf("%s did not return within %v", t.Full(), timeout), true}, TimedOut
	case err != nil:
		e.cause = err
		e.Result, e.How = Result{fmt.Sprintf("the call of %s got no result: %v", t.Full(), err), true}, Broken
	case result.IsError:
		e.How = Failed
	}
	e.Result.Text = text.ShortenTo(e.Result.Text, most)
	return e, nil
}

// called calls the tool. A panic is its error.
func (t Tool) called(ctx context.Context, args json.RawMessage) (r Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = agents.Panicked(ctx, t.Full(), v)
		}
	}()
	return t.Call(ctx, args)
}
