package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/client"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// tokenVariable has the token of a server, unless its link does.
const tokenVariable = "SWARMBUS_TOKEN"

// A serverFlag names a running server, which a command asks instead of reading journals.
type serverFlag struct{ link string }

func (f *serverFlag) define(flags *pflag.FlagSet) {
	flags.Var((*link)(&f.link), "server", "ask the server with this link, or address and $"+tokenVariable+", instead of reading journals")
}

// A link is not empty where it is given, as "$LINK" is that is not set: the command would read
// journals instead.
type link string

func (l *link) String() string { return string(*l) }

func (*link) Type() string { return "string" }

func (l *link) Set(text string) error {
	if text == "" {
		return errors.New("it is empty: want the link that serve prints")
	}
	*l = link(text)
	return nil
}

func (f *serverFlag) client() (*client.Client, error) {
	c, err := client.New(f.link, os.Getenv(tokenVariable))
	if err != nil {
		return nil, usage(fmt.Errorf("--server: %w", err))
	}
	return c, nil
}

// open opens a run to read its signals, and reports whether it is being written.
func (f *serverFlag) open(ctx context.Context, name string) (_ journal.Reader, running bool, err error) {
	if f.link == "" {
		v, err := view(name)
		if err != nil {
			return nil, false, err
		}
		_, running = journal.Locked(v.Path())
		return v, running, nil
	}
	c, err := f.client()
	if err != nil {
		return nil, false, err
	}
	run, err := c.Run(ctx, name)
	return c.Log(ctx, name), run.Live || run.Writer != "", err
}

// runs lists the runs of the server.
func (f *serverFlag) runs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(errors.New("--server lists the runs of the server, and takes no directory"))
	}
	c, err := f.client()
	if err != nil {
		return err
	}
	all, err := c.Runs(cmd.Context())
	if err != nil {
		return err
	}
	out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "run\tsignals\tsolves\tbytes\tchanged\tstate")
	for _, r := range all {
		changed := ""
		if r.Changed != nil {
			changed = r.Changed.Local().Format(time.DateTime)
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%d\t%s\t%s\n", text.Printable(r.Name), count(r.Signals), count(r.Solves), r.Bytes, changed, text.Printable(stateOfRun(&r)))
	}
	return out.Flush()
}

func count(n *int) string {
	if n == nil {
		return ""
	}
	return fmt.Sprint(*n)
}

func stateOfRun(r *api.Run) string {
	switch {
	case r.Problem != "":
		return r.Problem
	case r.Live:
		return "being written by the server"
	case r.Writer != "":
		return "being written by " + r.Writer
	}
	return "closed"
}

// verify prints what the server says of the hashes of a run.
func (f *serverFlag) verify(cmd *cobra.Command, run string) error {
	if cmd.Flags().Changed("head") || cmd.Flags().Changed("process") {
		return usage(errors.New("--head and --process cannot be combined with --server: they check a journal without trusting the server"))
	}
	c, err := f.client()
	if err != nil {
		return err
	}
	v, err := c.Verify(cmd.Context(), run)
	switch {
	case err != nil:
		return err
	case !v.Whole:
		return errors.New(v.Problem)
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "whole: records %d to %d", v.First, v.Last)
	if v.Chain != "" { // a journal's
		fmt.Fprintf(out, ", chain %s", v.Chain)
	}
	fmt.Fprintln(out)
	for _, r := range v.Rooms {
		name := r.Room
		if name == "" {
			name = "keys"
		}
		if r.Fault != "" {
			return fmt.Errorf("%s: %s", name, r.Fault)
		}
		fmt.Fprintf(out, "%s: %s, head %s\n", text.Printable(name), text.Plural(r.Events, "event"), r.Head)
	}
	return nil
}

// replay prints what the server derives from a run.
func (f *serverFlag) replay(cmd *cobra.Command, run string) error {
	if cmd.Flags().Changed("to") {
		return usage(errors.New("--to cannot be combined with --server"))
	}
	c, err := f.client()
	if err != nil {
		return err
	}
	r, err := c.Replay(cmd.Context(), run)
	switch {
	case err != nil:
		return err
	case r.Problem != "":
		return errors.New(r.Problem)
	case r.Difference != nil:
		return fmt.Errorf("signal %d: %s: the log has %s, and replay %s", r.Difference.Seq, r.Difference.What, r.Difference.A, r.Difference.B)
	}
	return sayIdentical(cmd.OutOrStdout(), r.Signals, r.Conflicts, r.Decisions, r.Outcomes)
}

// withServer refuses flags that are not about a server.
func withServer(cmd *cobra.Command, allowed ...string) (err error) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if err == nil && flag.Name != "server" && !slices.Contains(allowed, flag.Name) {
			err = usage(fmt.Errorf("--%s cannot be combined with --server: the team on the server sets it", flag.Name))
		}
	})
	return err
}

