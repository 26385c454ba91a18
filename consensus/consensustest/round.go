package consensustest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// Round decides vote by vote, as [*consensus.Round] does.
type Round interface {
	Propose(id string) error
	Vote(v consensus.Vote) error
	Close()
	Decision() consensus.Decision
}

// NewRound opens a [consensus.Round].
func NewRound(s consensus.Strategy, o *consensus.Options) (Round, error) {
	return consensus.NewRound(s, o)
}

// TestRound checks that rounds opened by open decide after every step as the strategy does on the ballots
// so far, in any order: proposals after their votes, changes of mind, old and repeated votes, refused
// ones, and anything after the close.
func TestRound(t *testing.T, open func(consensus.Strategy, *consensus.Options) (Round, error), s consensus.Strategy, seed uint64) {
	t.Helper()
	CheckRound(t, open, s, seed)
}

const roundRule = "round"

// CheckRound is [TestRound] for any reporter.
func CheckRound(t Reporter, open func(consensus.Strategy, *consensus.Options) (Round, error), s consensus.Strategy, seed uint64) {
	t.Helper()
	c := &trial{Reporter: t, rule: roundRule, strategy: s, Rand: rand.New(rand.NewPCG(seed, 2))}
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s: panic: %v", roundRule, p)
		}
	}()
	for range polls / 4 {
		if c.enough() {
			return
		}
		c.playRound(open)
	}
}

func (c *trial) playRound(open func(consensus.Strategy, *consensus.Options) (Round, error)) {
	var p poll
	c.drawOptions(&p.options)
	if c.IntN(3) == 0 {
		p.options.Reliabilities = consensus.Rates{
			"v0": {Sensitivity: 0.9, Specificity: 0.6}, "v1": {Sensitivity: 0.5, Specificity: 0.5},
		}
	}
	r, err := open(c.strategy, &p.options)
	if err != nil {
		c.fail(&p, "open: %v", err)
		return
	}
	for step := range 60 {
		c.step(r, &p, step)
		got, want := r.Decision(), c.strategy.Decide(p.ballots())
		if !got.Equal(want) {
			c.fail(&p, "after step %d the round says\n  %v %+v, want\n  %v %+v", step, got, got.Tallies(), want, want.Tallies())
			return
		}
	}
}

func (c *trial) step(r Round, p *poll, step int) {
	refused := func(err error, target error) {
		if !errors.Is(err, target) {
			c.fail(p, "step %d: error %v, want %v", step, err, target)
		}
	}
	v := consensus.Vote{
		Seq: uint64(max(0, step+c.IntN(9)-6)), Voter: fmt.Sprint("v", c.IntN(5)), ProposalID: fmt.Sprint("p", c.IntN(4)),
		Stance: []consensus.Stance{1, 1, 1, 2, 3}[c.IntN(5)], Weight: float64(c.IntN(11)) / 10,
	}
	switch kind := c.IntN(40); {
	case p.closed:
		refused(r.Vote(v), consensus.ErrClosed)
		refused(r.Propose("late"), consensus.ErrClosed)
	case kind < 5:
		refused(r.Propose(v.ProposalID), nil)
		p.proposals = append(p.proposals, v.ProposalID)
	case kind == 5:
		v.Weight = []float64{9, -1, math.NaN(), math.Inf(1)}[c.IntN(4)]
		if r.Vote(v) == nil {
			c.fail(p, "step %d: a weight of %v is taken", step, v.Weight)
		}
	case kind == 6 && step > 30:
		r.Close()
		p.closed = true
	case kind < 10 && len(p.votes) > 0:
		v = p.votes[c.IntN(len(p.votes))]
		fallthrough
	default:
		refused(r.Vote(v), nil)
		p.votes = append(p.votes, v)
	}
}
