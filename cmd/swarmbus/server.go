package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/client"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/teams"
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
		return nil, cli.Usage(fmt.Errorf("--server: %w", err))
	}
	return c, nil
}

// archive returns the server, or this machine if none is named.
func (f *serverFlag) archive() (archive, error) {
	if f.link == "" {
		return machine{}, nil
	}
	c, err := f.client()
	return remote{c}, err
}

// withServer refuses flags that are not about a server.
func withServer(cmd *cobra.Command, allowed ...string) (err error) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if err == nil && flag.Name != "server" && !slices.Contains(allowed, flag.Name) {
			err = cli.Usage(fmt.Errorf("--%s cannot be combined with --server: the team on the server sets it", flag.Name))
		}
	})
	return err
}

// asksAt returns the questions that items of a server are.
func asksAt(items []api.Item) (asks []ask) {
	for i := range items {
		it := &items[i]
		_, thread, _ := strings.Cut(it.Solve, ".")
		a := ask{id: strings.TrimPrefix(it.ID, it.Solve+"."), thread: thread, line: it.Asks + " asks: " + it.Reason, words: text.Lines(it.Words), open: it.Open, task: it.Task, answer: it.Answer}
		a.standing = it.Answer != nil && it.Answer.Verdict == string(asking.Solve) && it.Answer.Seq > 0
		if it.Tool != nil {
			a.line, a.words, a.verdicts, a.shown = callOf(it), text.Lines(it.Tool.Detail), []asking.Verdict{}, it.Tool.Shown
			for _, v := range it.Tool.Verdict {
				a.verdicts = append(a.verdicts, asking.Verdict(v))
			}
		}
		asks = append(asks, a)
	}
	return asks
}

// cancel cancels the solve that --thread names, or the only one of the run that waits.
func (r remote) cancel(cmd *cobra.Command, f *answerFlags) error {
	ctx, run, thread := cmd.Context(), f.solve.resume, f.thread
	all, err := r.asks(ctx, run)
	if err != nil {
		return err
	}
	for _, a := range waiting(all) {
		if f.thread == "" && thread != "" && thread != a.thread {
			return cli.Usage(errors.New("--thread is required: several solves of the run wait"))
		}
		thread = cmp.Or(f.thread, a.thread)
	}
	if thread == "" {
		return r.nothing(ctx, run)
	}
	one, err := r.Cancel(ctx, run+"."+thread)
	if err == nil {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "The solve is cancelled: %s\n", text.Printable(one.Detail))
	}
	return err
}

