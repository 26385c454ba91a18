package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/natsflags"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

func newAgent() *cobra.Command {
	var f solveFlags
	var as string
	cmd := &cobra.Command{
		Use:   "agent --nats URL --team NAME|FILE --as AGENT",
		Short: "Take the turns of an agent of a team, for a swarm on many machines",
		Long: `Agent takes the turns of one agent, wherever it runs, until it is interrupted. swarmbus
solve --nats with the same team drives the solves. Of several processes that are the same
agent, one takes each turn; what its model answered is recorded with the log, and is not
asked again if the process is killed.

  swarmbus agent --nats nats://n1:4222 --team team.yaml --as critic
` + natsflags.Help,
		Args: cli.AtMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			team, err := f.team.make(cmd)
			if err != nil {
				return err
			}
			switch f.terms.Team = team; {
			case as == "":
				return cli.Usage(errors.New("--as is required, such as --as critic"))
			case f.nats.URL == "" && !cmd.Flags().Changed("nats"):
				return cli.Usage(errors.New("--nats is required, such as --nats nats://127.0.0.1:4222"))
			}
			if err := errors.Join(f.nats.Check(cmd.Flags()), apart(team)); err != nil {
				return err
			}
			return f.serve(cmd, as)
		},
	}
	flags := cmd.Flags()
	f.nats.Define(flags)
	flags.StringVar(&as, "as", "", "the agent of the team")
	flags.StringVar(&f.team.team, "team", "", "ready-made team or file")
	flags.StringArrayVar(&f.team.models, "model", nil, "PROVIDER:NAME, in place of the team's; may be repeated")
	flags.StringVar(&f.team.baseURL, "base-url", "", "base URL of the models' server (default: the provider's)")
	flags.StringVar(&f.team.budget, "budget", "", "maximum cost of this process, such as 0.50usd (default: the team's)")
	flags.StringArrayVar(&f.team.prices, "price", nil, "PROVIDER:NAME=IN/OUT, in dollars per million tokens")
	f.team.agents, f.team.rounds, f.team.seed = 3, 1, 1
	return cmd
}

// apart refuses a team whose agents cannot be processes of swarmbus agent.
func apart(t *teams.Team) error {
	for _, a := range t.Agents {
		if a.Join != "" {
			return cli.Usage(fmt.Errorf("the agent %s of the team has the key join, which cannot be combined with --nats: there swarmbus agent takes its turns", a.ID))
		}
	}
	return nil
}

// notWithNATS says why flags of solve cannot be combined with --nats.
var notWithNATS = []struct{ flag, why string }{
	{"journal", "the log has the run"},
	{"ledger", "the log has what was learned"},
	{"record", "answers of models are recorded beside the log"},
	{"cassette", "answers of models are recorded beside the log"},
	{"settle", "the log has no costs"},
	{"join", "swarmbus agent takes the turns of the agents"},
}

// checkNATS finds what cannot be combined with --nats, before there is a team.
func (f *solveFlags) checkNATS(cmd *cobra.Command, args []string) error {
	for _, no := range notWithNATS {
		if cmd.Flags().Changed(no.flag) {
			return cli.Usage(fmt.Errorf("--%s cannot be combined with --nats: %s", no.flag, no.why))
		}
	}
	if f.resume != "" && (len(args) > 0 || cmd.Flags().Changed("context")) {
		return cli.Usage(errors.New("--resume takes the task and its context from the log"))
	}
	return nil
}

// checkDriver finds what would have no effect in a process that drives the team.
func (f *solveFlags) checkDriver(cmd *cobra.Command) error {
	if f.terms.Team.Journal != "" {
		return cli.Usage(fmt.Errorf("the journal %s of the team cannot be combined with --nats: the log has the run", f.terms.Team.Journal))
	}
	if err := apart(f.terms.Team); err != nil || len(askedHere(f.terms.Team)) > 0 {
		return err
	}
	for _, name := range []string{"budget", "price", "base-url"} {
		if cmd.Flags().Changed(name) {
			return cli.Usage(fmt.Errorf("--%s has no effect with --nats for a team without a --writer and without vectors of a memory: this process asks no model; give it to swarmbus agent", name))
		}
	}
	return nil
}

