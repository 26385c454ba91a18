package mode

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
)

// Traits say what kind of task it is.
type Traits struct {
	FactsDiffer bool   // agents know different facts, all of which matter
	Checkable   bool   // who has a right answer can prove it to others
	Because     string // how that is known: "" is that the program says so
}

// A Case is what a mode is chosen by.
type Case struct {
	Traits
	Members []Member  // who may answer, in any order
	Silent  []string  // who may not
	Known   []Outcome // of earlier decisions
	Calls   int       // the budget; 0: three for each member
	Share   float64   // of the weight that an answer needs before a vote stops; 0: any
	Seed    uint64    // of the order of members of which equally much is known
	Thread  string    // likewise
}

const (
	enough = 20   // known outcomes from which something is known
	ahead  = 0.10 // by which the best member is right more often than the next one
	ample  = 12   // calls beyond which a vote waits for a lead of more than three
)

// Choose returns the plan of a mode. For Auto it is
//
//   - facts-first, if agents know different facts,
//   - else single, if the best agent is right clearly more often than the next one and than
//     a vote of all would have been, by at least twenty known outcomes; such a vote weighs by
//     record, so that it mostly says what that agent does unless the others err together,
//   - else check, if answers can be checked,
//   - else vote.
//
// A team of which some members may not answer deliberates.
//
// Whether facts differ and answers can be checked is what the traits say, unless twenty
// outcomes are known of both the mode in question and of votes: then what was right more
// often is chosen.
func Choose(m Mode, c Case) *Plan {
	known := recordOf(c.Known, c.Members)
	p := &Plan{Mode: m, Reason: "it was asked for", Members: known.rated(c.shuffled()), Calls: c.Calls, Lead: 3, Rule: rule}
	p.Calls = cmp.Or(p.Calls, 3*len(c.Members))
	if p.Calls > ample {
		p.Lead = 3.25
	}
	if m == Auto {
		p.Mode, p.Reason = c.choose(p.Members, known)
	}
	if p.Mode == Vote {
		p.Share = c.Share
	}
	return p
}

func (c *Case) choose(best []Member, known record) (Mode, string) {
	switch {
	case len(c.Silent) > 0:
		return Deliberate, strings.Join(c.Silent, ", ") + " may not answer"
	case len(best) == 0:
		return Deliberate, "nobody may answer"
	case len(best) == 1:
		return Single, "there is one agent"
	}
	yes, facts := c.pays(FactsFirst, c.FactsDiffer, "facts differ")
	if yes {
		return FactsFirst, facts
	}
	first, second := best[0], best[1]
	if known.told[first.ID] >= enough && first.Right-second.Right >= ahead {
		if vote := voted(c.Known, best); first.Right > vote {
			return Single, both(fmt.Sprintf("%s is known to be right in %.0f %%, the next best in %.0f %%, and a vote in %.0f %%",
				first.ID, 100*first.Right, 100*second.Right, 100*vote), facts)
		}
	}
	yes, check := c.pays(Check, c.Checkable, "answers can be checked")
	if yes {
		return Check, both(check, facts)
	}
	return Vote, cmp.Or(both(facts, check), "nothing is known that speaks for another mode")
}

// both joins what is known; either may be "".
func both(a, b string) string {
	return strings.Join(slices.DeleteFunc([]string{a, b}, func(s string) bool { return s == "" }), "; ")
}

// pays reports whether a mode is better than a vote: by outcomes, or else by what the
// traits say, and how that is known; "" if nothing is.
func (c *Case) pays(m Mode, said bool, what string) (bool, string) {
	rate, of := wins(c.Known, m.String())
	vote, votes := wins(c.Known, Vote.String())
	switch {
	case of >= enough && votes >= enough:
		why := fmt.Sprintf("%v was right in %.0f %% of %d outcomes, and vote in %.0f %% of %d", m, 100*rate, of, 100*vote, votes)
		if said && rate <= vote {
			why = what + ", but " + why
		}
		return rate > vote, why
	case said && c.Because != "":
		return true, what + ": " + c.Because
	case said:
		return true, what
	}
	return false, ""
}

// shuffled returns the members in an order that differs between threads, so that not the
// same ones are always asked first.
func (c *Case) shuffled() []Member {
	h := fnv.New64a()
	h.Write([]byte(c.Thread))
	all := slices.Clone(c.Members)
	rand.New(rand.NewPCG(c.Seed, h.Sum64())).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}
