package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// An ask is a question of a run, or of a run of a server, as an answer names it.
type ask struct {
	id, thread  string
	line, words string           // on one line, and whole
	verdicts    []asking.Verdict // of the call of a tool; nil: it takes a text or a vote
	open        bool
	task, shown string // of the solve, and what of a call was shown, as a server has it
	standing    bool   // its answer allows further calls
	answer      *api.Answered
}

// asksOf returns the questions of solves. A call of one that was killed before it stopped to ask has
// to stop first, so that its log does not depend on that.
func asksOf(all ...*solves.Result) (asks []ask) {
	for _, r := range all {
		for _, q := range r.Questions {
			a := ask{id: q.ID, thread: r.Thread, line: q.Asks + " asks: " + q.Reason, words: q.Words(), verdicts: q.Verdicts(), open: q.Open, standing: q.Standing()}
			if q.Answer != nil {
				a.answer = &api.Answered{By: q.Answer.By, From: string(q.Answer.From), Time: q.Answer.At}
			}
			if q.Call != nil {
				a.line, a.words = q.Call.String(), text.Lines(q.Call.Detail())
				a.open = q.Open && r.Stop == runlog.StopAsked && (q.Expires.IsZero() || time.Now().Before(q.Expires))
			}
			asks = append(asks, a)
		}
	}
	return asks
}

// waiting returns the questions that wait for an answer.
func waiting(all []ask) []ask {
	return slices.DeleteFunc(slices.Clone(all), func(a ask) bool { return !a.open })
}

// callsOf returns the calls of tools that solves wait for.
func callsOf(all ...*solves.Result) []ask {
	return slices.DeleteFunc(waiting(asksOf(all...)), func(a ask) bool { return a.verdicts == nil })
}

// named returns the question of those of a run that the answer names. It may name none, and gets
// nil, where none waits: a solve that ended undecided takes an answer, too.
func (f *answerFlags) named(all []ask) (*ask, error) {
	here := slices.DeleteFunc(slices.Clone(all), func(a ask) bool { return f.thread != "" && a.thread != f.thread })
	if f.id == "" {
		if open := waiting(here); len(open) > 0 {
			return nil, &unnamed{open}
		}
		return nil, nil
	}
	here = slices.DeleteFunc(here, func(a ask) bool { return !strings.HasPrefix(a.id, f.id) })
	switch {
	case len(here) == 0:
		return nil, cli.Usage(fmt.Errorf("no question has the id %q: swarmbus answer RUN lists those that wait", f.id))
	case len(here) > 1:
		return nil, cli.Usage(fmt.Errorf("%d questions have an id that begins with %q", len(here), f.id))
	case here[0].verdicts == nil && f.verdict() != "":
		return nil, cli.Usage(fmt.Errorf("%s is not about the call of a tool: it takes a text, --vote or --against", f.id))
	case here[0].verdicts != nil && f.verdict() == "":
		return nil, cli.Usage(fmt.Errorf("%s is about the call of a tool: it takes --allow, --deny REASON or --respond TEXT", f.id))
	}
	return &here[0], nil
}

// An unnamed answer has to name one of the questions that wait: what waits may have changed since
// somebody looked.
type unnamed struct{ open []ask }

func (e *unnamed) Error() string {
	return "--call or --question is required: an answer names the question that it is about; what waits is listed above"
}

// sayWhat says what was answered.
func (f *answerFlags) sayWhat(w io.Writer, a *ask) {
	switch how := "Allowed (" + f.allow + ")"; {
	case a.verdicts == nil:
		fmt.Fprintf(w, "The question was: %s\n", text.Printable(a.line))
	case f.deny != "":
		fmt.Fprintf(w, "Denied: %s\n", text.Printable(a.line))
	case f.respond != "":
		fmt.Fprintf(w, "Answered instead of the tool: %s\n", text.Printable(a.line))
	default:
		fmt.Fprintf(w, "%s: %s\n", how, text.Printable(a.line))
	}
}

// permission returns the answer that --allow or --deny is.
func (f *answerFlags) permission() (*asking.Answer, error) {
	a := &asking.Answer{By: f.by, Reason: f.deny + f.respond, Args: f.args, Verdict: asking.Deny}
	switch {
	case f.allow != "" && f.deny+f.respond != "" || f.deny != "" && f.respond != "":
		return nil, cli.Usage(errors.New("--allow and --deny exclude each other, and --respond both"))
	case f.args != "" && f.allow != "once":
		return nil, cli.Usage(errors.New("--args changes the arguments of one call that is allowed: it needs --allow"))
	case strings.HasPrefix(f.deny, "--"):
		return nil, cli.Usage(fmt.Errorf("--deny needs a reason, and %s is a flag", f.deny))
	case f.text != "" || f.vote+f.against != "":
		return nil, cli.Usage(errors.New("--allow and --deny answer about the call of a tool: they take neither a text nor a vote"))
	case f.respond != "":
		a.Verdict = asking.Respond
	case f.args != "":
		a.Verdict = asking.Edit
	case f.allow == "once":
		a.Verdict = asking.Once
	case f.allow == "solve":
		a.Verdict = asking.Solve
	case f.allow != "":
		return nil, cli.Usage(fmt.Errorf("--allow %q is neither once nor solve", f.allow))
	}
	return a, nil
}

// nameOfRun returns what an answer has to name; "": the run is kept nowhere.
func nameOfRun(store journal.Store) string {
	file, ok := store.(*journal.File)
	if !ok {
		return ""
	}
	return file.Path()
}

// sayAsked says what somebody has to answer, and how, with these further flags.
func sayAsked(w io.Writer, run string, flags []string, open []ask) {
	for _, a := range open {
		if a.verdicts == nil {
			fmt.Fprintln(w, "Somebody has to answer this:")
		} else {
			fmt.Fprintln(w, "A person has to allow this call:")
		}
		fmt.Fprintln(w, "  "+strings.ReplaceAll(a.words, "\n", "\n  "))
		if run != "" {
			sayHow(w, run, flags, a)
		}
	}
	if run == "" && len(open) > 0 {
		fmt.Fprintln(w, "It cannot be answered, because the run is not recorded: use --journal, or a policy in the team.")
	}
}

// sayHow says how to answer a question of a run.
func sayHow(w io.Writer, run string, flags []string, a ask) {
	ways := map[asking.Verdict][]string{
		asking.Once: {"--allow"}, asking.Solve: {"--allow=solve"}, asking.Deny: {"--deny", "REASON"}, asking.Edit: {"--allow", "--args", "JSON"}, asking.Respond: {"--respond", "TEXT"},
	}
	say := func(which string, way []string) {
		fmt.Fprintln(w, "  "+text.Shell(slices.Concat([]string{"swarmbus", "answer", run, which, a.id}, way, flags)...))
	}
	fmt.Fprintln(w, "Answer with one of:")
	for _, v := range a.verdicts {
		say("--call", ways[v])
	}
	if a.verdicts == nil {
		for _, way := range [][]string{{"TEXT"}, {"--vote", "PROPOSAL"}, {"--against", "PROPOSAL"}} {
			say("--question", way)
		}
	}
}
