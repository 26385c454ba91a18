package consensustest_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/consensustest"
)

// recorder notes which rules were broken.
type recorder struct{ broken map[string]int }

func (*recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	name, _, _ := strings.Cut(fmt.Sprintf(format, args...), ":")
	r.broken[name]++
}

// mutant is a strategy with a planted bug and a rule that must find it.
type mutant struct {
	name   string
	rule   string
	decide func(consensus.Ballots) consensus.Decision
}

// share settles by a share of voters, with the parts that a mutant changes.
func share(b consensus.Ballots, support func(consensus.Tally, int) float64, none float64) consensus.Decision {
	spoke, _ := b.Spoke()
	var shares []float64
	for _, t := range b.Tallies() {
		shares = append(shares, support(t, max(1, spoke)))
	}
	return b.Decide("mutant", shares, none, nil)
}

// noneOf is the share of voters who agree with nothing.
func noneOf(b consensus.Ballots) float64 {
	spoke, none := b.Spoke()
	return float64(none) / float64(max(1, spoke))
}

func agreeing(t consensus.Tally, spoke int) float64 { return float64(t.Agree) / float64(spoke) }

// rewritten decides by voting on votes that a mutant has changed.
func rewritten(b consensus.Ballots, o consensus.Options, proposals []string, votes []consensus.Vote) consensus.Decision {
	if o.Threshold == 0 {
		o.Threshold, o.Quorum = b.Threshold(), b.Quorum()
	}
	c, err := consensus.NewBallots(&o, proposals, votes)
	if err != nil {
		panic(err)
	}
	if b.Closed() {
		c = c.Close()
	}
	return consensus.ConfidenceWeighted{}.Decide(c)
}

func votesOf(b consensus.Ballots, change func(*consensus.Vote)) []consensus.Vote {
	var votes []consensus.Vote
	for v := range b.Votes() {
		change(&v)
		votes = append(votes, v)
	}
	return votes
}

// bent is the voting strategy with its decision changed afterwards.
func bent(bend func(consensus.Ballots, *consensus.Decision)) func(consensus.Ballots) consensus.Decision {
	return func(b consensus.Ballots) consensus.Decision {
		d := consensus.Voting{}.Decide(b)
		bend(b, &d)
		return d
	}
}

