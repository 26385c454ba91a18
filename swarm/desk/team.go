package desk

import (
	"context"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// A Team is one that can be given tasks.
type Team struct {
	Name string // "": there is one only
	// File is its definition; nil: the program has it.
	File *teams.Team
	// About describes it, if there is no file.
	About string
	// Tasks are those that its agents know, if they are scripted; nil: they take any.
	Tasks []string
	// Open opens what it names; see [Opener]. The answers that it asks for meanwhile are kept, too.
	// Nil: its solves are only watched.
	Open func(ctx context.Context, k Keep) (*Crew, error)
}

// A Crew is a team that was opened.
type Crew struct {
	// Build returns the options of a swarm, whose answers are kept and shown as said. The journal,
	// name and hook are the desk's. It may be called several times.
	Build  func(k Keep, show Show) (swarm.Options, error)
	Memory *memory.Pool   // to search it; nil: none
	Budget *limits.Budget // what its models spend from; nil: it is not kept
	End    func() error   // releases all of it; nil: nothing to do
}

// Made returns what opens a team that a program has made: the options of its swarm.
func Made(o swarm.Options) func(context.Context, Keep) (*Crew, error) {
	return func(context.Context, Keep) (*Crew, error) {
		return &Crew{Build: func(Keep, Show) (swarm.Options, error) { return o, nil }}, nil
	}
}

func (c *Crew) close() error {
	if c == nil || c.End == nil {
		return nil
	}
	return c.End()
}

// dressed returns what builds the crew's options, with what is the desk's.
func (d *Desk) dressed(of *Options) func(Keep) (swarm.Options, error) {
	return func(k Keep) (swarm.Options, error) {
		o, err := d.crew.Build(k, d.hear)
		o.Name, o.Hook, o.Traits = d.Name, of.Hook, traits(o.Traits)
		return o, err
	}
}

// hear takes a piece of an answer, and has it shown soon.
func (d *Desk) hear(turn *agents.Turn, p models.Piece) {
	r := d.run(turn.Thread)
	if r == nil || !r.say(turn.Agent, p) || d.log == nil {
		return
	}
	d.wg.Go(func() { // the solve, which runs, is waited for, too
		select {
		case <-time.After(breath):
		case <-r.over:
		}
		r.change(func() { r.shown = false })
		d.log.tell()
		d.said(turn.Thread, d.Saying(turn.Thread))
	})
}

// breath is how long what agents say is collected before others are told.
const breath = 300 * time.Millisecond

// Saying returns what the models of a solve that runs here are saying, by agent: of the answers that
// are not complete the words, and of long ones the end. It is in no log.
func (d *Desk) Saying(thread string) map[string]string {
	if r := d.run(thread); r != nil {
		return r.saying()
	}
	return nil
}

// run returns a solve that runs here; nil: it does not.
func (d *Desk) run(thread string) *run {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.running[thread]
}
