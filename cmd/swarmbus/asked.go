package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/cassette"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// askedIn returns the calls of tools that a run asks about. One that was killed before it
// stopped to ask has to stop first, so that its log does not depend on that.
func askedIn(j journal.Reader) (open []tools.Question, err error) {
	all, err := solves.List(j)
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if r.Stop != runlog.StopAsked {
			continue
		}
		asked, err := cassette.Asked(j, r.Thread)
		if err != nil {
			return nil, err
		}
		open = append(open, asked...)
	}
	return open, nil
}

// questionsOf returns the questions of the turns for which a solve stopped.
func questionsOf(r *solves.Result) (all []tools.Question) {
	for _, failed := range r.Failed {
		var asks *tools.AskError
		if errors.As(failed.Err, &asks) {
			all = append(all, asks.Questions...)
		}
	}
	return all
}

// permitted records an answer to the first call that a run asks about.
func permitted(file *journal.File, a tools.Answer) error {
	open, err := askedIn(file)
	switch {
	case err != nil:
		return err
	case len(open) == 0:
		return errors.New("the run does not ask about the call of a tool")
	}
	if a.Verdict == tools.AllowSolve && open[0].Solve == (tools.Place{}) {
		return usage(errors.New("--allow=solve: this call may have been made, and can be allowed once"))
	}
	return cassette.Answer(file, open[0], a)
}

// permission returns the answer that --allow or --deny is.
func (f *answerFlags) permission(text []string) (*tools.Answer, error) {
	a := &tools.Answer{By: f.by, Reason: f.deny, Verdict: tools.Refuse}
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
		a.Verdict = tools.AllowOnce
	case f.allow == "solve":
		a.Verdict = tools.AllowSolve
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
func sayAsked(w io.Writer, run, flags string, open []tools.Question) {
	for _, q := range open {
		fmt.Fprintln(w, "A person has to allow this call:")
		fmt.Fprintln(w, "  "+strings.ReplaceAll(text.Lines(q.Detail()), "\n", "\n  "))
	}
	if run == "" {
		fmt.Fprintln(w, "It cannot be answered, because the run is not recorded: use --journal, or a policy in the team.")
		return
	}
	sayHow(w, run, flags, slices.ContainsFunc(open, func(q tools.Question) bool { return q.Solve != tools.Place{} }))
}

// sayHow says how to answer about the call of a tool: in a run, with these further flags. A call that may have
// been made cannot be allowed for the solve.
func sayHow(w io.Writer, run, flags string, forSolve bool) {
	answers := []string{"--allow", "--allow=solve", "--deny REASON"}
	if !forSolve {
		answers = slices.Delete(answers, 1, 2)
	}
	fmt.Fprintln(w, "Answer with one of:")
	for _, answer := range answers {
		fmt.Fprintf(w, "  swarmbus answer %s %s%s\n", run, answer, flags)
	}
}