// answer answers the question of a solve of the server, which continues it.
func (f *serverFlag) answer(cmd *cobra.Command, a *answerFlags, text []string) error {
	if err := withServer(cmd, "by", "thread", "vote", "against", "call", "allow", "deny", "respond", "args"); err != nil {
		return err
	}
	c, err := f.client()
	if err != nil {
		return err
	}
	about := "question"
	if a.verdict() != "" {
		about = "tool"
		if _, err := a.permission(text); err != nil {
			return err
		}
	} else if _, err := a.answer(text); err != nil {
		return err
	}
	item, err := waits(cmd, c, a, about)
	if err != nil {
		return err
	}
	if about == "tool" {
		said, _ := a.permission(text) // checked above
		v := api.Verdict{Verdict: string(said.Verdict), Reason: said.Reason, Args: said.Args, By: a.by, Shown: item.Tool.Shown}
		_, err = c.Decide(cmd.Context(), item.ID, v)
	} else {
		said := api.Answer{Text: strings.Join(text, ""), Vote: a.vote + a.against, By: a.by}
		if a.against != "" {
			said.Stance = "disagree"
		}
		_, err = c.Answer(cmd.Context(), item.ID, said)
	}
	if err != nil {
		return err
	}
	return sayAnswered(cmd, c, item, a)
}

// sayAnswered says what was answered, and what still waits in the solve.
func sayAnswered(cmd *cobra.Command, c *client.Client, item *api.Item, a *answerFlags) error {
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "Answered in the solve of %s\n", text.Printable(strconv.Quote(item.Task)))
	switch {
	case item.Tool == nil:
		fmt.Fprintf(out, "The question was: %s\n", text.Printable(item.Reason))
	case a.deny != "":
		fmt.Fprintf(out, "Denied: %s\n", callOf(item))
	case a.respond != "":
		fmt.Fprintf(out, "Answered instead of the tool: %s\n", callOf(item))
	default:
		fmt.Fprintf(out, "Allowed (%s): %s\n", a.allow, callOf(item))
	}
	_, thread, _ := strings.Cut(item.Solve, ".")
	left, err := c.Items(cmd.Context())
	if err != nil {
		return err
	}
	waits := false
	for i := range left {
		if it := &left[i]; it.Open && it.Solve == item.Solve && it.Tool != nil {
			fmt.Fprintf(out, "The solve still waits for an answer:\n%s\n", text.Lines(it.Words))
			sayHow(out, it.Run, atServer(thread), it.Tool.ID, it.Tool.Verdict)
			waits = true
		}
	}
	if waits {
		return nil
	}
	_, err = fmt.Fprintf(out, "The solve goes on: swarmbus show %s --thread %s --follow --server LINK\n", item.Run, thread)
	return err
}

// callOf describes the call that an item asks about on one line.
func callOf(it *api.Item) string {
	c := asking.Call{Agent: it.Tool.Agent, Tool: it.Tool.Tool, Args: string(it.Tool.Args), Why: it.Tool.Why}
	return text.Printable(c.String())
}

// atServer are the flags that name a solve of a server.
func atServer(thread string) string {
	return fmt.Sprintf(" --thread %s --server LINK", text.Printable(thread))
}

// sayWaits says how to answer the items for which a solve waits.
func sayWaits(w io.Writer, one *api.Solve, items []api.Item) {
	for i := range items {
		if item := &items[i]; item.Tool != nil {
			fmt.Fprintf(w, "A person has to allow this call:\n%s\n", text.Lines(item.Words))
			sayHow(w, one.Run, atServer(one.Thread), item.Tool.ID, item.Tool.Verdict)
		}
	}
	if len(items) > 0 && items[0].Tool != nil {
		return
	}
	fmt.Fprintf(w, "It waits for an answer: swarmbus answer %s TEXT%s\n", one.Run, atServer(one.Thread))
}

