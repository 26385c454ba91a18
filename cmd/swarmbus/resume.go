package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

type answerFlags struct {
	solve   solveFlags
	thread  string
	by      string
	vote    string
	against string
	id      string // of the question that is answered, or the beginning of it
	allow   string
	deny    string
	respond string
	args    string
	text    string // of the answer, or the reason of a vote
	cancel  bool
	server  serverFlag
}

func newAnswer() *cobra.Command {
	var f answerFlags
	cmd := &cobra.Command{
		Use:   "answer RUN [TEXT]",
		Short: "Answer the question of a run and continue it",
		Long: `Answer continues a run of swarmbus solve --journal that ended because someone outside has to
answer (exit status 5). Without an answer, the questions that wait are listed with their ids; an
answer names the one that it is to, by its id or the beginning of it.

To a question that an agent asks, --question ID, all agents get TEXT. With --vote or --against,
TEXT is the reason of your vote on a proposal, which counts like that of another voter.

The call of a tool, --call ID, is made with --allow, which is for this call, and --allow=solve, for
all calls of this tool by this agent in this solve; it is not made with --deny and the reason,
which the agent sees. --args changes the arguments of a call that is allowed, which the agent
sees, too; --respond gives the result of a call that is not made.

With --cancel the solve ends instead: it asks nobody any more, and does not go on (exit status 6).

A question is answered once: a second answer is refused, with the name of who answered
first. In a run of another program the answer is kept until the program resumes the solve.
A run that was killed before it asked is continued by solve --resume.

` + aRun,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.OneRun(cmd, args)
			}
			return cli.AtMost(2)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.by, "by", "", "name of who answers (default: "+runlog.Person+")")
	flags.StringVar(&f.thread, "thread", "", "thread of the solve, if the run has several")
	flags.StringVar(&f.vote, "vote", "", "vote for the proposal with this id")
	flags.StringVar(&f.against, "against", "", "vote against the proposal with this id")
	flags.StringVar(&f.id, "call", "", "answer about the call of a tool with this id")
	flags.StringVar(&f.id, "question", "", "answer the question of an agent with this id")
	flags.StringVar(&f.allow, "allow", "", "allow the call of a tool: once, or for the solve")
	flags.Lookup("allow").NoOptDefVal = "once"
	flags.StringVar(&f.deny, "deny", "", "deny the call of a tool, for this reason")
	flags.StringVar(&f.respond, "respond", "", "do not make the call of a tool: its result is this text")
	flags.StringVar(&f.args, "args", "", "with --allow, all arguments of the call, as JSON, instead of the agent's")
	flags.BoolVar(&f.cancel, "cancel", false, "answer nothing: cancel the solve that waits")
	f.server.define(flags)
	f.solve.defineAgain(cmd)
	return cmd
}

// run answers a question of a run, or lists those that wait.
func (f *answerFlags) run(cmd *cobra.Command, args []string) (err error) {
	if err := notEmpty(cmd); err != nil {
		return err
	}
	if len(args) > 1 {
		if f.text, err = spoken(args[1]); err != nil {
			return err
		}
	}
	f.solve.resume = args[0]
	if f.server.link != "" {
		if err := withServer(cmd, "by", "thread", "vote", "against", "call", "question", "allow", "deny", "respond", "args", "cancel", "json"); err != nil {
			return err
		}
	}
	if len(args) == 1 && f.verdict()+f.vote+f.against == "" && !f.cancel {
		return f.list(cmd)
	}
	return f.give(cmd)
}

// give answers a question of a run, which continues.
func (f *answerFlags) give(cmd *cobra.Command) error {
	answer, permit, err := f.given()
	if err != nil {
		return err
	}
	at, all, err := f.asks(cmd)
	if err != nil {
		return err
	}
	var to *ask
	if !f.cancel {
		to, err = f.named(all)
	}
	if which := (*unnamed)(nil); errors.As(err, &which) {
		sayAsked(cmd.ErrOrStderr(), f.solve.resume, f.where(), which.open)
		err = cli.Usage(err)
	}
	if err != nil {
		return err
	}
	return at.answer(cmd, f, to, answer, permit)
}

