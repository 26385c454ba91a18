package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

// solveTerms are what a solve depends on beside its models. A cassette has them, and
// so has a journal.
type solveTerms struct {
	Task    string    `json:"task"`
	Context string    `json:"context,omitempty"`
	Agents  int       `json:"agents"`
	Models  []string  `json:"models"`
	Rounds  int       `json:"rounds"`
	Seed    uint64    `json:"seed"`
	Began   time.Time `json:"began"`
	Journal bool      `json:"journal,omitempty"` // its log has the terms and the decision

	BaseURL  string        `json:"baseUrl,omitempty"`
	Budget   string        `json:"budget,omitempty"`
	Prices   []string      `json:"prices,omitempty"`
	Deadline time.Duration `json:"deadline,omitempty"`
}

// problem says what is wrong with the numbers, in flags or in a file.
func (t *solveTerms) problem() error {
	switch {
	case t.Agents < 1 || t.Agents > 64:
		return fmt.Errorf("--agents %d is not from 1 to 64", t.Agents)
	case t.Rounds < 1:
		return fmt.Errorf("--rounds %d is not positive", t.Rounds)
	}
	return nil
}

type solveFlags struct {
	terms    solveTerms
	record   string
	cassette string
	journal  string
	resume   string
	settle   bool
	json     bool
	log      bool

	live   *live          // while a team plays
	budget *limits.Budget // nil: none
}

func newSolve() *cobra.Command {
	var f solveFlags
	cmd := &cobra.Command{
		Use:   `solve "TASK" --model PROVIDER:NAME`,
		Short: "Run agents with language models on a task",
		Long: `Solve runs a team of agents on a task until they decide. Each has a role of its own
and asks a model once a turn. With several --model the team is mixed: the agents get
them in turn, and there must be an agent for each. Agents of one model form a group,
for strategies that use groups.

  --model openai:NAME      OpenAI, or any compatible server with --base-url, which
                           usually has a path: --base-url http://127.0.0.1:8000/v1;
                           the key is $OPENAI_API_KEY
  --model anthropic:NAME   the key is $ANTHROPIC_API_KEY
  --model ollama:NAME      an Ollama server, by default on this machine; no key

Keys are only read from the environment, and never printed or recorded.

A --budget in money (0.50usd) or tokens (20000tokens) is reserved before each call and
cannot be overspent; what was booked is printed at the end. A budget in money needs the
price of each model except Ollama's: --price openai:NAME=2.50/10 is the price of a
million tokens of input and of output, in dollars. The cost of a call that failed, or
was running when the program was killed, is open: its likely cost, by what recent calls
took, counts as well. Once the provider shows that such calls cost nothing,
--resume RUN --settle releases what is open.

--record writes the models' answers to a new file. --cassette replays such a file, or
what export printed of it, without models, keys or network: the log is the same, byte
for byte. A call that was not recorded is an error.

--journal records the run: what is said and decided, and each answer of a model before
it is used. --resume continues a run that was killed or canceled, failed, or ran out of
time or money. No call whose answer is in the journal is made again, and the result is
the same. Only the keys are needed; --base-url, --budget, --price and --deadline replace
those of the run, and what the journal says was spent counts. For a run that has ended,
--resume prints how. A run that asks a question is continued by swarmbus answer.
`,
		Args: atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runSolve(cmd, args, &f) },
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.terms.Models, "model", nil, "PROVIDER:NAME; may be repeated")
	flags.IntVar(&f.terms.Agents, "agents", 3, "number of agents, 1 to 64")
	flags.StringVar(&f.terms.Context, "context", "", "background of the task")
	flags.IntVar(&f.terms.Rounds, "rounds", 6, "maximum number of rounds")
	flags.Uint64Var(&f.terms.Seed, "seed", 1, "seed of ids and random choices")
	flags.StringVar(&f.terms.BaseURL, "base-url", "", "base URL of the models' server (default: the provider's)")
	flags.StringVar(&f.terms.Budget, "budget", "", "maximum cost, such as 0.50usd or 20000tokens (default: unlimited)")
	flags.StringArrayVar(&f.terms.Prices, "price", nil, "PROVIDER:NAME=IN/OUT, in dollars per million tokens")
	flags.StringVar(&f.record, "record", "", "write the models' answers to this new file")
	flags.StringVar(&f.cassette, "cassette", "", "replay the answers in this file")
	flags.StringVar(&f.journal, "journal", "", "record the run in this new file, or under this name; see swarmbus runs")
	flags.StringVar(&f.resume, "resume", "", "continue this run")
	flags.BoolVar(&f.settle, "settle", false, "with --resume: book what is open as free")
	flags.DurationVar(&f.terms.Deadline, "deadline", 10*time.Minute, "time limit of the solve")
	flags.BoolVar(&f.json, "json", false, "print events as JSON, one object per line")
	flags.BoolVar(&f.log, "log", false, "print only the log, as JSON, one signal per line")
	return cmd
}

