package reliability

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/swarmbus/swarmbus/consensus"
)

// record is how many outcomes of decisions that a voter voted in are known, and in how many it was right.
type record struct {
	Told  int `json:"told"`
	Right int `json:"right"`
}

// records are those of all voters of a batch.
func (b *batch) records() []record {
	of := make([]record, b.Voters)
	for t, known := range b.Known {
		if known < 0 {
			continue
		}
		v := b.votes(t)
		for i, j := range v.voter {
			of[j].Told++
			if v.said[i] == known {
				of[j].Right++
			}
		}
	}
	return of
}

// because says why those who are for the choice outweigh as many or more who are not, "" where fewer are not.
func (m *Model) because(b consensus.Ballots, choice string) string {
	at := slices.Index(b.Proposals(), choice)
	var those, others []string
	for name, votes := range b.ByVoter() {
		agrees := func(v consensus.Said) bool { return v.Stance == consensus.Agree && v.Proposal == at }
		against := func(v consensus.Said) bool {
			return v.Stance == consensus.Agree || v.Stance == consensus.Disagree && v.Proposal == at
		}
		switch {
		case slices.ContainsFunc(votes, agrees):
			those = append(those, name)
		case slices.ContainsFunc(votes, against):
			others = append(others, name)
		}
	}
	if len(those) == 0 || len(those) > len(others) {
		return ""
	}
	outweigh := " outweigh "
	if len(those) == 1 {
		outweigh = ", outweighs "
	}
	return m.whoAre(those) + outweigh + m.whoAre(others)
}

// whoAre says who voters are by what is known of them: their record where outcomes were told.
func (m *Model) whoAre(names []string) string {
	var r record
	held, known := 0.0, 0
	for _, name := range names {
		j, ok := m.voters[name]
		if !ok {
			continue
		}
		known++
		held += m.params.meanRates(int(j), m.params.usual(int(j), m.params.alike()))
		if int(j) < len(m.params.Records) {
			r.Told += m.params.Records[j].Told
			r.Right += m.params.Records[j].Right
		}
	}
	who, were := strconv.Itoa(len(names))+" who", " were"
	if len(names) == 1 {
		who, were = strconv.Quote(names[0])+",", ""
	}
	switch {
	case r.Told > 0:
		return fmt.Sprintf("%s%s right in %d of %d told", who, were, r.Right, r.Told)
	case known > 0:
		return fmt.Sprintf("%s%s held to be right in %.0f %%", who, are(were), 100*held/float64(known))
	default:
		return fmt.Sprintf("%s%s new", who, are(were))
	}
}

// are is the present of were.
func are(were string) string {
	if were == "" {
		return ""
	}
	return " are"
}