// waits returns what an answer is about: what waits for a person in a run, or the call that is named.
func waits(cmd *cobra.Command, c *client.Client, a *answerFlags, about string) (*api.Item, error) {
	ctx, run, thread := cmd.Context(), a.solve.resume, a.thread
	all, err := c.AllItems(ctx)
	if err != nil {
		return nil, err
	}
	var here, open []*api.Item
	for i := range all {
		it := &all[i]
		if it.Run != run || thread != "" && it.Solve != run+"."+thread {
			continue
		}
		here = append(here, it)
		if (it.Open || a.call != "") && it.Type == about && (it.Tool == nil || strings.HasPrefix(it.Tool.ID, a.call)) {
			open = append(open, it)
		}
	}
	if a.call != "" && len(open) != 1 {
		return nil, usage(fmt.Errorf("--call: %d questions have an id that begins with %q", len(open), a.call))
	}
	switch {
	case len(open) == 0:
		return nil, nothing(ctx, c, run, about, here)
	case thread == "" && slices.ContainsFunc(open, func(it *api.Item) bool { return it.Solve != open[0].Solve }):
		var waiting []string
		for _, it := range open {
			waiting = append(waiting, strings.TrimPrefix(it.Solve, run+".")+text.Printable(fmt.Sprintf(" (%.60q)", it.Task)))
		}
		return nil, usage(fmt.Errorf("several solves wait: name one by --thread: %s", strings.Join(slices.Compact(waiting), ", ")))
	}
	if about == "tool" && a.call == "" {
		for _, it := range open {
			fmt.Fprintf(cmd.ErrOrStderr(), "A person has to allow this call:\n%s\n", text.Lines(it.Words))
			sayHow(cmd.ErrOrStderr(), run, " --server LINK", it.Tool.ID, it.Tool.Verdict)
		}
		return nil, usage(errors.New(unnamed))
	}
	return open[0], nil
}

// nothing says why nothing in a run can be answered so; here is what waits or waited in it.
func nothing(ctx context.Context, c *client.Client, run, about string, here []*api.Item) error {
	if slices.ContainsFunc(here, func(it *api.Item) bool { return it.Open }) {
		if about == "tool" {
			return usage(fmt.Errorf("a question waits in %s: answer it with a text, --vote or --against", run))
		}
		return usage(fmt.Errorf("the call of a tool waits in %s: answer it with --allow or --deny REASON", run))
	}
	for _, it := range slices.Backward(here) {
		if it.Answer != nil && it.Type == about {
			return fmt.Errorf("nothing waits for an answer in %s: %s has answered first", run, text.Printable(it.Answer.By))
		}
	}
	if _, err := c.Run(ctx, run); err != nil {
		var known []string
		all, _ := c.Runs(ctx) // the error is said
		for _, r := range all {
			known = append(known, r.Name)
		}
		return fmt.Errorf("%w%s", err, text.Suggest(run, known))
	}
	return fmt.Errorf("nothing of that kind waits for an answer in %s", run)
}

// inInbox waits until a question of a solve can be answered, 5 s at most: its log may be here
// before the server has folded it. It returns all that can be.
func inInbox(ctx context.Context, c *client.Client, solve string) []api.Item {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		all, err := c.Items(ctx)
		if err != nil {
			return nil
		}
		if all = slices.DeleteFunc(all, func(it api.Item) bool { return !it.Open || it.Solve != solve }); len(all) > 0 {
			return all
		}
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

// goesOn reports whether a solve went on after it had stopped, and waits while the server works on
// it and there is nothing new.
func goesOn(ctx context.Context, c *client.Client, solve string, stopped uint64) bool {
	for {
		now, err := c.Solve(ctx, solve, stopped)
		if err != nil || now.Seq > stopped || now.State != api.Running {
			return err == nil && now.Seq > stopped
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// solve has a team of the server work on a task, and shows how it does.
func (f *serverFlag) solve(cmd *cobra.Command, args []string, of *solveFlags) error {
	if err := errors.Join(withServer(cmd, "team", "context", "facts-differ", "checkable", "json", "log"), of.form.check()); err != nil {
		return err
	}
	switch {
	case len(args) != 1 || args[0] == "":
		return usage(errors.New("a task is required"))
	case of.team.team == "":
		return usage(errors.New("--server needs --team, the name of a team of the server"))
	}
	c, err := f.client()
	if err != nil {
		return err
	}
	shows := newScreen(cmd, of.form)
	shows.live = newLive(io.Discard)
	task := api.NewSolve{Team: of.team.team, Task: args[0], Context: of.team.context}
	if cmd.Flags().Changed("facts-differ") {
		task.FactsDiffer = &of.team.differ
	}
	if cmd.Flags().Changed("checkable") {
		task.Checkable = &of.team.provable
	}
	one, err := c.Start(cmd.Context(), task)
	if err != nil {
		return err
	}
	again := fmt.Sprintf("swarmbus show %s --thread %s --follow --server LINK", one.Run, one.Thread)
	err = shows.show(solves.Watch(cmd.Context(), c.Log(cmd.Context(), one.Run), one.Thread), func(r *solves.Result) bool {
		if r.Stop.GoesOn() && goesOn(cmd.Context(), c, one.ID, r.Log[len(r.Log)-1].Head().Seq) {
			return true
		}
		if r.Stop == runlog.StopEscalated || r.Stop == runlog.StopAsked {
			sayWaits(cmd.ErrOrStderr(), &one, inInbox(cmd.Context(), c, one.ID))
		}
		return false
	})
	if cmd.Context().Err() != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "The solve goes on: %s\n", again)
	}
	return err
}