// check finds wrong usage.
func (f *solveFlags) check(cmd *cobra.Command, args []string) error {
	given := func(names ...string) (first string) {
		for _, name := range names {
			if cmd.Flags().Changed(name) {
				return name
			}
		}
		return ""
	}
	if err := notEmpty(cmd); err != nil {
		return err
	}
	switch {
	case f.json && f.log:
		return usage(errors.New("--json and --log exclude each other"))
	case f.terms.Deadline <= 0:
		return usage(fmt.Errorf("--deadline %v is not positive", f.terms.Deadline))
	case f.settle && f.resume == "":
		return usage(errors.New("--settle is for a run that --resume continues"))
	case f.resume != "":
		if name := given("model", "agents", "context", "rounds", "seed", "record", "cassette", "journal"); name != "" {
			return usage(fmt.Errorf("--%s cannot be combined with --resume, which takes it from the run", name))
		}
		if len(args) > 0 {
			return usage(errors.New("--resume takes the task from the run"))
		}
		return nil
	}
	if f.cassette != "" {
		if name := given("model", "agents", "context", "rounds", "seed", "base-url", "budget", "price", "record"); name != "" {
			return usage(fmt.Errorf("--%s cannot be combined with --cassette, which contains it", name))
		}
		if len(args) > 0 {
			return usage(errors.New("the task is in the cassette"))
		}
		return nil
	}
	switch {
	case len(args) != 1 || args[0] == "":
		return usage(errors.New("a task is required"))
	case len(f.terms.Models) == 0:
		return usage(errors.New("--model is required, such as --model ollama:qwen3"))
	case f.terms.problem() != nil:
		return usage(f.terms.problem())
	case len(f.terms.Models) > f.terms.Agents:
		return usage(fmt.Errorf("--model names %d models for %s: give --agents %d", len(f.terms.Models), plural(f.terms.Agents, "agent"), len(f.terms.Models)))
	case strings.Contains(f.terms.BaseURL, "@"):
		return usage(errors.New("--base-url is recorded in journals, so it must not contain a user name or a key"))
	}
	f.terms.Task, f.terms.Began, f.terms.Journal = args[0], time.Now().UTC().Truncate(time.Second), f.journal != ""
	return nil
}

// notEmpty refuses flags that were given without a value, such as those of a variable
// that is not set: what they limit would have no limit.
func notEmpty(cmd *cobra.Command) error {
	for _, name := range []string{"budget", "base-url", "record", "cassette", "journal", "resume", "by", "vote", "against"} {
		if flag := cmd.Flags().Lookup(name); flag != nil && flag.Changed && flag.Value.String() == "" {
			return usage(fmt.Errorf("--%s is empty", name))
		}
	}
	return nil
}

func runSolve(cmd *cobra.Command, args []string, f *solveFlags) (err error) {
	if err := f.check(cmd, args); err != nil {
		return err
	}
	if f.resume != "" {
		return f.goOn(cmd, nil)
	}
	run := &aJournal{}
	defer func() { err = errors.Join(err, run.close()) }()
	ask, err := f.open(cmd, run)
	if err != nil {
		return err
	}
	return f.play(cmd, ask, run, func(s *swarm.Swarm) (iter.Seq2[swarm.Event, error], error) {
		return s.Stream(cmd.Context(), signals.Task{Task: f.terms.Task, Context: f.terms.Context}), nil
	})
}

