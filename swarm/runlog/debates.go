package runlog

import (
	"slices"

	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// Debates are the debates of a thread about conflicts.
type Debates struct {
	Step  settle.Debate // the last one; zero: none was held
	Round int           // of the solve, in which that step was taken
	Fresh int           // arguments of that step that nobody had said before

	// Challengers are the sources of challenges that nobody asked for, in the order of
	// their first ones. The slice is shared.
	Challengers []string
	Unpaid      []settle.Unpaid // rounds that were not held, in log order; shared
	// Contested are the proposals that somebody was asked to argue against, in log order;
	// shared.
	Contested []string

	contest int             // the last round in which somebody was asked to argue against a choice
	said    map[string]bool // arguments, normalized
	held    map[[2]string]bool
}

func (d *Debates) init() { d.said, d.held = map[string]bool{}, map[[2]string]bool{} }

// Held reports whether the conflict of two proposals was or is debated.
func (d *Debates) Held(a, b string) bool { return d.held[[2]string{a, b}] || d.held[[2]string{b, a}] }

// IsUnpaid reports whether nobody debates two proposals any more because an advocate
// cannot pay.
func (d *Debates) IsUnpaid(a, b string) bool {
	return slices.ContainsFunc(d.Unpaid, func(u settle.Unpaid) bool { return u.Debate.A == a && u.Debate.B == b })
}

func (d *Debates) apply(s signals.Any) {
	switch s := s.(type) {
	case *signals.Signal[Began]:
		if against := s.Payload.Against; against != "" {
			d.Contested, d.contest = append(d.Contested, against), int(s.Round)
		}
		if step := s.Payload.Debate; step.Round > 0 {
			d.Step, d.Round, d.Fresh = step, int(s.Round), 0
			d.held[[2]string{step.A, step.B}] = true
		}
	case *signals.Signal[settle.Unpaid]:
		d.Unpaid = append(d.Unpaid, s.Payload)
	case *signals.Signal[signals.Challenge]:
		text := text.Plain(s.Payload.CounterArgument)
		_, _, argues := d.Step.Side(s.Source)
		argues = argues && int(s.Round) == d.Round
		if argues && !d.said[text] {
			d.Fresh++
		}
		d.said[text] = true
		if asked := int(s.Round) == d.contest; !argues && !asked && !slices.Contains(d.Challengers, s.Source) {
			d.Challengers = append(d.Challengers, s.Source)
		}
	}
}
