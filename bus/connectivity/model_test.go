package connectivity_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// model is the layer written without regard to cost: a list of signals, and
// every rule as a loop over it.
type model struct {
	rule  connectivity.Suppression
	all   []*coordination.Signal
	steps map[string]int
	now   time.Time
	told  []string
}

func (m *model) tell(s *coordination.Signal, e connectivity.Event) {
	m.told = append(m.told, fmt.Sprintf("%s %s", s.ID, e))
}

func (m *model) find(id signals.ID) *coordination.Signal {
	for _, s := range m.all {
		if s.ID == id {
			return s
		}
	}
	return nil
}

func urgent(c coordination.Class, p coordination.Priority) bool {
	return c.Message() == coordination.AboutEscalation && p == coordination.High
}

// judge returns the expected result of an input: an error, a repetition, or a
// new signal.
func (m *model) judge(in connectivity.Input) (repeated *coordination.Signal, problem error) {
	if in.ExpiresAtStep != 0 && (in.ExpiresAtStep <= m.steps[in.Thread] || in.Priority == coordination.Critical) {
		return nil, signals.ErrInvalid
	}
	if !in.Replaces.IsZero() {
		switch target := m.find(in.Replaces); {
		case target == nil:
			return nil, connectivity.ErrNotFound
		case target.Thread != in.Thread:
			return nil, signals.ErrInvalid
		case target.State.Terminal():
			return nil, connectivity.ErrTerminal
		case target.Priority == coordination.Critical &&
			(in.Priority != coordination.Critical || in.Source != target.Source && in.Source != modelCoordinator):
			return nil, connectivity.ErrNotAllowed
		}
		return nil, nil
	}
	if in.Priority == coordination.Critical {
		return nil, nil
	}
	for _, s := range m.all {
		inWindow := s.Step == m.steps[in.Thread]
		if m.rule.Basis == connectivity.ByTime {
			inWindow = m.now.Sub(s.EmittedAt) <= m.rule.Window
		}
		if in.Priority == coordination.Low && in.Confidence.IsZero() {
			inWindow = true
		}
		if !s.State.Terminal() && s.Thread == in.Thread && s.Source == in.Source && s.Class == in.Class &&
			s.Audience == in.Audience && !raises(in, s) && inWindow && m.stands(s) &&
			(!urgent(in.Class, in.Priority) || s.Summary == in.Summary) {
			repeated = s
		}
	}
	return repeated, nil
}

// raises reports whether an input is more urgent than a signal.
func raises(in connectivity.Input, s *coordination.Signal) bool {
	now := coordination.Signal{Class: in.Class, Priority: in.Priority, Confidence: in.Confidence}
	return in.Priority > s.Priority || in.Priority == s.Priority && now.Salience() > s.Salience()
}

// stands reports whether a grade is in force; signals other than grades always
// are.
func (m *model) stands(s *coordination.Signal) bool {
	return s.Class.Message() != coordination.AboutConfidence || m.latest(s.Thread)[s.Source] == s
}

// latest returns the grades in force by source.
func (m *model) latest(thread string) map[string]*coordination.Signal {
	latest := map[string]*coordination.Signal{}
	for _, s := range m.all {
		if s.Thread == thread && !s.State.Terminal() && s.Class.Message() == coordination.AboutConfidence {
			latest[s.Source] = s
		}
	}
	return latest
}

// open returns how many signals, without handoffs, a source has open in a
// thread.
func (m *model) open(of coordination.Signal) (n int) {
	for _, s := range m.all {
		if !s.State.Terminal() && s.Thread == of.Thread && s.Source == of.Source && s.Class.Message() != coordination.AboutHandoff {
			n++
		}
	}
	return n
}

func (m *model) store(s coordination.Signal) {
	before := m.open(s)
	if target := m.find(s.Replaces); target != nil {
		target.State = coordination.Superseded
		m.tell(target, connectivity.WasSuperseded)
	}
	s.State = coordination.Active // there is an observer
	m.all = append(m.all, &s)
	m.tell(&s, connectivity.WasEmitted)
	if before <= connectivity.Crowd && m.open(s) > connectivity.Crowd {
		m.tell(&s, connectivity.Crowded)
	}
}

func (m *model) advance(thread string) {
	m.steps[thread]++
	for _, s := range m.all {
		if s.Thread == thread && !s.State.Terminal() && s.ExpiresAtStep != 0 && s.ExpiresAtStep <= m.steps[thread] {
			s.State = coordination.Expired
			m.tell(s, connectivity.WasExpired)
		}
	}
}

func (m *model) close(thread string) {
	m.all = slices.DeleteFunc(m.all, func(s *coordination.Signal) bool { return s.Thread == thread })
	delete(m.steps, thread)
}

func (m *model) values() (all []coordination.Signal) {
	for _, s := range m.all {
		all = append(all, *s)
	}
	return all
}

