package join

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/remote"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// Options of a [Desk]. Tokens are required.
type Options struct {
	// Tokens are those of the members, by agent. Each has at least 16 bytes and differs from
	// the others.
	Tokens map[string]string
	Codec  *signals.Codec // nil: the built-in kinds, and those of package coordination
	// Refused is called for each answer to an open turn that was refused, with the agent whose
	// token it had and the reason. For a member's other refused requests it is called the first
	// five times, and then once in ten seconds. It may be called concurrently. Nil: not called.
	Refused func(agent string, why error)
}

const (
	shortest = 16  // token
	tries    = 4   // answers that are refused before their turn fails
	waiting  = 8   // requests of a member that wait
	perSec   = 50  // requests of a member
	kept     = 256 // turns of a member that have ended

	firstTold = 5 // requests of a member without an open turn that are refused
	tellEvery = 10 * time.Second
)

// The errors of a turn that a member did not take.
var (
	// ErrAbsent says that the member did not ask for its turn in time.
	ErrAbsent = errors.New("join: the member did not ask for its turn")
	// ErrSilent says that the member took its turn and did not answer it in time.
	ErrSilent = errors.New("join: the member did not answer its turn")
)

// errClosed says that the desk was closed.
var errClosed = errors.New("the swarm has ended")

// A Desk holds the turns that wait for members. It may be used concurrently. Make one with
// [New].
type Desk struct {
	o       Options
	members map[[sha256.Size]byte]*member // by the hash of the token, so that a look-up takes a time that says nothing
	agents  map[string]*member
	closed  chan struct{}
	close   sync.Once
}

// New returns a desk.
func New(o Options) (*Desk, error) {
	d := &Desk{o: o, members: map[[sha256.Size]byte]*member{}, agents: map[string]*member{}, closed: make(chan struct{})}
	if o.Codec == nil {
		codec, err := signals.NewCodec(coordination.Payloads()...)
		if err != nil {
			return nil, err
		}
		d.o.Codec = codec
	}
	for agent, token := range o.Tokens {
		hash := sha256.Sum256([]byte(token))
		switch {
		case len(token) < shortest:
			return nil, &signals.FieldError{Field: "token", Problem: fmt.Sprintf("that of %s has %d bytes, and needs %d", agent, len(token), shortest)}
		case d.members[hash] != nil:
			return nil, &signals.FieldError{Field: "token", Problem: fmt.Sprintf("%s and %s have the same", agent, d.members[hash].agent)}
		}
		m := &member{
			agent: agent, limit: rate.NewLimiter(perSec, 2*perSec), slots: make(chan struct{}, waiting),
			told: rate.NewLimiter(rate.Every(tellEvery), firstTold), changed: make(chan struct{}), ended: map[string]error{},
		}
		d.members[hash], d.agents[agent] = m, m
	}
	return d, nil
}

// Close tells the members that no turns follow. Open turns still wait for their answers, until
// their contexts end. It is safe to call more than once.
func (d *Desk) Close() { d.close.Do(func() { close(d.closed) }) }

// Reactor returns the reactor of an agent whose turns a member takes.
func (d *Desk) Reactor() agents.Reactor { return remote.Reactor(d.ask, d.o.Codec) }

// ask passes a turn to a member, and returns its answer.
func (d *Desk) ask(ctx context.Context, agent string, request []byte) ([]byte, error) {
	m := d.agents[agent]
	if m == nil {
		return nil, fmt.Errorf("join: %s is not a member", agent)
	}
	t := &turn{Turn: Turn{ID: rand.Text()}, done: make(chan struct{})}
	if err := json.Unmarshal(request, &t.Turn); err != nil {
		return nil, err
	}
	m.open(t)
	select {
	case <-t.done:
	case <-ctx.Done():
		m.giveUp(t, context.Cause(ctx))
	}
	<-t.done
	return t.answer, t.err
}

// A turn waits for its answer.
type turn struct {
	Turn
	refused int // answers; protected by the member's mutex
	given   int // how often the member got it; so is this

	done   chan struct{} // closed when the turn has ended; what follows is set then
	answer []byte
	err    error
}

// A member is an agent that runs in another program.
type member struct {
	agent string
	limit *rate.Limiter
	told  *rate.Limiter // of calls of Refused for requests without an open turn
	slots chan struct{}

	mu      sync.Mutex // protects the fields below
	turns   []*turn    // that are open, the oldest first
	changed chan struct{}
	ended   map[string]error // turns by id, and why they take no answer
	order   []string         // of those that ended
}

func (m *member) open(t *turn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turns = append(m.turns, t)
	close(m.changed)
	m.changed = make(chan struct{})
}

// giveUp ends a turn that has no answer, unless it has ended.
func (m *member) giveUp(t *turn, cause error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	missed := ErrSilent
	if t.given == 0 {
		missed = ErrAbsent
	}
	m.endLocked(t, errOver, nil, fmt.Errorf("%w: %w", missed, cause))
}

