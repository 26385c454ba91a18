package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/signals"
)

// A Set is what an agent may call. It is safe for concurrent use, as long as its fields are
// not modified. The zero value of a field has the meaning given.
type Set struct {
	From []Source // tools and servers; of tools with one name the first counts
	May  []Rule   // what the agent may call: nothing by default

	// Record keeps what is needed to replay a run or to continue it. Without one, all calls
	// of a turn that is taken again are made again.
	Record Recorder

	Parallel int           // maximum number of calls of an answer at once; 0: 4
	Most     int           // maximum number of calls of a turn; 0: 8
	Timeout  time.Duration // of a call; 0: 1m
	Output   int           // maximum bytes of a result; 0: [signals.DefaultTextBytes], which is also the maximum

	kept memory // what holds for the solve, without a recorder
}

// Of returns a set of Go functions that an agent may call.
func Of(all ...Tool) *Set {
	s := &Set{}
	for _, t := range all {
		s.From = append(s.From, t)
		s.May = append(s.May, Rule{Tools: t.Full()})
	}
	return s
}

// Validate returns an error with a [*signals.FieldError] for the first field of the set, or
// of a [Tool] in From, that breaks a rule. So does a [Rule] for a function that From lacks, if
// From has only functions. What servers have is known in turns: there any rule that names no
// tool is an error, since a misspelt one would leave its tool to another rule. A nil set is valid.
func (s *Set) Validate() error {
	if s == nil {
		return nil
	}
	for _, x := range []struct {
		field string
		value float64
	}{{"parallel", float64(s.Parallel)}, {"most", float64(s.Most)}, {"timeout", s.Timeout.Seconds()}, {"output", float64(s.Output)}} {
		if err := signals.AtLeastZero("tools."+x.field, x.value); err != nil {
			return err
		}
	}
	for _, r := range s.May {
		if err := r.validate(); err != nil {
			return fmt.Errorf("tools: %w", err)
		}
	}
	var names []string
	for _, from := range s.From {
		t, ok := from.(Tool)
		if !ok {
			continue
		}
		if err := t.validate(); err != nil {
			return err
		}
		if slices.Contains(names, t.Full()) {
			return fmt.Errorf("tools: %w", &signals.FieldError{Field: "tool.name", Value: t.Full(), Problem: "taken"})
		}
		names = append(names, t.Full())
	}
	for _, r := range s.May {
		if len(names) > 0 && len(names) == len(s.From) && !strings.Contains(r.Tools, "/") && !r.names(names) {
			return r.unnamed(names)
		}
	}
	return nil
}

// live returns the tools as they are now, by full name, and why some are not known.
func (s *Set) live(ctx context.Context) (all []Tool, err error) {
	seen := map[string]bool{}
	for _, from := range s.From {
		found, why := from.Tools(ctx)
		err = errors.Join(err, why)
		for _, t := range found {
			if !seen[t.Full()] {
				seen[t.Full()] = true
				all = append(all, t)
			}
		}
	}
	return all, err
}

// find returns a tool as it is now.
func (s *Set) find(ctx context.Context, full string) (Tool, error) {
	all, err := s.live(ctx)
	at := slices.IndexFunc(all, func(t Tool) bool { return t.Full() == full })
	if at < 0 {
		return Tool{}, cmp.Or(err, errors.New("the tool is no longer offered"))
	}
	return all[at], nil
}

// errNoTurn is returned outside of turns, where calls have neither an agent nor a place in
// the record.
var errNoTurn = errors.New("tools: the context is not that of an agent's turn")

// Begin returns the calls of the turn that ctx belongs to ([agents.TurnOf]), with what the
// agent is offered in it. A nil set offers nothing.
func (s *Set) Begin(ctx context.Context) (*Calls, error) {
	s = cmp.Or(s, &Set{})
	t := agents.TurnOf(ctx)
	if t == nil {
		return nil, errNoTurn
	}
	c := &Calls{set: s, of: t, turn: s.Record, solve: s.Record, place: Place{Thread: t.Thread, Agent: t.Agent, Turn: t.Round}}
	if s.Record == nil {
		c.turn, c.solve = unrecorded{}, &s.kept
	}
	specs, err := c.specs(ctx)
	if err != nil {
		return nil, err
	}
	for _, spec := range specs {
		policy, text := ruleOf(spec, s.May)
		c.offers = append(c.offers, offer{spec, c.nameFor(spec), policy, text, Rule{}})
	}
	return c, nil
}

