package transcript

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/said"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// Options of [Text]. The zero value and nil mean the defaults.
type Options struct {
	Width int  // of a line, in columns; 0: 100, <0: no limit
	Full  bool // show agents' texts in full, over several lines
	Color bool // highlight with the basic colours of terminals
}

// Text returns a function that shows each event on w. Its errors are those of
// w.
func Text(w io.Writer, o *Options) func(solves.Event) error {
	o = cmp.Or(o, &Options{})
	t := &page{w: w, width: cmp.Or(o.Width, 100), full: o.Full, color: o.Color, words: map[signals.ID]string{}, seqs: map[signals.ID]uint64{}}
	return t.show
}

type page struct {
	w     io.Writer
	width int
	full  bool
	color bool
	names int                   // columns of the longest agent's name
	seqs  map[signals.ID]uint64 // places of signals
	words map[signals.ID]string // what others refer to: proposals by their ids, notes by their summaries
	last  consensus.Decision    // the newest
	err   error
}

func (t *page) show(e solves.Event) error {
	switch e := e.(type) {
	case solves.Started:
		t.started(e)
	case solves.RoundStarted:
		t.line("")
		t.line("%s  %s", t.paint(bold, fmt.Sprintf("Round %d", e.Round)), t.paint(faint, strings.Join(e.Turns, ", ")))
	case solves.Spoke:
		t.spoke(e.Signal)
	case solves.Routed:
		t.line("     %s  %s %s", t.name(e.Agent), t.paint(amber, e.Decision.Action.String()), t.said(why(e)))
	case solves.TurnFailed, solves.Refused, solves.Saying: // also shown as signals
	case solves.Weighed: // the votes are shown once, at the end
		t.last = e.Decision
	case solves.Stopped:
		t.stopped(e.Result)
	}
	return t.err
}

// why says which route decided about a signal, or what went wrong.
func why(e solves.Routed) string {
	text := fmt.Sprintf("%s of %s", e.Signal.Kind(), e.Signal.Head().Source)
	if d := e.Decision; d.Tier != 0 {
		text += fmt.Sprintf(", by %s route %q", d.Tier, d.Route)
	}
	if err := e.Decision.Err; err != nil {
		text += ": " + err.Error()
	}
	return text
}

func (t *page) started(e solves.Started) {
	t.line("%s  %s", t.paint(bold, "Task"), t.said(e.Task.Task))
	where := "      thread " + e.Thread
	if e.Seed != 0 { // a log does not have it
		where += fmt.Sprintf(", seed %d", e.Seed)
	}
	t.line("%s", t.paint(faint, where))
	for _, a := range e.Agents {
		t.names = max(t.names, columns(a.ID))
	}
	t.names = max(t.names, len("system"))
	for _, a := range e.Agents {
		about := t.said(a.Role)
		if a.Personality != (agents.Personality{}) {
			about = t.paint(faint, traits(a.Personality)) + "  " + about
		}
		t.line("      %s  %s", t.name(a.ID), about)
	}
}

func traits(p agents.Personality) string {
	return fmt.Sprintf("curious %.1f cautious %.1f conforming %.1f", p.Curiosity, p.Caution, p.Conformity)
}

// spoke shows one signal: its position in the log, source, kind, confidence and
// content.
func (t *page) spoke(s signals.Any) {
	if began, ok := signals.As[runlog.Began](s); ok { // the round has a line
		for _, c := range began.Payload.Selected() {
			t.line("      %s", t.paint(faint, t.said(c.String())))
		}
		return
	}
	h := s.Head()
	if p, ok := s.Body().(runlog.Opened); ok {
		t.expect(p)
	}
	what, style := t.describe(s)
	t.note(s)
	sure := fmt.Sprintf("%.2f", h.Confidence)
	if s.Kind() == signals.KindConsensus && !t.last.Learned {
		sure = "    " // its confidence is not measured
	}
	t.line("%4d %s  %s %s  %s", h.Seq, t.name(h.Source), t.paint(style, pad(Cut(label(s), 10), 10)), t.paint(faint, sure), t.said(what))
}

// expect makes room for the names of those who will speak, which terms have.
func (t *page) expect(p runlog.Opened) {
	if terms, err := p.Of(); err == nil {
		for agent := range terms.Weights {
			t.names = max(t.names, columns(text.Printable(agent)))
		}
	}
}

