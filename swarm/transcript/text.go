package transcript

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// Options of [Text]. The zero value and nil mean the defaults.
type Options struct {
	Width int      // of a line, in columns; 0: 100
	Full  bool     // show agents' texts in full, over several lines
	Env   []string // in place of os.Environ(), which tells what the terminal can do
}

// Text returns a function that shows one event after the other on w. Its
// errors are w's.
func Text(w io.Writer, o *Options) func(swarm.Event) error {
	if o == nil {
		o = &Options{}
	}
	env := o.Env
	if env == nil {
		env = os.Environ()
	}
	t := &text{w: colorprofile.NewWriter(w, env), width: cmp.Or(o.Width, 100), full: o.Full}
	return t.show
}

type text struct {
	w     io.Writer
	width int
	full  bool
	names int // columns of the longest agent's name
	err   error
}

var (
	bold  = lipgloss.NewStyle().Bold(true)
	faint = lipgloss.NewStyle().Faint(true)
	green = lipgloss.NewStyle().Foreground(lipgloss.Green)
	red   = lipgloss.NewStyle().Foreground(lipgloss.Red)
	amber = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
	blue  = lipgloss.NewStyle().Foreground(lipgloss.Blue)
)

func (t *text) show(e swarm.Event) error {
	switch e := e.(type) {
	case swarm.Started:
		t.started(e)
	case swarm.RoundStarted:
		t.line("")
		t.line("%s  %s", bold.Render(fmt.Sprintf("Round %d", e.Round)), faint.Render(strings.Join(e.Turns, ", ")))
	case swarm.Spoke:
		t.spoke(e.Signal)
	case swarm.Refused:
		t.line("     %s  %s %s", t.name(e.Agent), red.Render("refused"), t.said(e.Err.Error()))
	case swarm.TurnFailed:
		t.line("     %s  %s %s", t.name(e.Agent), red.Render("failed"), t.said(e.Err.Error()))
	case swarm.Weighed: // the votes are shown once, at the end
	case swarm.Stopped:
		t.stopped(e.Result)
	}
	return t.err
}

func (t *text) started(e swarm.Started) {
	t.line("%s  %s", bold.Render("Task"), t.said(e.Task.Task))
	t.line("%s", faint.Render(fmt.Sprintf("      thread %s, seed %d", e.Thread, e.Seed)))
	for _, a := range e.Agents {
		t.names = max(t.names, ansi.StringWidth(a.ID))
	}
	t.names = max(t.names, len("system"))
	for _, a := range e.Agents {
		t.line("      %s  %s  %s", t.name(a.ID), faint.Render(traits(a.Personality)), t.said(a.Role))
	}
}

func traits(p agents.Personality) string {
	return fmt.Sprintf("curious %.1f cautious %.1f conforming %.1f", p.Curiosity, p.Caution, p.Conformity)
}

// spoke shows one signal: its place in the log, who, what, how sure.
func (t *text) spoke(s signals.Any) {
	h := s.Head()
	what, style := describe(s)
	t.line("%4d %s  %s %s  %s", h.Seq, t.name(h.Source), style.Render(fmt.Sprintf("%-10s", label(s))),
		faint.Render(fmt.Sprintf("%.2f", h.Confidence)), t.said(what))
}

func label(s signals.Any) string {
	name, _, _ := strings.Cut(string(s.Kind()), ":")
	return printable(name)
}

// describe puts a signal into one sentence.
func describe(s signals.Any) (string, lipgloss.Style) {
	switch p := s.Body().(type) {
	case signals.Task:
		return p.Task, bold
	case signals.Discovery:
		return join(p.Finding, p.Evidence), blue
	case signals.Proposal:
		return p.ProposalID + ": " + join(p.Content, p.Reasoning), bold
	case signals.Doubt:
		return p.Severity.String() + ": " + p.Concern, amber
	case signals.Challenge:
		return p.CounterArgument, amber
	case signals.Vote:
		return fmt.Sprintf("%s %s (%.2f): %s", p.Stance, p.ProposalID, p.Weight, p.Reasoning), stanceStyle(p.Stance)
	case signals.Conflict:
		return p.Description, red
	case signals.Consensus:
		return p.ProposalID + ": " + p.Decision, green
	case signals.Escalation:
		return p.Reason, red
	case signals.Memory:
		return p.Category + ": " + p.Content, blue
	case signals.ToolResult:
		return p.ToolName + ": " + p.Result, blue
	default:
		return fmt.Sprintf("%+v", p), faint
	}
}

