// Command escalation shows a swarm that asks a person. An agent knows what the decision
// depends on and that it cannot find it out; whoever is at the terminal answers, and the
// others decide in the light of the answer. Without an answer the question stays in the
// journal: answer it later with swarmbus answer, and run the program again.
package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"log"
	"os"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

func main() {
	path := flag.String("journal", "escalation.journal", "where the question waits for its answer")
	flag.Parse()
	if err := run(context.Background(), os.Stdin, os.Stdout, *path); err != nil {
		log.Fatal(err)
	}
}

// run begins the solve of a journal, or continues it with the answer that was left in it.
func run(ctx context.Context, in io.Reader, out io.Writer, path string) (err error) {
	j, err := journal.Open(path, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	s, err := swarm.New(swarm.Options{
		Agents: []*agents.Agent{
			member("billing", "refund", "refund the second charge at once", 0.8), member("risk", "wait", "wait for the bank", 0.6), clerk(),
		},
		Journal: j,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Shutdown(ctx)) }()
	past, err := s.Results()
	if err != nil {
		return err
	}
	var r *solves.Result
	if len(past) == 0 {
		r, err = s.Solve(ctx, signals.Task{Task: "A customer says that she was charged twice. What do we do?"})
	} else {
		r, err = s.Resume(ctx, past[0].Log, nil)
	}
	if err == nil && r.Stop == runlog.StopEscalated {
		r, err = ask(ctx, s, r, in, out)
	}
	if err != nil {
		return err
	}
	if r.Stop == runlog.StopEscalated {
		fmt.Fprintf(out, "nobody answers; do it later, and run this again:\n  swarmbus answer %s --question %s \"no, she is new\"\n", path, r.Questions[len(r.Questions)-1].ID)
		return nil
	}
	fmt.Fprintf(out, "%s: %s (%s)\n", r.Stop, r.Answer, r.Detail)
	return nil
}

// ask passes the question to whoever is at the terminal. Without an answer the result is
// that of before.
func ask(ctx context.Context, s *swarm.Swarm, r *solves.Result, in io.Reader, out io.Writer) (*solves.Result, error) {
	fmt.Fprintf(out, "so far %s\n%s asks: %s\n", r.Decision.Reason(), r.Question.Asks, r.Question.Reason)
	line, err := bufio.NewReader(in).ReadString('\n')
	if line = strings.TrimSpace(line); line == "" {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return r, err
	}
	return s.Resume(ctx, r.Log, signals.New(
		signals.Header{Source: cmp.Or(os.Getenv("USER"), "person"), Confidence: 1}, signals.Memory{Content: line, Category: "answer"},
	))
}

// member returns an agent that proposes something and is for it until a person says more.
func member(id, proposal, content string, sure float64) *agents.Agent {
	return &agents.Agent{ID: id, Listens: []signals.Kind{signals.KindTask, signals.KindMemory}, Reactor: agents.Each(
		func(_ context.Context, s signals.Any) iter.Seq2[signals.Any, error] {
			if answer, ok := signals.As[signals.Memory](s); ok {
				return inTheLightOf(answer)
			}
			return agents.Emit(agents.Propose(proposal, content, sure, ""), agents.Agree(proposal, sure, "that is the rule"))
		},
	)}
}

// clerk returns an agent that sees what the decision depends on, and asks.
func clerk() *agents.Agent {
	return &agents.Agent{ID: "clerk", Listens: []signals.Kind{signals.KindConflict, signals.KindMemory}, Reactor: agents.Each(
		func(_ context.Context, s signals.Any) iter.Seq2[signals.Any, error] {
			if answer, ok := signals.As[signals.Memory](s); ok {
				return inTheLightOf(answer)
			}
			return agents.Emit(
				agents.Agree("refund", 0.7, "most who say so were"),
				signals.New(signals.Header{Confidence: 1}, signals.Escalation{Reason: "Do we know her as a customer? (yes or no, and why)"}),
			)
		},
	)}
}

// inTheLightOf votes as the answer of a person demands.
func inTheLightOf(answer *signals.Signal[signals.Memory]) iter.Seq2[signals.Any, error] {
	yes, no := "refund", "wait"
	if !strings.HasPrefix(strings.ToLower(answer.Payload.Content), "yes") {
		yes, no = no, yes
	}
	why := fmt.Sprintf("%s says: %s", answer.Source, answer.Payload.Content)
	return agents.Emit(agents.Agree(yes, 0.9, why), agents.Disagree(no, 0.9, why))
}