// asks returns where the run is, and its questions.
func (f *answerFlags) asks(cmd *cobra.Command) (at archive, all []ask, err error) {
	if at, err = f.server.archive(); err == nil {
		all, err = at.asks(cmd.Context(), f.solve.resume)
	}
	return at, all, err
}

// where are the flags that name the server of a run; nil: it is here.
func (f *answerFlags) where() []string {
	if f.server.link == "" {
		return nil
	}
	return f.server.words()
}

// answer answers in a run of this machine, and continues it.
func (machine) answer(cmd *cobra.Command, f *answerFlags, to *ask, answer signals.Any, permit *asking.Answer) error {
	thread := f.thread
	err := f.solve.continued(cmd, func(file *journal.File) (_ signals.Any, err error) {
		switch {
		case to == nil && permit != nil:
			return nil, errors.New("the run does not ask about the call of a tool")
		case to == nil:
			return answer, nil
		case permit != nil:
			permit.ID = to.id
			if err := solves.Answer(cmd.Context(), file, to.thread, *permit); err != nil {
				return nil, err
			}
		default:
			h := answer.Head()
			if h.ReplyTo, err = signals.ParseID(to.id); err != nil {
				return nil, err
			}
			answer, thread = signals.With(answer, h), to.thread
		}
		f.sayWhat(cmd.ErrOrStderr(), to)
		return answer, nil
	})
	if other := (*notOurs)(nil); errors.As(err, &other) {
		if permit != nil {
			return sayLeft(cmd)
		}
		return f.leave(cmd, thread, answer)
	}
	return orServer(err)
}

// given returns the answer that flags and a text are, or the one about the call of a tool.
func (f *answerFlags) given() (answer signals.Any, permit *asking.Answer, err error) {
	switch {
	case f.cancel && f.text+f.verdict()+f.vote+f.against+f.id != "":
		err = cli.Usage(errors.New("--cancel answers nothing: it takes neither a text nor a question"))
	case f.cancel:
		answer = runlog.Abandon(f.by)
	case f.verdict() != "":
		permit, err = f.permission()
	default:
		answer, err = f.answer()
	}
	return answer, permit, err
}

// verdict returns what says that a call is answered; "": nothing.
func (f *answerFlags) verdict() string { return f.allow + f.deny + f.respond + f.args }

// orServer says of a run that is not here that it may be one of a server.
func orServer(err error) error {
	if locked := (*journal.LockError)(nil); errors.As(err, &locked) {
		return fmt.Errorf("%w: a run of a server is answered with --server LINK, any other when that process has ended", err)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; a run of a server, as over NATS, needs --server LINK", err)
	}
	return err
}

// defineAgain defines the flags that may be set anew for a run that is continued.
func (f *solveFlags) defineAgain(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.team.baseURL, "base-url", "", "base URL of the models' server (default: that of the run)")
	flags.StringVar(&f.team.budget, "budget", "", "maximum cost, such as 0.50usd or 20000tokens (default: that of the run)")
	flags.StringVar(&f.record, "record", "", "write the models' answers behind those in this file")
	flags.BoolVar(&f.settle, "settle", false, "count calls of unknown cost as free")
	flags.StringVar(&f.join, "join", joinAddr, "loopback address on which agents of the team join")
	flags.StringArrayVar(&f.team.prices, "price", nil, "PROVIDER:NAME=IN/OUT, in dollars per million tokens")
	flags.DurationVar(&f.team.deadline, "deadline", time.Duration(teams.DefaultDeadline), "time limit of the solve")
	f.form.define(flags)
}