func stanceStyle(s signals.Stance) lipgloss.Style {
	switch s {
	case signals.Agree:
		return green
	case signals.Disagree:
		return red
	default:
		return faint
	}
}

func join(what, why string) string {
	if why == "" {
		return what
	}
	return what + " — " + why
}

func (t *text) stopped(r *swarm.Result) {
	t.votes(r)
	t.line("")
	style := amber
	if r.Stop == swarm.StopConsensus {
		style = green
	}
	t.line("%s  %s", bold.Render("Decision"), style.Render(t.said(r.Decision.String())))
	if r.Answer != "" {
		t.line("          %s", t.said(r.Answer))
	}
	dissenter := map[string]bool{}
	for _, v := range r.Decision.Dissent() {
		if dissenter[v.Voter] {
			continue // it votes for one proposal and against another: once is enough
		}
		dissenter[v.Voter] = true
		t.line("%s   %s  %s", bold.Render("Dissent"), t.name(v.Voter), t.said(fmt.Sprintf("%s %s: %s", v.Stance, v.Proposal, v.Reason)))
	}
	t.line("%s      %s: %s", bold.Render("Stop"), r.Stop, t.said(r.Detail))
	t.line("%s", faint.Render(fmt.Sprintf("          %d rounds, %d signals, %d turns (%d failed, %d dropped), %d refused, %v",
		r.Rounds, len(r.Log), r.Turns.Taken, r.Turns.Failed, r.Turns.Dropped, r.Turns.Refused, r.Elapsed.Round(time.Millisecond))))
	b := r.Books
	t.line("%s", faint.Render(fmt.Sprintf("          books: %d intended = %d delivered + %d filtered + %d pending + %d dead",
		b.Intended, b.Delivered, b.Filtered, b.Pending, b.Dead())))
}

// votes shows a bar for each proposal: the weight for it and against it.
func (t *text) votes(r *swarm.Result) {
	tallies := r.Decision.Tallies()
	if len(tallies) == 0 {
		return
	}
	t.line("")
	t.line("%s", bold.Render("Votes"))
	most, names := 1.0, 0
	for _, p := range tallies {
		most = max(most, p.For+p.Against)
		names = max(names, ansi.StringWidth(printable(p.Proposal)))
	}
	const columns = 30
	for _, p := range tallies {
		yes, no := int(columns*p.For/most+0.5), int(columns*p.Against/most+0.5)
		t.line("      %s %s%s%s  %d agree, %d disagree, %d abstain; %.0f%% likely right",
			pad(printable(p.Proposal), names),
			green.Render(strings.Repeat("█", yes)), red.Render(strings.Repeat("░", no)), strings.Repeat(" ", max(0, columns-yes-no)),
			p.Agree, p.Disagree, p.Abstain, 100*p.Probability)
	}
}

func (t *text) name(agent string) string { return pad(printable(agent), t.names) }

func pad(s string, columns int) string {
	return s + strings.Repeat(" ", max(0, columns-ansi.StringWidth(s)))
}

// said makes an agent's text fit to be shown.
func (t *text) said(s string) string { return printable(s) }

// line writes one line, cut to the width. It ends the transcript at the first
// error.
func (t *text) line(format string, args ...any) {
	if t.err != nil {
		return
	}
	line := strings.TrimRight(fmt.Sprintf(format, args...), " ")
	if t.full {
		line = ansi.Wrap(line, t.width, "")
	} else {
		line = ansi.Truncate(line, t.width, "…")
	}
	_, t.err = fmt.Fprintln(t.w, line)
}
