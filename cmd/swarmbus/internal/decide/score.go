package decide

import (
	"math"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/votes"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A score is the result of one strategy on one set. Shares are in [0,1]; those
// for which there was no truth, or no decision, are null.
type score struct {
	Set      string         `json:"set"`
	Strategy string         `json:"strategy"`
	Tasks    int            `json:"tasks"`
	Truths   int            `json:"truths"`
	Votes    int            `json:"votes"`
	Outcomes map[string]int `json:"outcomes"`

	Coverage float64  `json:"coverage"` // share of tasks where the leader reached the threshold
	Leader   *float64 `json:"leader"`   // share of truths that the leader is; k-way ties count 1/k
	Reached  *float64 `json:"reached"`  // the same, of what was reached

	Confidence *float64 `json:"confidence"` // mean, where there is a truth
	ECE        *float64 `json:"ece"`        // expected calibration error in 10 bins (Naeini et al. 2015)

	VotesUsed *float64 `json:"votesUsed"` // share of votes until the first final outcome, in row order
	Early     *float64 `json:"early"`     // share of truths that the leader is then
}

// A tally collects the data of a score.
type tally struct {
	score
	decider                            *decider
	leader, reached, early, confidence mean
	used                               mean
	bins                               [10]struct{ sure, right mean }
}

type mean struct {
	sum float64
	n   int
}

func (m *mean) add(x float64) { m.sum, m.n = m.sum+x, m.n+1 }

// value is nil for the mean of nothing.
func (m *mean) value() *float64 {
	if m.n == 0 {
		return nil
	}
	v := m.sum / float64(m.n)
	return &v
}

// judge evaluates the decider after each vote of a task and after voting is
// closed.
func (c *tally) judge(terms *consensus.Options, t *votes.Task, thread []signals.Any) (consensus.Decision, error) {
	r, err := consensus.NewRound(c.decider.strategy(), terms)
	if err != nil {
		return consensus.Decision{}, err
	}
	var early consensus.Decision
	cast, used := 0, 0
	for _, said := range thread {
		if err := runlog.Fold(r, said, 1); err != nil {
			return consensus.Decision{}, err
		}
		if said.Kind() != signals.KindVote {
			continue
		}
		cast++
		if used == 0 {
			if early = r.Decision(); early.Final() {
				used = cast
			}
		}
	}
	r.Close()
	d := r.Decision()
	if used == 0 {
		early, used = d, cast
	}
	c.enter(d, t.Truth)
	c.Votes += cast
	if cast > 0 {
		c.used.add(float64(used) / float64(cast))
	}
	if t.Truth != "" {
		c.early.add(right(early, t.Truth))
	}
	return d, nil
}

// enter counts a decision on all votes.
func (c *tally) enter(d consensus.Decision, truth string) {
	c.Tasks++
	c.Outcomes[d.Outcome.String()]++
	if truth == "" {
		return
	}
	c.Truths++
	hit := right(d, truth)
	c.leader.add(hit)
	if d.Outcome == consensus.Reached {
		c.reached.add(hit)
	}
	c.confidence.add(d.Confidence)
	bin := &c.bins[min(9, int(d.Confidence*10))]
	bin.sure.add(d.Confidence)
	bin.right.add(hit)
}

// right is 1 for the leader that is the truth, 1/k in a k-way tie, else 0.
func right(d consensus.Decision, truth string) float64 {
	if slices.Contains(d.Leaders, truth) {
		return 1 / float64(len(d.Leaders))
	}
	return 0
}

func (c *tally) total() score {
	s := c.score
	if s.Tasks > 0 {
		s.Coverage = float64(s.Outcomes[consensus.Reached.String()]) / float64(s.Tasks)
	}
	s.Leader, s.Reached, s.Early = c.leader.value(), c.reached.value(), c.early.value()
	s.Confidence, s.VotesUsed = c.confidence.value(), c.used.value()
	if s.Truths > 0 {
		var gap float64
		for _, b := range c.bins {
			if b.sure.n > 0 {
				gap += float64(b.sure.n) * math.Abs(*b.sure.value()-*b.right.value())
			}
		}
		gap /= float64(s.Truths)
		s.ECE = &gap
	}
	return s
}
