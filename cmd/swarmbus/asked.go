package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

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
			if q.Open && q.Call != nil && r.Stop == runlog.StopAsked {
				open = append(open, q)
			}
		}
	}
	return open
}

// permitted records an answer to a call that a run asks about: the one that it names, or the only one.
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
	case len(open) > 1:
		return &several{open}
	default:
		a.ID, thread = open[0].ID, open[0].Thread
	}
	return solves.Answer(ctx, file, thread, a)
}

// A several says that an answer has to name one of the calls that wait.
type several struct{ open []runlog.Question }

func (e *several) Error() string {
	return fmt.Sprintf("%d calls wait for an answer: name one of them with --call", len(e.open))
}

// permission returns the answer that --allow or --deny is.
func (f *answerFlags) permission(text []string) (*asking.Answer, error) {
	a := &asking.Answer{ID: f.call, By: f.by, Reason: f.deny, Verdict: asking.Deny}
	switch {
	case f.allow != "" && f.deny != "":
		return nil, usage(errors.New("--allow and --deny exclude each other"))
	case strings.HasPrefix(f.deny, "--"):
		return nil, usage(fmt.Errorf("--deny needs a reason, and %s is a flag", f.deny))
	case len(text) > 0 || f.vote+f.against != "":
		return nil, usage(errors.New("--allow and --deny answer about the call of a tool: they take neither a text nor a vote"))
	case f.thread != "" && f.server.link == "":
		return nil, usage(errors.New("--thread is for calls of tools in a run of a server: it needs --server"))
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
			sayHow(w, run, flags, q.ID, q.Call.ForSolve())
		}
	}
	if run == "" {
		fmt.Fprintln(w, "It cannot be answered, because the run is not recorded: use --journal, or a policy in the team.")
	}
}

// sayHow says how to answer about the call of a tool in a run, with these further flags. A call that may have
// been made cannot be allowed for the solve.
func sayHow(w io.Writer, run, flags, call string, forSolve bool) {
	answers := []string{"--allow", "--allow=solve", "--deny REASON"}
	if !forSolve {
		answers = slices.Delete(answers, 1, 2)
	}
	fmt.Fprintln(w, "Answer with one of:")
	for _, answer := range answers {
		fmt.Fprintf(w, "  swarmbus answer %s --call %s %s%s\n", run, call, answer, flags)
	}
}
