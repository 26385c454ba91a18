package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/natsflags"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// solveTerms are what a solve depends on beside its models. A cassette has them, and
// so has a journal.
type solveTerms struct {
	Task    string              `json:"task"`
	Files   signals.Attachments `json:"files,omitzero"`
	Team    *teams.Team         `json:"team"`
	Began   time.Time           `json:"began"`
	Journal bool                `json:"journal,omitempty"` // its log has the terms and the decision

	Dir      string `json:"dir,omitempty"`      // to which the directories of servers and the file of the memory are relative
	Cassette string `json:"cassette,omitempty"` // that has the answers of the models; "": models have

	Ledger ledgerFile          `json:"ledger,omitempty"` // of the team; a cassette has what it was
	Starts *reliability.Ledger `json:"starts,omitempty"`
}

// problem says what is wrong with terms in a file.
func (t *solveTerms) problem() error {
	if t.Team == nil {
		return errors.New("there is no team")
	}
	return t.Team.Validate()
}

func (t *solveTerms) task() signals.Task {
	return signals.Task{Task: t.Task, Context: t.Team.Context, Attachments: t.Files}
}

type solveFlags struct {
	terms    solveTerms
	team     teamFlags
	nats     natsflags.Flags
	record   string
	cassette string
	journal  string
	ledger   string
	resume   string
	join     string
	settle   bool
	attach   []string
	form     form
	server   serverFlag
}

func newSolve() *cobra.Command {
	var f solveFlags
	cmd := &cobra.Command{
		Use:   `solve "TASK" [--model PROVIDER:NAME | --team NAME|FILE]`,
		Short: "Run agents with language models on a task",
		Long: `Solve runs a team of agents on a task until they decide. Each agent has a role and asks a
model once a turn. With several --model the agents get them in turn.

  --model openai:NAME      OpenAI, or a compatible server with --base-url, which usually
                           has a path: --base-url http://127.0.0.1:8000/v1;
                           the key is $OPENAI_API_KEY
  --model anthropic:NAME   the key is $ANTHROPIC_API_KEY
  --model ollama:NAME      an Ollama server, by default on this machine; no key
  --model groq:NAME, openrouter:NAME, …   the other providers of swarmbus models

Without --model and --team the agents ask the small models of the providers whose keys are
set, or of an Ollama on this machine, and a solve costs 0.20usd at most unless --budget says
otherwise.

--team takes agents, models and all other terms from a file or a ready-made team (see
swarmbus team). Flags that are given win.

--mode auto, the default, lets the agents answer one after the other without seeing each
other's answers, until one answer leads by three or four votes; with --facts-differ they
state what they know first, and with --checkable three of them judge the arguments where
answers differ. In --mode deliberate they talk in rounds and settle conflicts, which costs
more. The result says which mode was used, why, and what it cost.

A --budget in money (0.50usd) or tokens (20000tokens) is reserved before each call and is
never overspent. A budget in money needs prices in dollars for a million tokens of input and
output: --price openai:NAME=2.50/10. A call that failed or was cut off counts with its likely
cost, until --resume RUN --settle counts it as free.

With --attach FILE the agents are shown a file: a text as a quote, a picture or PDF as it is. A model that
cannot read it is told what it misses. The run has the files, with their hashes.

With --schema FILE the answer is JSON that conforms to the JSON Schema in the file: equal values
are one proposal, and the result says field by field who agrees.

--ledger FILE is what is known of the agents when the solve begins, and what it teaches is added
to it; outcomes are told by swarmbus outcome. A team file that names a journal has a ledger
beside it.

--journal records the run, and --resume continues one that was killed, canceled, failed, or
ran out of time or money; no answer that is recorded is asked for again. A run that asks a
question is continued by swarmbus answer. --record writes the models' answers to a file, and
--cassette replays them without models, keys or network, to the same log.

Agents of a team file with the key join are programs of any language (docs/interop.md). With
--nats the agents are processes that swarmbus agent starts, and the run is in a log on NATS
servers (docs/scale.md). With --server a team of a running "swarmbus serve" works on the task.`,
		Args: cli.AtMost(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runSolve(cmd, args, &f) },
	}
	f.define(cmd.Flags())
	return cmd
}

