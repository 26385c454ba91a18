package main

import (
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

// answer answers the question of a solve of the server, which continues it.
func (f *serverFlag) answer(cmd *cobra.Command, a *answerFlags, text []string) error {
	c, err := f.client()
	if err != nil {
		return err
	}
	all, err := remote{c}.itemsOf(cmd.Context(), a.solve.resume)
	if err != nil {
		return err
	}
	_, permit, err := a.given(text)
	if err != nil {
		return err
	}
	if a.cancel {
		return a.cancelAt(cmd, c, all)
	}
	to, err := a.named(asksAt(all))
	if which := (*unnamed)(nil); errors.As(err, &which) {
		sayAsked(cmd.ErrOrStderr(), a.solve.resume, f.words(), which.open)
		err = cli.Usage(err)
	}
	switch {
	case err != nil:
		return err
	case to == nil:
		return nothing(cmd.Context(), c, a.solve.resume, all)
	}
	item := &all[slices.IndexFunc(all, func(it api.Item) bool { return idAt(&it) == to.id })]
	if permit != nil {
		_, err = c.Decide(cmd.Context(), item.ID, api.Verdict{Verdict: string(permit.Verdict), Reason: permit.Reason, Args: permit.Args, By: a.by, Shown: item.Tool.Shown})
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
	return f.sayAnswered(cmd, c, item, a, to)
}

// cancelAt cancels the solve of a server that --thread names, or the only one of the run that waits.
func (f *answerFlags) cancelAt(cmd *cobra.Command, c *client.Client, items []api.Item) error {
	solve := f.solve.resume + "." + f.thread
	for _, it := range items {
		switch {
		case f.thread != "" || !it.Open:
		case strings.HasSuffix(solve, ".") || solve == it.Solve:
			solve = it.Solve
		default:
			return cli.Usage(errors.New("--thread is required: several solves of the run wait"))
		}
	}
	if strings.HasSuffix(solve, ".") {
		return nothing(cmd.Context(), c, f.solve.resume, items)
	}
	one, err := c.Cancel(cmd.Context(), solve)
	if err == nil {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "The solve is cancelled: %s\n", text.Printable(one.Detail))
	}
	return err
}

// asksAt returns the questions that items of a server are.
func asksAt(items []api.Item) (asks []ask) {
	for i := range items {
		it := &items[i]
		_, thread, _ := strings.Cut(it.Solve, ".")
		a := ask{id: idAt(it), thread: thread, line: it.Asks + " asks: " + it.Reason, words: text.Lines(it.Words), open: it.Open}
		if it.Tool != nil {
			a.line, a.words, a.verdicts = callOf(it), text.Lines(it.Tool.Detail), []asking.Verdict{}
			for _, v := range it.Tool.Verdict {
				a.verdicts = append(a.verdicts, asking.Verdict(v))
			}
		}
		asks = append(asks, a)
	}
	return asks
}

// idAt returns the id of the question that an item is.
func idAt(it *api.Item) string { return strings.TrimPrefix(it.ID, it.Solve+".") }

// sayAnswered says what was answered, and what still waits in the solve.
func (f *serverFlag) sayAnswered(cmd *cobra.Command, c *client.Client, item *api.Item, a *answerFlags, to *ask) error {
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "Answered in the solve of %s\n", text.Printable(strconv.Quote(item.Task)))
	a.sayWhat(out, to)
	left, err := c.Items(cmd.Context(), false)
	if err != nil {
		return err
	}
	left = slices.DeleteFunc(left, func(it api.Item) bool { return it.Solve != item.Solve })
	if open := waiting(asksAt(left)); len(open) > 0 {
		fmt.Fprintln(out, "The solve still waits for an answer:")
		sayAsked(out, item.Run, f.atThread(to.thread), open)
		return nil
	}
	_, err = fmt.Fprintf(out, "The solve goes on: %s\n", f.followed(item.Run, to.thread))
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

// nothing says why nothing in a run can be answered; here is what waited in it.
func nothing(ctx context.Context, c *client.Client, run string, here []api.Item) error {
	for _, it := range slices.Backward(here) {
		if it.Answer != nil {
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
	if err := errors.Join(withServer(cmd, "team", "context", "facts-differ", "checkable", "schema", "json", "log"), of.form.check()); err != nil {
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