func mutants() []mutant {
	calls := 0
	return []mutant{
		{"takes abstentions for a no", "abstention", func(b consensus.Ballots) consensus.Decision {
			return rewritten(b, consensus.Options{}, b.Proposals(), votesOf(b, func(v *consensus.Vote) {
				if v.Stance == consensus.Abstain {
					v.Stance = consensus.Disagree
				}
			}))
		}},
		{"leaves abstentions out of the quorum", "abstention", func(b consensus.Ballots) consensus.Decision {
			votes := slices.DeleteFunc(votesOf(b, func(*consensus.Vote) {}), func(v consensus.Vote) bool {
				return v.Stance == consensus.Abstain
			})
			return rewritten(b, consensus.Options{}, b.Proposals(), votes)
		}},
		{"divides by all voters", "abstention", func(b consensus.Ballots) consensus.Decision {
			return share(b, func(t consensus.Tally, _ int) float64 { return agreeing(t, max(1, b.Voters())) }, noneOf(b))
		}},
		{"ignores the quorum", "quorum", func(b consensus.Ballots) consensus.Decision {
			return rewritten(b, consensus.Options{Threshold: b.Threshold(), Quorum: 1}, b.Proposals(), votesOf(b, func(*consensus.Vote) {}))
		}},
		{"counts votes for the quorum", "quorum", func(b consensus.Ballots) consensus.Decision {
			n := len(slices.Collect(b.Votes()))
			quorum := 1
			if n < b.Quorum() {
				quorum = 1000
			}
			return rewritten(b, consensus.Options{Threshold: b.Threshold(), Quorum: quorum}, b.Proposals(), votesOf(b, func(*consensus.Vote) {}))
		}},
		{"wants more than the threshold", "threshold", bent(func(b consensus.Ballots, d *consensus.Decision) {
			if d.Outcome == consensus.Reached && d.Support == b.Threshold() {
				d.Outcome, d.Choice = consensus.Pending, ""
			}
		})},
		{"ignores the threshold", "sound", bent(func(b consensus.Ballots, d *consensus.Decision) {
			if d.Outcome == consensus.Pending && len(d.Leaders) == 1 {
				d.Outcome, d.Choice = consensus.Reached, d.Leaders[0]
			}
		})},
		{"breaks ties by name", "tie", bent(func(_ consensus.Ballots, d *consensus.Decision) {
			if len(d.Leaders) > 1 && d.Voters > 1 {
				d.Leaders = d.Leaders[:1]
			}
		})},
		{"breaks ties by order", "order", func(b consensus.Ballots) consensus.Decision {
			i := 0.0
			return share(b, func(t consensus.Tally, n int) float64 { i++; return agreeing(t, n) * (1 - i*1e-9) }, noneOf(b))
		}},
		{"divides by those who voted on the proposal", "minority", func(b consensus.Ballots) consensus.Decision {
			return share(b, func(t consensus.Tally, _ int) float64 { return agreeing(t, max(1, t.Agree+t.Disagree)) }, noneOf(b))
		}},
		{"lets what is rejected win", "more against than for", bent(func(b consensus.Ballots, d *consensus.Decision) {
			if !d.Final() && len(d.Leaders) == 1 && d.Support >= b.Threshold() && d.Voters >= b.Quorum() {
				d.Outcome, d.Choice = consensus.Reached, d.Leaders[0]
			}
		})},
		{"chooses what no voter agrees with", "rejection", bent(func(b consensus.Ballots, d *consensus.Decision) {
			for _, t := range b.Tallies() {
				if len(d.Leaders) == 0 && d.None >= b.Threshold() && t.Agree+t.Disagree == 0 && d.Voters >= b.Quorum() {
					d.Outcome, d.Choice, d.Leaders, d.Support = consensus.Reached, t.ProposalID, []string{t.ProposalID}, d.None
					return
				}
			}
		})},
		{"takes the most weight for enough", "even", bent(func(b consensus.Ballots, d *consensus.Decision) {
			w := consensus.ConfidenceWeighted{}.Decide(b)
			if w.Leader() != "" && w.Voters >= b.Quorum() && w.Support > 0.5 && w.Support < 0.7 && !b.Closed() {
				d.Outcome, d.Choice, d.Leaders, d.Support = consensus.Reached, w.Leader(), w.Leaders, max(w.Support, b.Threshold())
			}
		})},
		{"believes the sides of a split", "even", bent(func(_ consensus.Ballots, d *consensus.Decision) {
			if d.Voters >= 4 && d.Support == 0.5 {
				d.Confidence = 0.9
			}
		})},
		{"calls a deadlock a rejection", "tie", bent(func(_ consensus.Ballots, d *consensus.Decision) {
			if d.Outcome == consensus.Deadlocked {
				d.Outcome = consensus.Rejected
			}
		})},
		{"never rejects", "rejection", bent(func(b consensus.Ballots, d *consensus.Decision) {
			if d.Outcome == consensus.Rejected {
				d.Outcome = consensus.Pending
				if b.Closed() {
					d.Outcome = consensus.Deadlocked
				}
			}
		})},
		{"stays pending when closed", "sound", bent(func(_ consensus.Ballots, d *consensus.Decision) {
			if d.Outcome == consensus.Deadlocked {
				d.Outcome = consensus.Pending
			}
		})},
		{"decides by plurality once closed", "closing", bent(func(b consensus.Ballots, d *consensus.Decision) {
			if b.Closed() && len(d.Leaders) == 1 && d.Voters >= b.Quorum() {
				d.Outcome, d.Choice, d.Support = consensus.Reached, d.Leaders[0], max(d.Support, b.Threshold())
			}
		})},
		{"names a choice before there is one", "sound", bent(func(_ consensus.Ballots, d *consensus.Decision) { d.Choice = d.Leader() })},
		{"takes support for confidence", "confidence", bent(func(_ consensus.Ballots, d *consensus.Decision) { d.Confidence = d.Support })},
		{"takes voters for independent", "confidence", bent(func(b consensus.Ballots, d *consensus.Decision) {
			for _, t := range b.Tallies() {
				if t.ProposalID == d.Choice {
					d.Confidence = 1 / (1 + math.Pow(4, t.Against-t.For))
				}
			}
		})},
		{"divides nothing by nothing", "sound", func(b consensus.Ballots) consensus.Decision {
			d := consensus.ConfidenceWeighted{}.Decide(b)
			weight := 0.0
			for v := range b.Votes() {
				weight += v.Weight
			}
			d.Confidence *= weight / weight
			return d
		}},
		{"sums in floating point, in map order", "pure", func(b consensus.Ballots) consensus.Decision {
			d := consensus.ConfidenceWeighted{}.Decide(b)
			weights, whole := map[string]float64{}, 0.0
			for v := range b.Votes() {
				weights[v.Voter+v.ProposalID] = v.Weight / 3
			}
			for _, w := range weights {
				whole += w
			}
			d.None = whole / 1000
			return d
		}},
		{"lets the surest voter decide", "minority", func(b consensus.Ballots) consensus.Decision {
			ranks := map[string]int{}
			for v := range b.Votes() {
				ranks[v.Voter] = max(ranks[v.Voter], int(100*v.Weight))
			}
			c, _ := consensus.NewBallots(
				&consensus.Options{Threshold: b.Threshold(), Quorum: b.Quorum(), Ranks: ranks},
				b.Proposals(), slices.Collect(b.Votes()),
			)
			if b.Closed() {
				c = c.Close()
			}
			return consensus.Hierarchical{}.Decide(c)
		}},
		{"lets a weak yes lift a no", "ranks", func(b consensus.Ballots) consensus.Decision {
			agrees, ranks := map[string]bool{}, map[string]int{}
			for v := range b.Votes() {
				agrees[v.Voter] = agrees[v.Voter] || v.Stance == consensus.Agree
				ranks[v.Voter] = b.Rank(v.Voter)
			}
			votes := slices.DeleteFunc(votesOf(b, func(*consensus.Vote) {}), func(v consensus.Vote) bool {
				return agrees[v.Voter] && v.Stance == consensus.Disagree
			})
			c, _ := consensus.NewBallots(&consensus.Options{Threshold: b.Threshold(), Quorum: b.Quorum(), Ranks: ranks}, b.Proposals(), votes)
			if b.Closed() {
				c = c.Close()
			}
			return consensus.Hierarchical{}.Decide(c)
		}},
		{"counts unknown proposals' voters", "unknown", bent(func(b consensus.Ballots, d *consensus.Decision) {
			d.Voters += len(b.Uncounted())
		})},
		{"counts a repeated vote again", "repetition", func(b consensus.Ballots) consensus.Decision {
			again := 0
			for _, u := range b.Uncounted() {
				if u.Cause == consensus.Superseded {
					again += u.Votes
				}
			}
			return share(b, func(t consensus.Tally, n int) float64 { return agreeing(t, n+again) }, noneOf(b))
		}},
		{"remembers its last decision", "pure", bent(func(_ consensus.Ballots, d *consensus.Decision) {
			calls++
			if calls%7 == 0 {
				d.Support /= 2
			}
		})},
		{"prefers early names", "names", bent(func(_ consensus.Ballots, d *consensus.Decision) {
			if l := d.Leader(); l != "" && l < "q" && d.Outcome != consensus.Reached {
				d.Support = math.Min(1, d.Support*1.01)
			}
		})},
		{"counts proposals as voters against", "unanimity", func(b consensus.Ballots) consensus.Decision {
			k := len(b.Proposals())
			return share(b, func(t consensus.Tally, n int) float64 { return agreeing(t, n+k) }, noneOf(b))
		}},
		{"lets dummies lead", "dummies", bent(func(b consensus.Ballots, d *consensus.Decision) {
			if len(d.Leaders) == 0 {
				d.Leaders = b.Proposals()
				slices.Sort(d.Leaders)
			}
		})},
		{"penalises a crowd", "more support", func(b consensus.Ballots) consensus.Decision {
			return share(b, func(t consensus.Tally, n int) float64 {
				return agreeing(t, n) * (1 - 0.2*float64(t.Agree%2)*float64(min(1, t.Disagree)))
			}, noneOf(b))
		}},
		{"believes what it knows to be noise", "coins", func(b consensus.Ballots) consensus.Decision {
			return rewritten(b, consensus.Options{}, b.Proposals(), votesOf(b, func(*consensus.Vote) {}))
		}},
		{"breaks the line", "sound", bent(func(_ consensus.Ballots, d *consensus.Decision) { d.Strategy += "\n" })},
		{"forgets the ballots", "unknown", bent(func(_ consensus.Ballots, d *consensus.Decision) {
			*d = consensus.Decision{
				Strategy: d.Strategy, Outcome: d.Outcome, Choice: d.Choice, Leaders: d.Leaders, Support: d.Support,
				None: d.None, Confidence: d.Confidence, Voters: d.Voters,
			}
		})},
	}
}

// planted is a mutant as a strategy of its own type, so that nothing is
// corrected on the way.
type planted struct{ mutant }

func (planted) Name() string { return "mutant" }

func (p planted) Decide(b consensus.Ballots) consensus.Decision {
	d := p.decide(b)
	if strings.HasSuffix(d.Strategy, "\n") {
		return d
	}
	d.Strategy = "mutant"
	return d
}

func TestSuiteRejectsPlantedBugsInStrategies(t *testing.T) {
	for _, m := range mutants() {
		t.Run(m.name, func(t *testing.T) {
			r := &recorder{broken: map[string]int{}}
			consensustest.CheckStrategy(r, planted{m}, 1)
			if r.broken[m.rule] == 0 {
				t.Errorf("rule %q does not find it; broken are %v", m.rule, slices.Sorted(maps.Keys(r.broken)))
			}
		})
	}
}

func TestSuiteAcceptsTheStrategiesBehindTheMutants(t *testing.T) {
	sound := consensus.Func("share", func(b consensus.Ballots) consensus.Decision { return share(b, agreeing, noneOf(b)) })
	for seed := range uint64(3) {
		consensustest.CheckStrategy(t, sound, seed)
	}
}
