// Command cassette records what a model answers to a swarm and plays it again with the
// server closed: the log is the same, byte for byte. What was not recorded is an error.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/agents/models/openai"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/cassette"
)

const answer = `{"say":[{"type":"proposal","content":"back off with jitter","reasons":"it spreads load","confidence":0.8},
	{"type":"vote","proposal":"new","reasons":"it is simple","stance":"agree","confidence":0.8}]}`

func main() {
	server := modelstest.NewServer(modelstest.OpenAI, func(int, *models.Request) modelstest.Reply { return modelstest.Reply{Text: answer} })
	model, err := openai.New(openai.Options{Model: modelstest.Name, BaseURL: server.URL, Key: modelstest.Key})
	check(err)
	tape := &journal.Memory{} // or journal.Open, for a file
	recorder, err := journal.NewRecorder(tape)
	check(err)
	recorded, err := solve(cassette.Model(model, recorder), "Which retry policy?")
	check(err)
	model.Close()
	server.Close()

	results, err := journal.ReadResults(tape)
	check(err)
	replayed, err := solve(cassette.Replay(model.ID(), results), "Which retry policy?")
	check(err)
	fmt.Printf("%d answers recorded; the log of the replay is the same: %v\n", results.Len(), bytes.Equal(recorded, replayed))
	_, err = solve(cassette.Replay(model.ID(), results), "Which cache?")
	var miss *journal.MissError
	fmt.Println("another task was not recorded:", errors.As(err, &miss))
}

// solve returns the log of a solve.
func solve(m models.Model, task string) (written []byte, err error) {
	s, err := swarm.New(swarm.Options{
		Seed: 1, Clock: swarm.StepClock(time.Unix(0, 0), time.Millisecond), // so that runs repeat
		Agents: []*agents.Agent{thinker.Thinker{ID: "planner", Model: m}.Agent()},
	})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	result, err := s.Solve(context.Background(), signals.Task{Task: task})
	if err != nil {
		return nil, err
	}
	for _, s := range result.Log {
		line, err := signals.Marshal(s)
		if err != nil {
			return nil, err
		}
		written = append(append(written, line...), '\n')
	}
	return written, nil
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