// note keeps what later signals refer to.
func (t *page) note(s signals.Any) {
	t.seqs[s.Head().ID] = s.Head().Seq
	if n := coordination.NoteOf(s); n != nil {
		t.words[s.Head().ID] = n.Summary
	} else if p, ok := signals.As[signals.Proposal](s); ok {
		t.words[p.ID] = p.Payload.ProposalID
	}
}

// called returns what a signal is called by people: its id if the transcript began after it.
func (t *page) called(id signals.ID) string { return cmp.Or(t.words[id], id.String()) }

func label(s signals.Any) string {
	name, _, _ := strings.Cut(string(s.Kind()), ":")
	return text.Printable(name[strings.LastIndex(name, "/")+1:])
}

// describe describes a signal in one sentence.
func (t *page) describe(s signals.Any) (what string, as style) {
	l, called := said.Of(s), t.called
	if s.Kind() == signals.KindRetraction {
		called = t.place
	} else if p, ok := signals.As[runlog.Decided](s); ok {
		return p.Payload.On(t.last, nil), styles[l.Tone]
	}
	return l.Sentence(called), styles[l.Tone]
}

var styles = map[said.Tone]style{said.Quiet: faint, said.Strong: bold, said.Fact: blue, said.Warning: amber, said.Bad: red, said.Good: green}

// place returns the place of a signal in the log: its id if the transcript began after it.
func (t *page) place(id signals.ID) string {
	if seq, known := t.seqs[id]; known {
		return fmt.Sprintf("[%d]", seq)
	}
	return id.String()
}

func (t *page) stopped(r *solves.Result) {
	t.votes(r)
	t.line("")
	style := amber
	if r.Stop == runlog.StopConsensus {
		style = green
	}
	t.whole("%s  %s", t.paint(bold, "Decision"), t.paint(style, t.said(verdict(r.Decision))))
	if r.Answer != "" {
		t.whole("          %s", t.said(r.Answer))
	}
	t.fields(r)
	t.written(r)
	if said := r.Decision.Firmness(); said != "" {
		t.whole("%s    %s", t.paint(bold, "Margin"), t.said(said))
	}
	if p := r.Planned; p != nil {
		t.whole("%s      %s", t.paint(bold, "Mode"), t.said(p.String()))
	}
	dissenter := map[string]bool{}
	for _, v := range r.Dissent() {
		if dissenter[v.Voter] {
			continue // votes for one proposal and against another: shown once
		}
		dissenter[v.Voter] = true
		t.line("%s   %s  %s", t.paint(bold, "Dissent"), t.name(v.Voter), t.said(fmt.Sprintf("%s %s: %s", v.Stance, v.ProposalID, v.Reasoning)))
	}
	for _, f := range r.Fallbacks {
		t.line("%s  %s  %s", t.paint(bold, "Fallback"), t.name(f.Source), t.said(fmt.Sprintf("round %d: %v", f.Round, f.Payload)))
	}
	t.claims(r)
	t.retracted(r)
	why := "it has not stopped: it is running, or was broken off"
	if r.Stop != 0 {
		why = t.said(strings.TrimSuffix(fmt.Sprintf("%s: %s", r.Stop, r.Beside()), ": "))
	}
	t.whole("%s      %s", t.paint(bold, "Stop"), why)
	for _, name := range r.LeftBehind {
		t.line("          %s had not returned at the deadline: it ignores its context", t.name(name))
	}
	if q := r.Question; q != nil {
		t.whole("%s  %s asks: %s", t.paint(bold, "Question"), text.Printable(q.Asks), t.said(q.Reason))
		if len(q.Options) > 0 {
			t.whole("          options: %s", t.said(strings.Join(q.Options, ", ")))
		}
	}
	if r.Turns.Taken == 0 && r.Elapsed == 0 {
		return // read from a log, which has no more details
	}
	t.line("%s", t.paint(faint, fmt.Sprintf("          %s, %d signals, %s (%d failed, %d late, %d dropped), %d refused, %v",
		text.Plural(r.Rounds, "round"), len(r.Log), text.Plural(r.Turns.Taken, "turn"), r.Turns.Failed, r.Turns.Late, r.Turns.Dropped, r.Turns.Refused, r.Elapsed.Round(time.Millisecond))))
	t.spent(r)
	b := r.Account
	t.line("%s", t.paint(faint, fmt.Sprintf("          account: %d intended = %d delivered + %d filtered + %d pending + %d dead",
		b.Intended, b.Delivered, b.Filtered, b.Pending, b.Dead())))
}

