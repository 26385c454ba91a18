package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/cassette"
)

type answerFlags struct {
	solve   solveFlags
	thread  string
	by      string
	vote    string
	against string
}

func newAnswer() *cobra.Command {
	var f answerFlags
	cmd := &cobra.Command{
		Use:   "answer RUN [TEXT]",
		Short: "Answer the question of a run and continue it",
		Long: `Answer continues a run of swarmbus solve --journal that ended because someone outside
has to decide (exit status 5). Every agent is told TEXT. With --vote or --against, TEXT
is the reason of your vote on a proposal, which counts like that of another voter;
otherwise the agents decide in the light of your answer.

A question can be answered once: a second answer is refused, with the name of who
answered first. A run that was killed before it asked is continued by solve --resume.

In a run of another program the answer is left: the program continues from it when it
resumes the solve. --thread names the solve if several wait.

` + aRun,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return oneRun(cmd, args)
			}
			return atMost(2)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := notEmpty(cmd); err != nil {
				return err
			}
			said, err := f.answer(args[1:])
			if err != nil {
				return err
			}
			f.solve.resume = args[0]
			err = f.solve.goOn(cmd, said)
			if other := (*notOurs)(nil); errors.As(err, &other) {
				return f.leave(cmd, said)
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.by, "by", "", "name of who answers (default: "+swarm.Person+")")
	flags.StringVar(&f.thread, "thread", "", "thread of the solve, in a run of another program")
	flags.StringVar(&f.vote, "vote", "", "vote for the proposal with this id")
	flags.StringVar(&f.against, "against", "", "vote against the proposal with this id")
	f.solve.again(cmd)
	return cmd
}

// again defines the flags that may be set anew for a run that is continued.
func (f *solveFlags) again(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.terms.BaseURL, "base-url", "", "base URL of the models' server (default: that of the run)")
	flags.StringVar(&f.terms.Budget, "budget", "", "maximum cost, such as 0.50usd or 20000tokens (default: that of the run)")
	flags.BoolVar(&f.settle, "settle", false, "book what is open as free")
	flags.StringArrayVar(&f.terms.Prices, "price", nil, "PROVIDER:NAME=IN/OUT, in dollars per million tokens")
	flags.DurationVar(&f.terms.Deadline, "deadline", 10*time.Minute, "time limit of the solve")
	flags.BoolVar(&f.json, "json", false, "print events as JSON, one object per line")
	flags.BoolVar(&f.log, "log", false, "print only the log, as JSON, one signal per line")
}

// answer returns the answer that the arguments describe.
func (f *answerFlags) answer(text []string) (signals.Any, error) {
	h := signals.Header{Source: f.by, Confidence: 1}
	switch {
	case f.solve.json && f.solve.log:
		return nil, usage(errors.New("--json and --log exclude each other"))
	case f.vote != "" && f.against != "":
		return nil, usage(errors.New("--vote and --against exclude each other"))
	case f.vote+f.against == "" && (len(text) == 0 || text[0] == ""):
		return nil, usage(errors.New("an answer is required: a text, or --vote"))
	case f.vote+f.against == "":
		return signals.New(h, signals.Memory{Content: text[0], Category: "answer", Importance: 1}), nil
	}
	v := signals.Vote{ProposalID: f.vote + f.against, Stance: signals.Agree, Weight: 1}
	if f.against != "" {
		v.Stance = signals.Disagree
	}
	if len(text) > 0 {
		v.Reasoning = text[0]
	}
	return signals.New(h, v), nil
}

// leave leaves the answer in a run of another program.
func (f *answerFlags) leave(cmd *cobra.Command, answer signals.Any) (err error) {
	path, err := runs.Path(f.solve.resume)
	if err != nil {
		return err
	}
	file, err := journal.Open(path, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := swarm.LeaveAnswer(cmd.Context(), file, f.thread, answer); err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), "The answer is in the run. Its program continues from it when it resumes the solve.")
	return err
}

// goOn continues a run, with or without an answer.
func (f *solveFlags) goOn(cmd *cobra.Command, answer signals.Any) (err error) {
	run, err := openRun(f.resume)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, run.close()) }()
	if err := f.takeOver(cmd, run); err != nil {
		return err
	}
	past, err := cassette.Spent(run.store)
	if err != nil {
		return err
	}
	run.past = &pastSpending{Caller: run.recorder, past: past}
	all, budget, err := f.models()
	if err != nil {
		return err
	}
	if err := f.rebook(run, budget); err != nil {
		return err
	}
	answersFrom(run.past, all)
	ask := func(spec string) models.Model { return all[spec] }
	return f.play(cmd, ask, run, func(s *swarm.Swarm) (iter.Seq2[swarm.Event, error], error) {
		past, err := s.Results()
		switch {
		case err != nil:
			return nil, err
		case len(past) > 0:
			if v, ok := answer.(*signals.Signal[signals.Vote]); ok && !proposed(past[0].Log, v.Payload.ProposalID) {
				return nil, fmt.Errorf("nobody proposed %q", v.Payload.ProposalID)
			}
			return s.StreamResume(cmd.Context(), past[0].Log, answer), nil
		case answer != nil:
			return nil, errors.New("the run asks nothing: it was interrupted before it began")
		}
		return s.Stream(cmd.Context(), signals.Task{Task: f.terms.Task, Context: f.terms.Context}), nil
	})
}

func proposed(log []signals.Any, id string) bool {
	return slices.ContainsFunc(log, func(s signals.Any) bool {
		p, ok := signals.As[signals.Proposal](s)
		return ok && p.Payload.ProposalID == id
	})
}

// openRun opens the journal of an existing run.
func openRun(name string) (*aJournal, error) {
	path, err := runs.Path(name)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	file, err := journal.Open(path, nil)
	if err != nil {
		return nil, err
	}
	recorder, err := journal.NewRecorder(file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &aJournal{store: file, recorder: recorder, files: []io.Closer{file}}, nil
}

// takeOver adopts the terms of a run, except those that are set anew.
func (f *solveFlags) takeOver(cmd *cobra.Command, run *aJournal) error {
	given := f.terms
	if err := readTerms(run.recorder.Results(), &f.terms); err != nil {
		return err
	}
	for name, take := range map[string]func(){
		"base-url": func() { f.terms.BaseURL = given.BaseURL },
		"budget":   func() { f.terms.Budget = given.Budget },
		"price":    func() { f.terms.Prices = given.Prices },
		"deadline": func() { f.terms.Deadline = given.Deadline },
	} {
		if cmd.Flags().Changed(name) {
			take()
		}
	}
	return nil
}