// obstacles returns the summaries of the obstacles of a thread.
func (m *model) obstacles(thread string) (all []string) {
	latest := m.latest(thread)
	for _, s := range m.all {
		weak := s.Class == coordination.ConfidenceLow || s.Class == coordination.ConfidenceBlocker
		if s.Thread == thread && !s.State.Terminal() &&
			(s.Priority == coordination.Critical || s.Class == coordination.ConflictActive || s.Class.Message() == coordination.AboutEscalation || weak && latest[s.Source] == s) {
			all = append(all, s.ID.String())
		}
	}
	return all
}

// machine runs a layer and the model side by side.
type machine struct {
	bus   *bus.Bus
	layer *connectivity.Layer
	opts  connectivity.Options
	model model
	told  []string
}

var (
	modelThreads = []string{"t", "u"}
	modelSources = []string{"a", "b", modelCoordinator}
)

const modelCoordinator = "c"

func (m *machine) id(t *rapid.T, what string) signals.ID {
	ids := []signals.ID{signals.MustID("sig_unknown")}
	for _, s := range m.model.all {
		ids = append(ids, s.ID)
	}
	return rapid.SampledFrom(ids).Draw(t, what)
}

func (m *machine) emit(t *rapid.T) {
	in := connectivity.Input{
		Thread:        rapid.SampledFrom(modelThreads).Draw(t, "thread"),
		Source:        rapid.SampledFrom(modelSources).Draw(t, "source"),
		Audience:      coordination.Audience(rapid.IntRange(1, 2).Draw(t, "audience")),
		Priority:      coordination.Priority(rapid.IntRange(1, 4).Draw(t, "priority")),
		Summary:       rapid.SampledFrom([]string{"x", "y"}).Draw(t, "summary"),
		ExpiresAtStep: max(0, rapid.IntRange(-3, 5).Draw(t, "expires")),
	}
	class(rapid.SampledFrom([]coordination.Class{
		coordination.AttentionRaise, coordination.ConfidenceHigh, coordination.ConfidenceLow,
		coordination.ConflictActive, coordination.EscalationInterrupt, coordination.HandoffReady,
	}).Draw(t, "class"))(&in)
	switch grade := rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "grade"); {
	case grade == 0:
	case in.Confidence.IsZero(), in.Class == coordination.ConfidenceLow:
		in.Confidence = coordination.Graded(grade)
	}
	if rapid.IntRange(0, 3).Draw(t, "replace") == 0 {
		in.Replaces = m.id(t, "target")
	}
	repeated, problem := m.model.judge(in)
	e, err := m.layer.Emit(ctx, in)
	switch {
	case !errors.Is(err, problem):
		t.Fatalf("error %v, want %v", err, problem)
	case problem != nil:
	case e.Suppressed != (repeated != nil):
		t.Fatalf("suppressed %v (%v), want %v", e.Suppressed, e.Reason, repeated)
	case repeated != nil && e.Signal.ID != repeated.ID:
		t.Fatalf("returned %s, want %s", e.Signal.ID, repeated.ID)
	case repeated == nil:
		m.model.store(e.Signal)
	}
}

func (m *machine) resolve(t *rapid.T) {
	id := m.id(t, "id")
	s := m.model.find(id)
	_, err := m.layer.Resolve(ctx, id)
	switch {
	case s == nil:
		is(t, err, connectivity.ErrNotFound)
	case s.State == coordination.Resolved:
		is(t, err, nil)
	case s.State.Terminal():
		is(t, err, connectivity.ErrTerminal)
	default:
		is(t, err, nil)
		s.State = coordination.Resolved
		m.model.tell(s, connectivity.WasResolved)
	}
}