// spent shows the cost of thinking, by agent and in total.
func (t *page) spent(r *solves.Result) {
	for _, id := range slices.Sorted(maps.Keys(r.Spent)) {
		t.line("%s  %s", t.paint(faint, "          spent"), t.name(id)+"  "+t.paint(faint, costs(r.Spent[id])))
	}
	if len(r.Spent) > 1 {
		t.line("%s  %s", t.paint(faint, "          spent"), t.name("in all")+"  "+t.paint(faint, costs(r.SpentInAll())))
	}
}

func costs(s agents.Cost) string {
	line := fmt.Sprintf("%d calls, %d tokens in (%d cached) and %d out, %v", s.Calls, s.InputTokens, s.CachedTokens, s.OutputTokens, s.Time.Round(time.Millisecond))
	if s.Dollars > 0 {
		line += fmt.Sprintf(", $%.6f", s.Dollars)
	}
	if s.Repairs > 0 || s.Refusals > 0 {
		line += fmt.Sprintf(", %d repaired, %d refused", s.Repairs, s.Refusals)
	}
	return line
}

// votes shows a bar for each proposal: the weight for it and against it.
func (t *page) votes(r *solves.Result) {
	tallies := r.Decision.Tallies()
	if len(tallies) == 0 {
		return
	}
	t.line("")
	t.line("%s", t.paint(bold, "Votes"))
	most, names := 1.0, 0
	for _, p := range tallies {
		most = max(most, p.For+p.Against)
		names = max(names, columns(text.Printable(p.ProposalID)))
	}
	const bar = 30
	for _, p := range tallies {
		yes, no := int(bar*p.For/most+0.5), int(bar*p.Against/most+0.5)
		t.line("      %s %s%s%s  %d agree, %d disagree, %d abstain; %s",
			pad(text.Printable(p.ProposalID), names),
			t.paint(green, strings.Repeat("█", yes)), t.paint(red, strings.Repeat("░", no)), strings.Repeat(" ", max(0, bar-yes-no)),
			p.Agree, p.Disagree, p.Abstain, worth(r.Decision, p))
	}
	for _, p := range r.Proposals {
		if n := agreeing(p); p.Lost && n > 0 {
			t.line("      %s lost its conflict; %d agree with it", text.Printable(p.ID()), n)
		}
	}
}

func agreeing(p agents.Standing) (n int) {
	for _, v := range p.Votes {
		if v.Payload.Stance == signals.Agree {
			n++
		}
	}
	return n
}

func (t *page) name(agent string) string { return pad(text.Printable(agent), t.names) }

func pad(s string, width int) string { return s + strings.Repeat(" ", max(0, width-columns(s))) }

// said makes an agent's text safe to show.
func (t *page) said(s string) string { return text.Printable(s) }

// worth formats the support of a proposal, and a probability of being right only
// if one was learned.
func worth(d consensus.Decision, p consensus.Tally) string {
	if d.Learned {
		return fmt.Sprintf("%.0f%% likely right", 100*p.Probability)
	}
	return fmt.Sprintf("support %.2f to %.2f", p.For, p.Against)
}

// verdict returns the decision in one line.
func verdict(d consensus.Decision) string { return d.Strategy + ": " + d.Sentence(nil) }

// line writes one line, cut to the width if there is one.
func (t *page) line(format string, args ...any) {
	if t.full {
		t.whole(format, args...)
		return
	}
	line := fmt.Sprintf(format, args...)
	if t.width >= 0 {
		line = Cut(strings.TrimRight(line, " "), t.width)
	}
	t.write(line)
}

// whole writes what is never cut: it takes several lines if it is longer than one.
func (t *page) whole(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if t.width >= 0 {
		line = wrap(strings.TrimRight(line, " "), t.width)
	}
	t.write(line)
}

// write ends the transcript at the first error.
func (t *page) write(line string) {
	if t.err == nil {
		_, t.err = fmt.Fprintln(t.w, strings.TrimRight(line, " "))
	}
}