// Calls are those of one turn of an agent. They are not for concurrent use.
type Calls struct {
	set    *Set
	of     *agents.Turn
	turn   Recorder // of what belongs to a turn
	solve  Recorder // of what holds for the solve
	place  Place
	offers []offer
	made   int
}

// An offer is a tool that the agent may call.
type offer struct {
	Spec
	name   string // by which the agent calls it
	policy Policy
	rule   string // as it is written
	by     Rule   // of a call that was judged
}

// Offer returns the tools that the agent may call, as a model gets them. A tool of a server
// is named server__name there.
func (c *Calls) Offer() []models.Tool {
	var all []models.Tool
	for _, o := range c.offers {
		if o.policy == Deny {
			continue
		}
		all = append(all, models.Tool{Name: o.name, Description: o.Description, Schema: o.Input})
	}
	return all
}

// Repeats reports whether the hints of an offered tool, by the name with which the agent calls
// it, let a call be made twice.
func (c *Calls) Repeats(name string) bool {
	return slices.ContainsFunc(c.offers, func(o offer) bool { return (o.name == name || o.Full() == name) && o.Hints.repeats() })
}

// nameFor returns a name that models accept and that no earlier offer has.
func (c *Calls) nameFor(s Spec) string {
	name := s.Name
	if s.Server != "" {
		name = s.Server + "__" + s.Name
	}
	taken := slices.ContainsFunc(c.offers, func(o offer) bool { return o.name == name })
	if taken || !offeredName.MatchString(name) {
		name = fmt.Sprintf("%.54s_%.8s", notOffered.ReplaceAllString(name, "_"), hashOf(s.Full()))
	}
	return name
}

// A ref is an offer on record: the specs are recorded once.
type ref struct {
	Tool string `json:"tool"`
	Hash string `json:"hash"`
}

// specs returns what the agent is offered in the turn. Only the tools of servers have to be
// on record.
func (c *Calls) specs(ctx context.Context) (all []Spec, err error) {
	list := func(ctx context.Context) (refs []ref, err error) {
		live, why := c.set.live(ctx) // the tools of an unreachable server are not offered
		var names []string
		for _, t := range live {
			names = append(names, t.Full())
		}
		for _, r := range c.set.May {
			if why != nil || r.names(names) {
				continue
			}
			if _, before, err := found[string](ctx, c.solve, c.place.solve("pin", r.Tools)); !before {
				return nil, cmp.Or(err, r.unnamed(names))
			}
		}
		for _, t := range live {
			if PolicyOf(t.Spec, c.set.May) == 0 {
				continue
			}
			hash, err := c.pinned(ctx, t.Spec)
			if err != nil {
				return nil, err
			}
			refs = append(refs, ref{t.Full(), hash})
		}
		return refs, nil
	}
	refs, err := recorded(ctx, c.turn, c.place.with("offered"), list)
	for _, r := range refs {
		spec, isThere, why := found[Spec](ctx, c.solve, c.place.solve("spec", r.Tool, r.Hash))
		if err = cmp.Or(err, why); err == nil && isThere {
			all = append(all, spec)
		}
	}
	return all, err
}

// pinned returns the hash of the tool's spec to offer to the agent: the first one offered,
// unless a person has allowed the new one.
func (c *Calls) pinned(ctx context.Context, s Spec) (string, error) {
	now := s.hash()
	pin, err := recorded(ctx, c.solve, c.place.solve("pin", s.Full()), func(context.Context) (string, error) { return now, nil })
	if err == nil && pin != now {
		_, rule := ruleOf(s, c.set.May)
		q := asking.Call{Thread: c.place.Thread, Agent: c.place.Agent, Tool: s.Full(), Spec: now, Rule: rule}
		if a := asking.Of(ctx, q); a == nil || !a.Allows(q) {
			return pin, nil
		}
	}
	if err == nil {
		_, err = recorded(ctx, c.solve, c.place.solve("spec", s.Full(), now), func(context.Context) (Spec, error) { return s, nil })
	}
	return now, err
}

// memory records what holds for the solves of a process. It does not tell them apart, so
// that it does not grow with their number.
type memory struct {
	mu  sync.Mutex // protects the field below
	all map[Place][]byte
}

// Do implements [Recorder].
func (m *memory) Do(ctx context.Context, p Place, do func(context.Context) ([]byte, error)) ([]byte, error) {
	p.Thread = ""
	m.mu.Lock()
	defer m.mu.Unlock()
	if text, ok := m.all[p]; ok {
		return text, nil
	}
	text, err := do(ctx)
	if err == nil {
		if m.all == nil {
			m.all = map[Place][]byte{}
		}
		m.all[p] = text
	}
	return text, err
}