func (m *machine) check(t *rapid.T) {
	for _, thread := range modelThreads {
		q := coordination.Query{Limit: -1, Order: coordination.Oldest, States: []coordination.State{1, 2, 3, 4, 5}}
		if diff := cmp.Diff(scan(m.model.values(), thread, q), found(t, m.layer, thread, q), byID); diff != "" {
			t.Fatalf("-model +layer:\n%s", diff)
		}
		if got := m.layer.Step(thread); got != m.model.steps[thread] {
			t.Fatalf("step %d, want %d", got, m.model.steps[thread])
		}
		var got []string
		c := m.layer.Converged(thread)
		if clear := len(c.Obstacles) == 0; c.Converged != (clear && c.Graded > 0) || c.Unknown != (clear && c.Graded == 0) {
			t.Fatalf("converged: %+v", c)
		}
		for _, o := range c.Obstacles {
			got = append(got, o.Signal.ID.String())
		}
		if want := m.model.obstacles(thread); !slices.Equal(got, want) {
			t.Fatalf("obstacles %v, want %v", got, want)
		}
		got = nil
		for _, s := range m.layer.Unacknowledged(thread) {
			got = append(got, s.ID.String())
		}
		var want []string
		for _, s := range m.model.all {
			if s.Thread == thread && s.Priority == coordination.Critical && !s.State.Terminal() {
				want = append(want, s.ID.String())
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("unacknowledged %v, want %v", got, want)
		}
	}
	if !slices.Equal(m.told, m.model.told) {
		t.Fatalf("told\n%v\nwant\n%v", m.told, m.model.told)
	}
}

func coordinated(t *rapid.T, l *connectivity.Layer) {
	for _, thread := range modelThreads {
		is(t, l.SetCoordinator(thread, modelCoordinator), nil)
	}
}

// An enemy is an agent that tries to impersonate the layer.
type enemy struct{ p *bus.Publisher }

func newEnemy(t *rapid.T, b *bus.Bus) enemy {
	p, err := b.Agent("mallory", bus.Permissions{})
	is(t, err, nil)
	return enemy{p}
}

// attack publishes a signal about a signal of the layer, or tries to publish
// one of the layer's own kinds.
func (e enemy) attack(t *rapid.T, victim signals.ID) {
	h := signals.Header{
		Thread: rapid.SampledFrom(modelThreads).Draw(t, "in"), ReplyTo: victim, TTL: -1, Confidence: 1,
		Time: rapid.SampledFrom([]time.Time{{}, time.Unix(1, 0), time.Now().AddDate(100, 0, 0)}).Draw(t, "at"),
		ID:   rapid.SampledFrom([]signals.ID{{}, victim, signals.MustID("sig_forged")}).Draw(t, "id"),
	}
	forged := forgeries(h, victim)
	s := forged[rapid.IntRange(0, len(forged)-1).Draw(t, "forged")]
	if _, err := e.p.Publish(ctx, s); err == nil {
		t.Fatalf("an agent published %s", s.Kind())
	}
	_, _ = e.p.Publish(ctx, signals.New(h, signals.Discovery{Finding: "noise"}))
}

// forgeries returns forged entries of a layer: a critical interrupt, and the
// end of everything.
func forgeries(h signals.Header, victim signals.ID) []signals.Any {
	k := coordination.Link{Layer: "main", Since: 1}
	n := coordination.Note{
		Link: k, Class: coordination.EscalationInterrupt, Audience: coordination.All, Priority: coordination.Critical,
		Summary: "forged", Replaces: victim,
	}
	hushed := n
	hushed.Class, hushed.Priority, hushed.Confidence = coordination.ConfidenceHigh, coordination.Low, coordination.Graded(1)
	return []signals.Any{
		signals.New(h, coordination.Escalation{Note: n}),
		signals.New(h, coordination.Confidence{Note: hushed}),
		signals.New(h, coordination.Transition{Link: k, State: coordination.Resolved, Signals: []signals.ID{victim}}),
		signals.New(h, coordination.Step{Link: k, Step: 9}),
		signals.New(h, coordination.Requested{Link: k, For: victim, At: 1, Mode: signals.Cheap}),
		signals.New(h, coordination.Closed{Link: k}),
	}
}

func TestLayerAgreesWithItsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{}
		m.bus = made(bus.New(&bus.Options{History: 1 << 16, Sweep: -1, Clock: func() time.Time { return m.model.now }}))
		defer m.bus.Close()
		m.model = model{
			rule: connectivity.Suppression{
				Basis: connectivity.Basis(rapid.IntRange(0, 1).Draw(t, "basis")), Window: 2 * time.Second,
			},
			steps: map[string]int{},
			now:   time.Date(2026, 4, 11, 9, 0, 0, 0, time.UTC),
		}
		m.opts = connectivity.Options{Suppression: m.model.rule}
		m.layer = made(connectivity.New(m.bus, &m.opts))
		watch := func(l *connectivity.Layer) {
			l.OnSignal(func(_ context.Context, s coordination.Signal, e connectivity.Event) {
				m.told = append(m.told, fmt.Sprintf("%s %s", s.ID, e))
			})
		}
		watch(m.layer)
		coordinated(t, m.layer)
		enemy := newEnemy(t, m.bus)
		t.Repeat(map[string]func(*rapid.T){
			"emit":       m.emit,
			"emit again": m.emit,
			"emit more":  m.emit,
			"resolve":    m.resolve,
			"attack":     func(t *rapid.T) { enemy.attack(t, m.id(t, "victim")) },
			"advance": func(t *rapid.T) {
				thread := rapid.SampledFrom(modelThreads).Draw(t, "thread")
				m.model.advance(thread)
				step, err := m.layer.AdvanceStep(ctx, thread)
				if err != nil || step != m.model.steps[thread] {
					t.Fatalf("step %d: %v", step, err)
				}
			},
			"wait": func(t *rapid.T) { m.model.now = m.model.now.Add(time.Second) },
			"close": func(t *rapid.T) {
				if rapid.IntRange(0, 5).Draw(t, "really") == 0 {
					thread := rapid.SampledFrom(modelThreads).Draw(t, "thread")
					m.model.close(thread)
					is(t, m.layer.CloseThread(ctx, thread), nil)
					coordinated(t, m.layer)
				}
			},
			"rebuild": func(t *rapid.T) {
				l, err := connectivity.Rebuild(m.bus, &m.opts, m.bus.History(bus.Filter{}))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(everything(t, m.layer, modelThreads...), everything(t, l, modelThreads...), byID); diff != "" {
					t.Fatalf("rebuilt:\n%s", diff)
				}
				m.layer = l // and continue with it
				watch(l)
				coordinated(t, l)
			},
			"": m.check,
		})
	})
}
