package desk

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/cassette"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// Openers open what the file of a team names: each returns what it has opened, and what releases
// it, which is called once, also after an error. Nil: there is none of that. Package open has those
// that speak to providers, servers and databases.
type Openers struct {
	Models  func(t *teams.Team) (map[string]models.Model, *limits.Budget, error)
	Servers func(ctx context.Context, t *teams.Team) ([]tools.Source, func() error, error)
	// Memory gets the model of the vectors; nil: the file names none. Its pool may be nil, for a
	// memory whose answers are all on record.
	Memory func(ctx context.Context, t *teams.Team, vectors models.Embedder) (*memory.Pool, func() error, error)
	// Learns returns a memory that learns what was stated elsewhere before it is asked, and what has it
	// learn. Nil: the memory knows what it is told here.
	Learns func(m swarm.Memory) (swarm.Memory, func(context.Context) error, error)
	// Joined returns what makes the reactors of agents that join; nil: none does.
	Joined func(ctx context.Context, t *teams.Team) (func() agents.Reactor, func() error, error)
}

// Keep says what keeps answers, so that a turn that is taken again gets the same ones. Nil: nothing
// keeps them.
type Keep struct {
	Answers journal.Caller // of models
	Calls   journal.Caller // of tools and of the memory
	// Replay is for a cassette: Answers has all of models and the memory, and none is asked.
	Replay bool
}

// Show is called with each piece of an answer, concurrently by the agents of a round, and at its end
// with an empty one that begins again.
type Show func(turn *agents.Turn, p models.Piece)

// Opener returns what opens the team of a file.
func Opener(file *teams.Team, by Openers) func(context.Context, Keep) (*Crew, error) {
	return func(ctx context.Context, k Keep) (_ *Crew, err error) {
		c := &opened{file: file}
		defer func() {
			if err != nil {
				err = errors.Join(err, c.end())
			}
		}()
		if c.models, c.budget, err = by.Models(file); err != nil {
			return nil, err
		}
		if by.Servers != nil {
			all, end, err := by.Servers(ctx, file)
			if c.tools = all; c.release(end, err) != nil {
				return nil, err
			}
		}
		if by.Memory != nil && file.Memory != nil {
			var vectors models.Embedder
			if file.Memory.Embeddings != "" {
				vectors = models.EmbedderOf(c.model(file.Memory.Embeddings, k, nil))
			}
			pool, end, err := by.Memory(ctx, file, vectors)
			if c.memory = pool; c.release(end, err) != nil {
				return nil, err
			}
		}
		if by.Learns != nil && file.Memory != nil {
			if c.learned, c.learn, err = by.Learns(c.remembers(k)); err != nil {
				return nil, err
			}
		}
		if by.Joined != nil {
			reactor, end, err := by.Joined(ctx, file)
			if c.joined = reactor; c.release(end, err) != nil {
				return nil, err
			}
		}
		return &Crew{Build: c.build, Memory: c.memory, Budget: c.budget, End: c.end}, nil
	}
}

// opened is what the file of a team names.
type opened struct {
	file   *teams.Team
	models map[string]models.Model
	budget *limits.Budget
	tools  []tools.Source
	memory *memory.Pool
	joined func() agents.Reactor
	ends   []func() error

	learned swarm.Memory // that learns from elsewhere; nil: it is the pool
	learn   func(context.Context) error
}

func (c *opened) release(end func() error, err error) error {
	if end != nil {
		c.ends = append(c.ends, end)
	}
	return err
}

func (c *opened) end() (err error) {
	for _, end := range c.ends {
		err = errors.Join(err, end())
	}
	return err
}

// build returns the options of a swarm. Models count the calls of a turn from its first one, so
// that each swarm has its own.
func (c *opened) build(k Keep, show Show) (swarm.Options, error) {
	parts := teams.Parts{Tools: c.tools, Joined: c.joined, Models: func(name string) models.Model { return c.model(name, k, show) }}
	if k.Calls != nil {
		parts.Record = cassette.Tools(k.Calls)
	}
	if c.file.Memory != nil {
		parts.Memory = c.remembers(k)
		parts.Tools = append(parts.Tools[:len(parts.Tools):len(parts.Tools)], c.recalls())
	}
	return c.file.Build(parts)
}

// model returns a model by its name in the file; nil: it was not made.
func (c *opened) model(name string, k Keep, show Show) models.Model {
	m := c.models[name]
	switch {
	case k.Replay:
		m = cassette.Replay(c.file.Models[name].ID(), k.Answers)
	case m != nil && k.Answers != nil:
		m = cassette.Answers(m, k.Answers)
	}
	if m == nil || show == nil {
		return m
	}
	return shown{m, show}
}

func (c *opened) remembers(k Keep) swarm.Memory {
	switch {
	case c.learned != nil:
		return c.learned
	case k.Replay:
		return cassette.Remembers(nil, k.Answers)
	case k.Calls != nil:
		return cassette.Remembers(c.memory, k.Calls)
	case c.memory == nil:
		return nil
	}
	return c.memory
}

// recalls returns the tool that recalls. Without a memory its calls are on record.
func (c *opened) recalls() tools.Tool {
	if c.memory != nil && c.learn == nil {
		return c.memory.Tool()
	}
	if c.memory != nil {
		t := c.memory.Tool()
		recall := t.Call
		t.Call = func(ctx context.Context, args json.RawMessage) (tools.Result, error) {
			if err := c.learn(ctx); err != nil {
				return tools.Result{}, err
			}
			return recall(ctx, args)
		}
		return t
	}
	t := new(memory.Pool).Tool()
	t.Call = func(context.Context, json.RawMessage) (tools.Result, error) {
		return tools.Result{}, errors.New("a replay has no memory: replay the cassette without --team")
	}
	return t
}

// shown is a model whose answers are shown as they arrive.
type shown struct {
	models.Model
	show Show
}

// Ask implements [models.Model].
func (m shown) Ask(ctx context.Context, r *models.Request) (*models.Answer, error) {
	turn := agents.TurnOf(ctx)
	if turn == nil {
		return m.Model.Ask(ctx, r)
	}
	q := *r
	q.Show = func(p models.Piece) {
		if r.Show != nil {
			r.Show(p)
		}
		m.show(turn, p)
	}
	defer m.show(turn, models.Piece{Again: true}) // the answer is complete, or void
	return m.Model.Ask(ctx, &q)
}

// Reserve implements [models.Payer].
func (m shown) Reserve(ctx context.Context, r *models.Request, n int) (release func(), ok bool) {
	return models.Reserve(ctx, m.Model, r, n)
}
