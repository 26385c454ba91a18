package swarm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/claims"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// A scribe writes its text, and counts how often.
type scribe struct {
	text  string
	err   error
	calls int
}

func (s *scribe) Name() string { return "scribe" }

func (s *scribe) Write(ctx context.Context, b *claims.Brief) (string, error) {
	s.calls++
	agents.Spend(ctx, agents.Cost{Calls: 1, InputTokens: 7})
	if s.text == "panic" {
		panic("no ink")
	}
	return s.text, s.err
}

func TestAnAnswerIsWrittenOnceAndCitesTheLog(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		scribe scribe
		by     string
		why    string
	}{
		{scribe{text: "They do it [4].\n\nNobody objects [4, 5]."}, "scribe", ""},
		{scribe{text: "They do it [4].\n\nNobody objects."}, "", claims.ErrUncited.Error()},
		{scribe{text: "They do it [4, 999]."}, "", claims.ErrCited.Error()},
		{scribe{text: "They do it [1]."}, "", claims.ErrCited.Error()}, // the task claims nothing
		{scribe{text: " \n"}, "", claims.ErrUncited.Error()},
		{scribe{text: "[4]."}, "", claims.ErrUncited.Error()},
		{scribe{text: strings.Repeat("x", claims.MaxAnswer) + "[4]"}, "", claims.ErrLong.Error()},
		{scribe{err: errors.New("no ink")}, "", "no ink"},
		{scribe{text: "panic"}, "", "panicked: no ink"},
	} {
		j := new(journal.Memory)
		options := func() swarm.Options {
			o := swarm.Options{Agents: agreeing(), Journal: j, Seed: 1, Strategy: consensus.Voting{}, Quorum: 3}
			o.Coordination.Writer = &c.scribe
			return o
		}
		s, err := swarm.New(options())
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Solve(t.Context(), signals.Task{Task: "what?"})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := r.Synthesis(); got.By != c.by || !strings.Contains(got.Why, c.why) || c.why == "" && got.Text != c.scribe.text {
			t.Errorf("%q: %+v", c.scribe.text, got)
		} else if c.why != "" && !strings.HasPrefix(got.Text, "The answer is: do it [") {
			t.Errorf("%q: not the template: %s", c.scribe.text, got.Text)
		}
		if spent := r.Spent["scribe"]; spent.InputTokens != 7 {
			t.Errorf("%q: %+v is counted", c.scribe.text, spent)
		}
		if _, err := replayed(t, j); err != nil {
			t.Error(err)
		}
		again := newSwarm(t, options())
		same, err := again.Resume(t.Context(), r.Log, nil)
		if err != nil || c.scribe.calls != 1 || same.Synthesis() != r.Synthesis() {
			t.Errorf("%q: written %d times, %v: %+v", c.scribe.text, c.scribe.calls, err, same.Synthesis())
		}
		all, err := solves.List(j)
		if err != nil || all[0].Synthesis() != r.Synthesis() {
			t.Errorf("%q: %v", c.scribe.text, err)
		}
	}
}

// An inkless writer ignores its context until it is freed.
type inkless chan struct{}

func (inkless) Name() string { return "inkless" }

func (s inkless) Write(context.Context, *claims.Brief) (string, error) {
	<-s
	return "They do it [4].", nil
}

func TestAWriterThatIgnoresItsContextIsLeftBehindAtTheDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		free := make(inkless)
		time.AfterFunc(time.Hour, func() { close(free) })
		o := swarm.Options{Agents: agreeing(), Seed: 1, Strategy: consensus.Voting{}, Quorum: 3, Limits: swarm.Limits{Deadline: time.Second}}
		o.Coordination.Writer = free
		began := time.Now()
		r, err := newSwarm(t, o).Solve(t.Context(), signals.Task{Task: "what?"})
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("the solve took %v of its second", took)
		}
		if got := r.Synthesis(); r.Answer != "do it" || got.By != "" || !strings.HasPrefix(got.Text, "The answer is: do it [") || !strings.Contains(got.Why, "inkless had not returned") {
			t.Errorf("%q: %+v, want the template", r.Answer, got)
		}
		<-free
	})
}

// The template says what the answer stands on, and cites nothing but the log.
func TestTheTemplateCitesTheLog(t *testing.T) {
	t.Parallel()
	s := newSwarm(t, swarm.Options{Agents: doubters(), Seed: 1, Strategy: consensus.Voting{}, Threshold: 1, Quorum: 2})
	r, err := s.Solve(t.Context(), signals.Task{Task: "faster?"})
	if err != nil {
		t.Fatal(err)
	}
	text := r.Synthesis().Text
	if err := r.Brief().Check(text); err != nil || !strings.HasPrefix(text, "The answer is: wait [") || !strings.Contains(text, "2 votes are for it") {
		t.Errorf("%v\n%s", err, text)
	}
	for _, said := range r.Log {
		if said.Kind() == claims.KindWritten {
			t.Error("the template is in the log, which nobody was asked to write")
		}
	}
}