// answer returns the answer that the arguments describe.
func (f *answerFlags) answer() (signals.Any, error) {
	h := signals.Header{Source: f.by, Confidence: 1}
	if err := f.solve.form.check(); err != nil {
		return nil, err
	}
	switch {
	case f.vote != "" && f.against != "":
		return nil, cli.Usage(errors.New("--vote and --against exclude each other"))
	case f.vote+f.against == "" && f.text == "":
		return nil, cli.Usage(errors.New("an answer is required: a text, or --vote"))
	case f.vote+f.against == "":
		return signals.New(h, signals.Memory{Content: f.text, Category: "answer", Importance: 1}), nil
	}
	v := signals.Vote{ProposalID: f.vote + f.against, Stance: signals.Agree, Weight: 1, Reasoning: f.text}
	if f.against != "" {
		v.Stance = signals.Disagree
	}
	return signals.New(h, v), nil
}

// list prints the questions of a run that wait for an answer.
func (f *answerFlags) list(cmd *cobra.Command) error {
	_, all, err := f.asks(cmd)
	if err != nil {
		return err
	}
	return f.sayOpen(cmd, all, f.where())
}

// sayOpen lists those of the questions of a run that wait, and that flags of the command name.
func (f *answerFlags) sayOpen(cmd *cobra.Command, all []ask, flags []string) error {
	open := slices.DeleteFunc(waiting(all), func(a ask) bool {
		return !strings.HasPrefix(a.id, f.id) || f.thread != "" && a.thread != f.thread
	})
	if len(open) == 0 {
		return cli.Usage(errors.New("an answer is required: a text, or --vote; no question waits in the run"))
	}
	if f.solve.form.json {
		return cli.Encode(cmd.OutOrStdout(), listedAsks(open))
	}
	sayAsked(cmd.OutOrStdout(), f.solve.resume, flags, open)
	return nil
}

// A listedAsk is a question that waits.
type listedAsk struct {
	ID       string           `json:"id"`
	Thread   string           `json:"thread"`
	Question string           `json:"question"`           // on one line
	Words    string           `json:"words"`              // and whole
	Verdicts []asking.Verdict `json:"verdicts,omitempty"` // of the call of a tool
}

func listedAsks(open []ask) (all []listedAsk) {
	for _, a := range open {
		all = append(all, listedAsk{a.id, a.thread, a.line, a.words, a.verdicts})
	}
	return all
}

// leave leaves the answer in a run of another program.
func (f *answerFlags) leave(cmd *cobra.Command, thread string, answer signals.Any) error {
	err := written(f.solve.resume, func(file *journal.File) error { return solves.Leave(cmd.Context(), file, thread, answer) })
	if err != nil {
		return err
	}
	return sayLeft(cmd)
}

func sayLeft(cmd *cobra.Command) error {
	_, err := fmt.Fprintln(cmd.OutOrStdout(), "The answer is in the run. Its program continues from it when it resumes the solve.")
	return err
}

// continued continues a run, after say has said something in its journal, if it is not nil. What say
// returns is the answer of the solve; nil: none.
func (f *solveFlags) continued(cmd *cobra.Command, say func(*journal.File) (signals.Any, error)) error {
	file, err := openRun(f.resume, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	var answer signals.Any
	if say != nil {
		answer, err = say(file)
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	j, err := f.goOn(cmd, file)
	if err != nil {
		return err
	}
	past, err := solves.List(file)
	if open := callsOf(past...); len(open) > 0 && (answer == nil || answer.Kind() != runlog.KindDecided) {
		sayAsked(cmd.ErrOrStderr(), nameOfRun(file), nil, open)
		err = &cli.StatusError{Status: cli.ExitEscalated}
		if answer != nil {
			err = cli.Usage(errors.New("the call of a tool waits, too: answer about it first"))
		}
	}
	if err != nil {
		return errors.Join(err, j.abandon())
	}
	return f.play(cmd, j, func(d *desk.Desk) iter.Seq2[solves.Event, error] { return f.again(cmd.Context(), d, answer) })
}

func proposed(log []signals.Any, id string) bool {
	return slices.ContainsFunc(log, func(s signals.Any) bool {
		p, ok := signals.As[signals.Proposal](s)
		return ok && p.Payload.ProposalID == id
	})
}

// openRun opens the journal of an existing run.
func openRun(name string, notes io.Writer) (*journal.File, error) {
	path, err := runs.Find(name)
	if err != nil {
		return nil, err
	}
	return journal.Open(path, waits(path, notes))
}