func (f *solveFlags) define(flags *pflag.FlagSet) {
	f.team.define(flags)
	f.nats.Define(flags)
	f.nats.DefineSnapshots(flags)
	f.server.define(flags)
	flags.StringVar(&f.record, "record", "", "write the models' answers to this new file")
	flags.StringVar(&f.cassette, "cassette", "", "replay the answers in this file")
	flags.StringVar(&f.journal, "journal", "", "record the run in this new file, or under this name; see swarmbus runs")
	flags.StringVar(&f.ledger, "ledger", "", "begin with what this file has learned of the agents, and add to it (default: beside the journal of a team file)")
	flags.StringVar(&f.resume, "resume", "", "continue this run; with --nats the solve in this thread of the log, with the flags of its team")
	flags.StringArrayVar(&f.attach, "attach", nil, "file that the task is about: a text, picture or PDF (repeatable, at most 512 KiB together)")
	flags.BoolVar(&f.settle, "settle", false, "with --resume: count calls of unknown cost as free")
	flags.StringVar(&f.join, "join", joinAddr, "loopback address on which agents of the team join")
	flags.DurationVar(&f.team.deadline, "deadline", time.Duration(teams.DefaultDeadline), "time limit of the solve")
	f.form.define(flags)
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
	if err := errors.Join(notEmpty(cmd), f.nats.Check(cmd.Flags()), f.form.check()); err != nil {
		return err
	}
	switch {
	case f.team.deadline <= 0:
		return cli.Usage(fmt.Errorf("--deadline %v is not positive", f.team.deadline))
	case f.settle && f.resume == "":
		return cli.Usage(errors.New("--settle is for a run that --resume continues"))
	case f.nats.URL != "":
		if err := f.checkNATS(cmd, args); err != nil {
			return err
		}
	case f.resume != "":
		if name := given("team", "model", "agents", "context", "mode", "facts-differ", "checkable", "calls", "strategy", "threshold", "quorum", "conflicts", "advocate", "speakers", "writer", "schema", "attach", "rounds", "seed", "record", "cassette", "journal", "ledger"); name != "" {
			return cli.Usage(fmt.Errorf("--%s cannot be combined with --resume, which takes it from the run", name))
		}
		if len(args) > 0 {
			return cli.Usage(errors.New("--resume takes the task from the run"))
		}
		return nil
	}
	if f.cassette != "" {
		if name := given("model", "agents", "context", "mode", "facts-differ", "checkable", "calls", "strategy", "threshold", "quorum", "conflicts", "advocate", "speakers", "writer", "schema", "attach", "rounds", "seed", "base-url", "budget", "price", "record", "ledger"); name != "" {
			return cli.Usage(fmt.Errorf("--%s cannot be combined with --cassette, which contains it", name))
		}
		if len(args) > 0 {
			return cli.Usage(errors.New("the task is in the cassette"))
		}
		return f.fromFile(cmd)
	}
	task := strings.TrimSpace(strings.Join(args, ""))
	if task == "" && f.resume == "" {
		return cli.Usage(errors.New("a task is required: swarmbus solve \"TASK\", or - for standard input"))
	}
	team, err := f.team.make(cmd)
	if err != nil {
		return err
	}
	f.journal = cmp.Or(f.journal, team.Journal)
	f.terms = solveTerms{Task: task, Files: f.terms.Files, Team: team, Began: time.Now().UTC().Truncate(time.Second), Journal: f.journal != ""}
	beside := team.Journal
	if team.Strategy != "" {
		beside = "" // it says how votes count, whatever was learned
	}
	if f.terms.Ledger, err = ledgerAt(cmp.Or(f.ledger, team.Ledger), beside); err != nil {
		return err
	}
	return f.terms.here()
}

// fromFile reads the team that plays with the answers of a cassette, if one is given.
func (f *solveFlags) fromFile(cmd *cobra.Command) (err error) {
	if f.team.team == "" {
		return nil
	}
	if f.terms.Team, err = f.team.make(cmd); err != nil {
		return err
	}
	f.journal = cmp.Or(f.journal, f.terms.Team.Journal)
	if f.terms.Cassette, err = filepath.Abs(f.cassette); err != nil {
		return err
	}
	return f.terms.here()
}

// here notes where the servers of a team work, and to what the file of its memory is relative.
func (t *solveTerms) here() (err error) {
	if len(t.Team.Servers) > 0 || t.Team.Memory != nil {
		t.Dir, err = os.Getwd()
	}
	return err
}

// notEmpty refuses flags that were given without a value, such as those of a variable
// that is not set: what they limit would have no limit.
func notEmpty(cmd *cobra.Command) error {
	for _, name := range []string{"team", "mode", "conflicts", "advocate", "writer", "schema", "budget", "base-url", "record", "cassette", "journal", "ledger", "resume", "by", "vote", "against", "call", "question", "allow", "deny", "addr", "public-url", "config", "jaeger"} {
		if flag := cmd.Flags().Lookup(name); flag != nil && flag.Changed && flag.Value.String() == "" {
			return cli.Usage(fmt.Errorf("--%s is empty", name))
		}
	}
	return nil
}

// spoken returns a text of the command line; "-" is standard input.
func spoken(said string) (string, error) {
	if said != "-" {
		return said, nil
	}
	read, err := text.ReadFile("-", 1<<20)
	return strings.TrimSpace(string(read)), err
}

// attached reads files.
func attached(paths []string) (signals.Attachments, error) {
	var all []signals.Attachment
	for _, path := range paths {
		data, err := read(path, signals.AttachmentBytes)
		if err != nil {
			return signals.Attachments{}, cli.Usage(fmt.Errorf("--attach: %w", err))
		}
		all = append(all, signals.Attachment{Name: filepath.Base(path), Data: data})
	}
	files := signals.Attach(all...)
	if err := (signals.Task{Task: "any", Attachments: files}).Check(signals.Limits{}); err != nil {
		return signals.Attachments{}, cli.Usage(fmt.Errorf("--attach: %w", err))
	}
	return files, nil
}

// read returns the bytes of a file, and one more than there may be of a larger one, which is refused.
func read(path string, most int64) ([]byte, error) {
	file, err := text.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file, most+1))
}

func runSolve(cmd *cobra.Command, args []string, f *solveFlags) (err error) {
	for i := range args {
		if args[i], err = spoken(args[i]); err != nil {
			return err
		}
	}
	if f.terms.Files, err = attached(f.attach); err != nil {
		return err
	}
	if f.server.link != "" {
		return f.server.solve(cmd, args, f)
	}
	if err := f.check(cmd, args); err != nil {
		return err
	}
	if f.nats.URL != "" {
		if err := f.checkDriver(cmd); err != nil {
			return err
		}
		return f.drive(cmd)
	}
	if f.resume != "" {
		return f.continued(cmd, nil)
	}
	j, err := f.start(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	return f.play(cmd, j, func(d *desk.Desk) iter.Seq2[solves.Event, error] {
		return d.Solve(cmd.Context(), desk.Task{Task: f.terms.task()})
	})
}