// endLocked ends a turn, unless it has ended. Answers that follow are refused with late.
func (m *member) endLocked(t *turn, late error, answer []byte, err error) {
	i := slices.Index(m.turns, t)
	if i < 0 {
		return
	}
	m.turns = slices.Delete(m.turns, i, i+1)
	if m.order = append(m.order, t.ID); len(m.order) > kept {
		delete(m.ended, m.order[0])
		m.order = m.order[1:]
	}
	m.ended[t.ID] = late
	t.answer, t.err = answer, err
	close(t.done)
}

// next returns the open turn that the member got least often. If there is none it returns nil,
// and changed is closed once there is one.
func (m *member) next() (t *Turn, changed <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.turns) == 0 {
		return nil, m.changed
	}
	least := slices.MinFunc(m.turns, func(a, b *turn) int { return a.given - b.given })
	least.given++
	return &least.Turn, nil
}

// take returns a turn of the member, or nil if there is none within wait.
func (d *Desk) take(ctx context.Context, m *member, wait time.Duration) (*Turn, error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		t, changed := m.next()
		if t != nil {
			return t, nil
		}
		select {
		case <-changed:
		case <-timer.C:
			return nil, nil
		case <-d.closed:
			return nil, errClosed
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// The errors of an answer whose turn has ended.
var (
	errAnswered = errors.New("the turn has been answered")
	errOver     = errors.New("the turn is over: the answer is late")
	errFailed   = fmt.Errorf("the turn has failed: %d answers to it were refused", tries)
	errUnknown  = errors.New("unknown turn")
)

// put answers a turn of a member. It calls [Options].Refused for an answer that is refused.
func (d *Desk) put(m *member, id string, text []byte) error {
	open, why := m.answer(id, text, d.o.Codec)
	switch {
	case why == nil:
	case !open:
		d.tell(m, why)
	case d.o.Refused != nil:
		d.o.Refused(m.agent, why)
	}
	return why
}

// tell calls [Options].Refused for a refused request, unless there are too many.
func (d *Desk) tell(m *member, why error) {
	if d.o.Refused != nil && m.told.Allow() {
		d.o.Refused(m.agent, why)
	}
}

// answer answers a turn, and reports whether it was open.
func (m *member) answer(id string, text []byte, codec *signals.Codec) (open bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.turns, func(t *turn) bool { return t.ID == id })
	if i < 0 {
		return false, cmp.Or(m.ended[id], errUnknown)
	}
	t := m.turns[i]
	a, err := read(text)
	if err == nil {
		err = check(&t.Turn, a, codec)
	}
	if err == nil {
		whole, err := json.Marshal(a)
		if err == nil {
			m.endLocked(t, errAnswered, whole, nil)
		}
		return true, err
	}
	if t.refused++; t.refused == tries {
		m.endLocked(t, errFailed, nil, fmt.Errorf("join: %d answers were refused: %w", tries, err))
	}
	return true, err
}

// read returns the answer that a body is.
func read(text []byte) (*remote.Answer, error) {
	a := new(remote.Answer)
	err := json.Unmarshal(text, a)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return nil, &signals.FieldError{Field: cmp.Or(wrong.Field, "body"), Problem: "cannot be a " + wrong.Value}
	}
	if err != nil {
		return nil, &signals.FieldError{Field: "body", Problem: err.Error()}
	}
	return a, nil
}

// check returns what is wrong with an answer, of type [*signals.FieldError] as far as a
// field can be named.
func check(t *Turn, a *remote.Answer, codec *signals.Codec) error {
	if t.Most > 0 && len(a.Signals) > t.Most {
		return &signals.FieldError{Field: "signals", Problem: fmt.Sprintf("%d signals, and the turn may have %d", len(a.Signals), t.Most)}
	}
	said, err := a.Read(codec)
	if err != nil {
		return err
	}
	voted := map[string]bool{}
	for i, s := range said {
		field := func(name string) string { return fmt.Sprintf("signals[%d].%s", i, name) }
		if h := s.Head(); h.Source != "" && h.Source != t.Agent {
			return &ForgedError{signals.FieldError{Field: field("source"), Value: h.Source, Problem: "the token is that of " + t.Agent}}
		} else if h.Thread != "" && h.Thread != t.Thread {
			return &ForgedError{signals.FieldError{Field: field("thread"), Value: h.Thread, Problem: "the turn is of " + t.Thread}}
		}
		if v, ok := signals.As[signals.Vote](s); ok {
			if voted[v.Payload.ProposalID] {
				return &signals.FieldError{Field: field("payload.proposalId"), Value: v.Payload.ProposalID, Problem: "has a vote of this answer already"}
			}
			voted[v.Payload.ProposalID] = true
		}
	}
	return nil
}

// A ForgedError says that an answer claims to be of another agent or thread.
type ForgedError struct{ signals.FieldError }
