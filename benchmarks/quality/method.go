package main

import (
	"math"

	"github.com/swarmbus/swarmbus/consensus"
)

// answer is the answer of a method to one task.
type answer struct {
	p          []float64 // probability by label
	leads      []bool    // by label; several in a tie
	confidence float64
}

// method answers every task of a set, knowing the outcomes in gold (-1: not known).
type method struct {
	name   string
	source string // the paper, or what is ours
	run    func(s *set, gold []int32) []answer
}

// methods are all that are measured, ours last.
func methods() []method {
	ms := []method{
		{"majority", "", byPosterior(majority)},
		{"wawa", "agreement with majority as weight", byPosterior(wawa)},
		{"one-coin", "one-coin EM: Demartini et al. 2012 (ZenCrowd)", byPosterior(oneCoin)},
		{"glad", "Whitehill et al. 2009", byPosterior(glad)},
		{"dawid-skene", "Dawid and Skene 1979, MAP with Dirichlet rows", byPosterior(dawidSkene)},
		{"ibcc", "Kim and Ghahramani 2012, variational", byPosterior(ibcc)},
		{"ebcc", "Li, Rubinstein and Cohn 2019, three subtypes", byPosterior(ebcc)},
		{"pruned", "peer agreement, the worst fifth dropped in rounds", byPosterior(pruned)},
	}
	for _, s := range consensus.Builtin() {
		ms = append(ms, method{s.Name(), "package consensus", byStrategy(s)})
	}
	return append(
		ms,
		method{"bayesian+rates", "bayesian with learned reliabilities", learnedRates},
		method{"grouped+rates", "grouped with learned reliabilities and groups", learnedGroups},
		method{"learned", "package consensus/reliability, every default", byPosterior(learned)},
		method{"default", "what decides when nobody chooses: learned, or by weight without a certificate", byLedger},
	)
}

// same is how close two probabilities are to be a tie.
const same = 1e-9

// byPosterior answers with the most probable labels.
func byPosterior(f func(*set, []int32) []float64) func(*set, []int32) []answer {
	return func(s *set, gold []int32) []answer {
		post := f(s, gold)
		answers := make([]answer, s.tasks())
		for t := range answers {
			a := answer{p: post[t*s.k():][:s.k()], leads: make([]bool, s.k())}
			for _, x := range a.p {
				a.confidence = math.Max(a.confidence, x)
			}
			for l, x := range a.p {
				a.leads[l] = x >= a.confidence-same
			}
			answers[t] = a
		}
		return answers
	}
}

// byStrategy answers as a named strategy does once voting is closed; probabilities are those of its tallies.
func byStrategy(st consensus.Strategy) func(*set, []int32) []answer {
	return func(s *set, _ []int32) []answer { return s.decided(st, nil) }
}

func (s *set) decided(st consensus.Strategy, o *consensus.Options) []answer {
	answers := make([]answer, s.tasks())
	for t := range answers {
		b := s.ballots(o, s.votesOn(t)).Close()
		d := st.Decide(b)
		a := answer{p: make([]float64, s.k()), leads: make([]bool, s.k()), confidence: d.Confidence}
		for _, tally := range b.Tallies() {
			a.p[s.place[tally.ProposalID]] = tally.Probability
		}
		for _, l := range d.Leaders {
			a.leads[s.place[l]] = true
		}
		answers[t] = a
	}
	return answers
}

func learnedRates(s *set, gold []int32) []answer {
	return s.decided(consensus.Bayesian{}, &consensus.Options{Reliabilities: s.learnt(gold)})
}

func learnedGroups(s *set, gold []int32) []answer {
	m := s.learnt(gold)
	return s.decided(consensus.Grouped{}, &consensus.Options{Reliabilities: m, Groups: m.Groups()})
}

// byLedger answers as swarms and `swarmbus decide` do after all tasks were observed. A decision has one probability,
// that of its leader: what is left of it is shared by the other labels.
func byLedger(s *set, gold []int32) []answer {
	st := s.ledger(gold).Strategy()
	answers := make([]answer, s.tasks())
	for t := range answers {
		d := st.Decide(s.ballots(nil, s.votesOn(t)).Close())
		n := max(1, len(d.Leaders))
		rest := max(0, 1-float64(n)*d.Confidence) / float64(max(1, s.k()-n))
		a := answer{p: make([]float64, s.k()), leads: make([]bool, s.k()), confidence: d.Confidence}
		for l := range a.p {
			a.p[l] = rest
		}
		for _, name := range d.Leaders {
			a.leads[s.place[name]], a.p[s.place[name]] = true, min(d.Confidence, 1/float64(n))
		}
		answers[t] = a
	}
	return answers
}
