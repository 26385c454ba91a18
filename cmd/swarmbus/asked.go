package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// askedOf returns the calls of tools that solves wait for. One that was killed before it stopped to
// ask has to stop first, so that its log does not depend on that.
func askedOf(all ...*solves.Result) (open []runlog.Question) {
	for _, r := range all {
		for _, q := range r.Questions {
			if q.Open && q.Call != nil && r.Stop == runlog.StopAsked && (q.Expires.IsZero() || time.Now().Before(q.Expires)) {
				open = append(open, q)
			}
		}
	}
	return open
}

// permitted records an answer to a call that a run asks about, which it names.
func permitted(ctx context.Context, file *journal.File, a asking.Answer) error {
	all, err := solves.List(file)
	if err != nil {
		return err
	}
	open, thread := askedOf(all...), ""
	switch {
	case a.ID != "":
		var calls []runlog.Question
		for _, r := range all {
			calls = append(calls, r.Questions...)
		}
		q, err := runlog.Find(slices.DeleteFunc(calls, func(q runlog.Question) bool { return q.Call == nil }), a.ID)
		if err != nil {
			return usage(fmt.Errorf("--call: %w", err))
		}
		a.ID, thread = q.ID, q.Thread
	case len(open) == 0:
		return errors.New("the run does not ask about the call of a tool")
	default:
		return &several{open}
	}
	return solves.Answer(ctx, file, thread, a)
}

// A several says that an answer has to name one of the calls that wait: what waits may have changed
// since somebody looked.
type several struct{ open []runlog.Question }

const unnamed = "--call is required: an answer names the call that it is about; what waits is listed above"

func (e *several) Error() string {
	return unnamed
}

// permission returns the answer that --allow or --deny is.
func (f *answerFlags) permission(text []string) (*asking.Answer, error) {
	a := &asking.Answer{ID: f.call, By: f.by, Reason: f.deny + f.respond, Args: f.args, Verdict: asking.Deny}
	switch {
	case f.allow != "" && f.deny+f.respond != "" || f.deny != "" && f.respond != "":
		return nil, usage(errors.New("--allow and --deny exclude each other, and --respond both"))
	case f.args != "" && f.allow != "once":
		return nil, usage(errors.New("--args changes the arguments of one call that is allowed: it needs --allow"))
	case strings.HasPrefix(f.deny, "--"):
		return nil, usage(fmt.Errorf("--deny needs a reason, and %s is a flag", f.deny))
	case len(text) > 0 || f.vote+f.against != "":
		return nil, usage(errors.New("--allow and --deny answer about the call of a tool: they take neither a text nor a vote"))
	case f.thread != "" && f.server.link == "":
		return nil, usage(errors.New("--thread is for calls of tools in a run of a server: it needs --server"))
	case f.respond != "":
		a.Verdict = asking.Respond
	case f.args != "":
		a.Verdict = asking.Edit
	case f.allow == "once":
		a.Verdict = asking.Once
	case f.allow == "solve":
		a.Verdict = asking.Solve
	case f.allow != "":
		return nil, usage(fmt.Errorf("--allow %q is neither once nor solve", f.allow))
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

// sayAsked says what a person has to answer, and how.
func sayAsked(w io.Writer, run, flags string, open []runlog.Question) {
	for _, q := range open {
		fmt.Fprintln(w, "A person has to allow this call:")
		fmt.Fprintln(w, "  "+strings.ReplaceAll(text.Lines(q.Call.Detail()), "\n", "\n  "))
		if run != "" {
			sayHow(w, run, flags, q.ID, q.Call.Verdicts())
		}
	}
	if run == "" {
		fmt.Fprintln(w, "It cannot be answered, because the run is not recorded: use --journal, or a policy in the team.")
	}
}

// sayHow says how to answer about the call of a tool in a run, with these further flags.
func sayHow[V ~string](w io.Writer, run, flags, call string, verdicts []V) {
	ways := map[asking.Verdict]string{
		asking.Once: "--allow", asking.Solve: "--allow=solve", asking.Deny: "--deny REASON", asking.Edit: "--allow --args JSON", asking.Respond: "--respond TEXT",
	}
	fmt.Fprintln(w, "Answer with one of:")
	for _, v := range verdicts {
		fmt.Fprintf(w, "  swarmbus answer %s --call %s %s%s\n", run, call, ways[asking.Verdict(v)], flags)
	}
}