// answer answers the question in the inbox of the server, which goes on with the solve, and says what
// still waits in it.
func (r remote) answer(cmd *cobra.Command, f *answerFlags, to *ask, _ signals.Any, permit *asking.Answer) (err error) {
	ctx, run, out := cmd.Context(), f.solve.resume, cmd.OutOrStdout()
	switch {
	case f.cancel:
		return r.cancel(cmd, f)
	case to == nil:
		return r.nothing(ctx, run)
	}
	if item := run + "." + to.thread + "." + to.id; permit != nil {
		_, err = r.Decide(ctx, item, api.Verdict{Verdict: string(permit.Verdict), Reason: permit.Reason, Args: permit.Args, By: f.by, Shown: to.shown})
	} else {
		said := api.Answer{Text: f.text, Vote: f.vote + f.against, By: f.by}
		if f.against != "" {
			said.Stance = "disagree"
		}
		_, err = r.Answer(ctx, item, said)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Answered in the solve of %s\n", text.Printable(strconv.Quote(to.task)))
	f.sayWhat(out, to)
	left, err := r.asks(ctx, run)
	if err != nil {
		return err
	}
	if open := slices.DeleteFunc(waiting(left), func(a ask) bool { return a.thread != to.thread }); len(open) > 0 {
		fmt.Fprintln(out, "The solve still waits for an answer:")
		sayAsked(out, run, f.server.atThread(to.thread), open)
		return nil
	}
	_, err = fmt.Fprintf(out, "The solve goes on: %s\n", f.server.followed(run, to.thread))
	return err
}

// callOf describes the call that an item asks about on one line.
func callOf(it *api.Item) string {
	c := asking.Call{Agent: it.Tool.Agent, Tool: it.Tool.Tool, Args: string(it.Tool.Args), Why: it.Tool.Why}
	return c.String()
}

// words returns the flag for a printed command: with the address if that is all of the link, and the
// token comes from the environment.
func (f *serverFlag) words() []string {
	if u, err := url.Parse(f.link); f.link != "" && err == nil && u.Fragment == "" {
		return []string{"--server", f.link}
	}
	return []string{"--server", "LINK"}
}

// atThread are the flags that name a solve of a server.
func (f *serverFlag) atThread(thread string) []string {
	return append([]string{"--thread", thread}, f.words()...)
}

// followed is the command that shows how a solve goes on.
func (f *serverFlag) followed(run, thread string) string {
	return text.Shell(append([]string{"swarmbus", "show", run, "--follow"}, f.atThread(thread)...)...)
}

// nothing says why nothing in a run can be answered.
func (r remote) nothing(ctx context.Context, run string) error {
	here, err := r.itemsOf(ctx, run)
	if err != nil {
		return err
	}
	for _, it := range slices.Backward(here) {
		if it.Answer != nil {
			return fmt.Errorf("nothing waits for an answer in %s: %s has answered first", run, text.Printable(it.Answer.By))
		}
	}
	if _, err := r.Run(ctx, run); err != nil {
		var known []string
		all, _ := r.Runs(ctx) // the error is said
		for _, one := range all {
			known = append(known, one.Name)
		}
		return fmt.Errorf("%w%s", err, text.Suggest(run, known))
	}
	return fmt.Errorf("nothing waits for an answer in %s", run)
}

// goesOn reports whether a solve went on after it had stopped, and waits while the server works on
// it and there is nothing new.
func goesOn(ctx context.Context, c *client.Client, solve string, stopped uint64) bool {
	for {
		now, err := c.Get(ctx, solve, stopped)
		if err != nil || now.Seq > stopped || now.State != api.Running {
			return err == nil && now.Seq > stopped
		}
		if c.Changed(ctx, now.Solve) != nil {
			return false
		}
	}
}

// solve has a team of the server work on a task, and shows how it does.
func (f *serverFlag) solve(cmd *cobra.Command, args []string, of *solveFlags) error {
	if err := errors.Join(withServer(cmd, "team", "context", "facts-differ", "checkable", "schema", "attach", "json", "log"), of.form.check()); err != nil {
		return err
	}
	switch {
	case len(args) != 1 || strings.TrimSpace(args[0]) == "":
		return cli.Usage(errors.New("a task is required"))
	case of.team.team == "":
		return cli.Usage(errors.New("--server needs --team, the name of a team of the server"))
	}
	c, err := f.client()
	if err != nil {
		return err
	}
	shows := newScreen(cmd, of.form)
	shows.live = newLive(io.Discard)
	task := api.NewSolve{Team: of.team.team, Task: args[0], Context: of.team.context}
	for _, a := range of.terms.Files.All() {
		task.Attachments = append(task.Attachments, api.Attachment{Name: a.Name, Type: a.Type, Data: a.Data})
	}
	if cmd.Flags().Changed("facts-differ") {
		task.FactsDiffer = &of.team.differ
	}
	if cmd.Flags().Changed("checkable") {
		task.Checkable = &of.team.provable
	}
	if cmd.Flags().Changed("schema") {
		answer, err := teams.AnswerOf(of.team.by.schema)
		if err != nil {
			return cli.Usage(fmt.Errorf("--schema: %w", err))
		}
		task.Schema = json.RawMessage((&teams.Team{Answer: answer}).AnswerSchema())
	}
	one, err := c.Start(cmd.Context(), task)
	if err != nil {
		return err
	}
	err = shows.show(solves.Watch(cmd.Context(), c.Log(cmd.Context(), one.Run), one.Thread), func(r *solves.Result) bool {
		asks := r.Stop == runlog.StopEscalated || r.Stop == runlog.StopAsked
		if (asks || r.Stop.GoesOn()) && goesOn(cmd.Context(), c, one.ID, r.Log[len(r.Log)-1].Head().Seq) {
			return true
		}
		if asks {
			items, _ := c.Items(cmd.Context(), false) // without them it says the least
			sayAsked(cmd.ErrOrStderr(), one.Run, f.atThread(one.Thread), asksAt(slices.DeleteFunc(items, func(i api.Item) bool { return i.Solve != one.ID })))
		}
		return false
	})
	if cmd.Context().Err() != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "The solve goes on: %s\n", f.followed(one.Run, one.Thread))
	}
	return err
}