// play lets a team play what begin begins, and shows it.
func (f *solveFlags) play(cmd *cobra.Command, ask func(string) models.Model, run *aJournal, begin func(*swarm.Swarm) (iter.Seq2[swarm.Event, error], error)) (err error) {
	live := newLive(cmd.ErrOrStderr())
	f.live = live
	o := swarm.Options{
		Seed: f.terms.Seed, Rounds: f.terms.Rounds, Deadline: f.terms.Deadline, Agents: team(&f.terms, ask, live.piece), Journal: run.store,
	}
	if f.record != "" || f.cassette != "" {
		o.Clock = swarm.StepClock(f.terms.Began, time.Millisecond)
	}
	s, err := swarm.New(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Shutdown(context.WithoutCancel(cmd.Context()))) }()
	stop, err := watch(cmd.Context(), s.Bus())
	if err != nil {
		return err
	}
	defer stop()
	show := transcript.Text(cmd.OutOrStdout(), lookOf(cmd.OutOrStdout(), 0))
	switch {
	case f.json:
		show = transcript.JSON(cmd.OutOrStdout())
	case f.log:
		show = transcript.Log(cmd.OutOrStdout())
	}
	events, err := begin(s)
	if err != nil {
		return err
	}
	for e, err := range events {
		if err != nil {
			return err
		}
		live.clear()
		stopped, ok := e.(swarm.Stopped)
		if ok && run.past != nil {
			run.past.add(stopped.Result)
		}
		if err := show(e); err != nil {
			return err
		}
		if ok {
			return f.bookedStatus(cmd, stopped.Result)
		}
	}
	return errors.New("the solve ended without a result")
}

// bookedStatus prints what the budget says, which has more than the answers took, and
// returns the status: where the budget refused calls, a team that did not decide had
// none left.
func (f *solveFlags) bookedStatus(cmd *cobra.Command, r *swarm.Result) error {
	err := statusOf(r)
	if f.budget == nil {
		return err
	}
	books := f.budget.Books()
	fmt.Fprintln(cmd.ErrOrStderr(), booked(books))
	var status *statusError
	if errors.As(err, &status) && status.status == exitNoConsensus && books.Refused > 0 {
		status.status = exitBudget
	}
	return err
}

// aJournal is where a solve keeps what happens.
type aJournal struct {
	store    journal.Store     // nil: nowhere
	recorder *journal.Recorder // nil: what models answer is not kept
	past     *pastSpending     // nil: the run begins
	files    []io.Closer
}

func (run *aJournal) close() error {
	var problems []error
	for _, f := range run.files {
		problems = append(problems, f.Close())
	}
	return errors.Join(problems...)
}

// keep opens the journal that was asked for.
func (f *solveFlags) keep(cmd *cobra.Command, run *aJournal) error {
	file, err := newRun(f.journal)
	if err != nil {
		return err
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "journal:", file.Path())
	run.store, run.files = file, append(run.files, file)
	return nil
}

// newRun opens a journal for a run that is not there yet.
func newRun(name string) (*journal.File, error) {
	path, err := runs.Make(name)
	if err != nil {
		return nil, err
	}
	file, err := journal.Open(path, nil)
	if err != nil {
		return nil, err
	}
	if file.Last() > 0 {
		return nil, errors.Join(fmt.Errorf("%s already contains a run", path), file.Close())
	}
	return file, nil
}

// statusOf is the exit status of a result, nil for one that was decided.
func statusOf(r *swarm.Result) error {
	switch r.Stop {
	case swarm.StopConsensus:
		return nil
	case swarm.StopBudget, swarm.StopDeadline:
		return &statusError{status: exitBudget}
	case swarm.StopEscalated:
		return &statusError{status: exitEscalated}
	case swarm.StopCancelled:
		return &statusError{status: exitCancelled}
	case swarm.StopError:
		return &statusError{exitError, r.Err}
	default:
		return &statusError{status: exitNoConsensus}
	}
}

// roles are those of a team, one after the other.
var roles = []struct{ name, role string }{
	{"planner", "You find a solution of the task and propose it. If others propose a better one, you say so and vote for it."},
	{"critic", "You look for what is wrong with a proposal, what it leaves out and what may go wrong, and vote against what does not hold."},
	{"verifier", "You check what is claimed: whether it is true, whether it follows, and whether the task is answered."},
	{"pragmatist", "You look at what a solution costs, and for a simpler one."},
	{"outsider", "You look at the task as somebody who has to live with the answer."},
}

// team makes the agents: roles and models go round.
func team(t *solveTerms, ask func(spec string) models.Model, show func(string, models.Piece)) (all []*agents.Agent) {
	for i := range t.Agents {
		r := roles[i%len(roles)]
		id := r.name
		if i >= len(roles) {
			id = fmt.Sprintf("%s-%d", r.name, i/len(roles)+1)
		}
		all = append(all, thinker.Thinker{
			ID: id, Role: r.role, Model: ask(t.Models[i%max(1, len(t.Models))]), Show: show, Seeded: isOllama(t.Models[i%max(1, len(t.Models))]),
		}.Agent())
	}
	return all
}