// serve takes the turns of an agent until the command is interrupted.
func (f *solveFlags) serve(cmd *cobra.Command, as string) (err error) {
	var ids []string
	for _, a := range f.terms.Team.Agents {
		ids = append(ids, a.ID)
	}
	at := slices.Index(ids, as)
	if at < 0 {
		return cli.Usage(fmt.Errorf("--as %q is none of the team's agents %s%s", as, strings.Join(ids, ", "), text.Suggest(as, ids)))
	}
	ctx := cmd.Context()
	records := machines.NewRecords()
	f.nats.Agent = as
	log, err := f.nats.Attend(ctx, cmd.ErrOrStderr(), folded(f.terms.Team, records))
	if err != nil {
		return err
	}
	defer log.Close()
	results, err := log.Results(ctx)
	if err != nil {
		return err
	}
	keep := desk.Keep{Answers: results, Calls: results}
	by := opening(&screen{notes: cmd.ErrOrStderr(), live: &live{notes: cmd.ErrOrStderr()}}, "", nil)
	groups := learning(&by, records)
	crew, err := desk.Opener(f.terms.Team, by)(ctx, keep)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, crew.End()) }()
	whole, err := crew.Build(keep, nil)
	if err != nil {
		return err
	}
	groups(whole)
	fmt.Fprintf(cmd.OutOrStdout(), "%s takes its turns here\n", text.Printable(as))
	err = machines.Serve(ctx, log, as, func() *agents.Agent { // each turn with models of its own
		o, _ := crew.Build(keep, nil) // it did before
		return o.Agents[at]
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// elsewhere is the model of an agent that takes its turns in another process.
type elsewhere struct{ id models.ID }

// ID implements [models.Model].
func (m elsewhere) ID() models.ID { return m.id }

// Ask implements [models.Model].
func (elsewhere) Ask(context.Context, *models.Request) (*models.Answer, error) {
	return nil, errors.New("the model is in the process of the agent")
}

// driving returns openers for a process that drives a team, whose agents are elsewhere. It makes
// the models that this process asks: the writer, and the one of the memory's vectors.
func driving(s *screen, t *teams.Team) (by desk.Openers, err error) {
	names := askedHere(t)
	by = opening(s, "", names)
	all, budget := map[string]models.Model{}, (*limits.Budget)(nil)
	if len(names) > 0 {
		if all, budget, err = by.Models(t); err != nil {
			return by, fmt.Errorf("the process that drives the team asks its writer, and makes the vectors of its memory: %w", err)
		}
	}
	for name, about := range t.Models {
		if all[name] == nil {
			all[name] = elsewhere{about.ID()}
		}
	}
	by.Servers = nil
	by.Models = func(*teams.Team) (map[string]models.Model, *limits.Budget, error) { return all, budget, nil }
	return by, nil
}

// askedHere names the models of a team that the process asks which drives it.
func askedHere(t *teams.Team) []string {
	names := []string{}
	if t.Writer != "" {
		names = append(names, t.Writer)
	}
	if t.Memory != nil && t.Memory.Embeddings != "" {
		names = append(names, t.Memory.Embeddings)
	}
	return names
}

// drive drives a solve whose agents are other processes.
func (f *solveFlags) drive(cmd *cobra.Command) (err error) {
	ctx, shows, records := cmd.Context(), newScreen(cmd, f.form), f.nats.Records(cmd.ErrOrStderr())
	by, err := driving(shows, f.terms.Team)
	if err != nil {
		return err
	}
	groups := learning(&by, records)
	log, err := f.nats.JoinSwarm(ctx, shows.notes, records.Fold)
	if err != nil {
		return err
	}
	defer log.Close()
	defer f.nats.Store(log, shows.notes)()
	if err := f.takeTask(records); err != nil {
		return err
	}
	team := desk.Team{File: f.terms.Team, Open: desk.Opener(f.terms.Team, by)}
	d, err := desk.Open(ctx, team, &machines.Place{Name: f.nats.Stream, Of: log, Records: records}, desk.Options{
		Hook: shows.live.watching(cli.HookOf(ctx)), Watch: func(b *bus.Bus) (func(), error) { return cli.Watch(ctx, b) },
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close(context.WithoutCancel(ctx))) }()
	groups(d.Options())
	shows.within(f.terms.Team, d.Budget())
	events := sayingPast(shows.notes, d.Solve(ctx, desk.Task{Task: f.terms.task()}))
	return shows.show(events, func(r *solves.Result) bool {
		open := waiting(asksOf(r))
		if len(open) == 0 {
			return false
		}
		sayAsked(shows.notes, f.nats.Stream, new(serverFlag).atThread(r.Thread), open)
		fmt.Fprintln(shows.notes, "LINK is that of a swarmbus serve --nats with this team, which goes on with the solve")
		return false
	})
}

// takeTask takes the task of a solve of the log that --resume names by its thread.
func (f *solveFlags) takeTask(log journal.Reader) error {
	if f.resume == "" {
		return nil
	}
	codec, err := machines.Codec()
	if err != nil {
		return err
	}
	var threads []string
	for s, err := range journal.Signals(log, codec, 0) {
		if err != nil {
			return err
		}
		task, ok := signals.As[signals.Task](s)
		if ok && task.Thread == f.resume {
			f.terms.Task, f.terms.Team.Context = task.Payload.Task, task.Payload.Context
			return nil
		}
		if ok {
			threads = append(threads, task.Thread)
		}
	}
	return fmt.Errorf("--resume %q: there is no solve in that thread of the log%s", f.resume, text.Suggest(f.resume, threads))
}

// sayingPast says on w that what follows is in the log, or how much of it is.
func sayingPast(w io.Writer, events iter.Seq2[solves.Event, error]) iter.Seq2[solves.Event, error] {
	return func(yield func(solves.Event, error) bool) {
		for e, err := range events {
			if began, ok := e.(solves.Started); ok && began.Past != nil {
				fmt.Fprintln(w, "nats:", pastOf(began.Past))
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func pastOf(r *solves.Result) string {
	was, follows := "was decided before", "what follows is in the log, by the terms of then"
	switch {
	case r.Stop == 0 || r.Stop.GoesOn():
		was, follows = "goes on", fmt.Sprintf("the %d signals that are in the log come first, and turns, calls, tokens and times are counted from here on", len(r.Log))
	case !r.Stop.Chose():
		was = "ended before"
	}
	return fmt.Sprintf("the task %s in thread %s, begun at %s: %s", was, text.Printable(r.Thread), r.Log[0].Head().Time.Format(time.RFC3339), follows)
}
