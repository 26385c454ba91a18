package consensus

import "slices"

// sorting groups votes by voter and, within a voter, by proposal.
type sorting struct {
	entries  []entry
	proposal []int32 // of each entry; from the number of known proposals on: an unknown one
	order    []int32 // entries, one voter after the other
	ends     []int32 // where in order each voter ends
}

func newSorting(known map[string]int32, entries []entry) *sorting {
	n := len(entries)
	slab := make([]int32, 3*n)
	s := &sorting{entries: entries, proposal: slab[:n], order: slab[n : 2*n]}
	whose := slab[2*n:]
	voters := make(map[string]int32, min(n, 1024))
	var unknown map[string]int32
	for i := range entries {
		v := &entries[i].Vote
		p, ok := known[v.ProposalID]
		if !ok {
			if unknown == nil {
				unknown = make(map[string]int32)
			}
			p = int32(len(known)) + intern(unknown, v.ProposalID)
		}
		s.proposal[i] = p
		whose[i] = intern(voters, v.Voter)
	}
	s.group(whose, len(voters))
	return s
}

// group is a counting sort of the entries by voter.
func (s *sorting) group(whose []int32, voters int) {
	s.ends = make([]int32, voters)
	for _, w := range whose {
		s.ends[w]++
	}
	at := int32(0)
	for w, n := range s.ends {
		s.ends[w] = at // where the voter begins, for now
		at += n
	}
	for i, w := range whose {
		s.order[s.ends[w]] = int32(i)
		s.ends[w]++
	}
}

// byProposal sorts one voter's votes so that those on one proposal are adjacent, the one that counts
// first.
func (s *sorting) byProposal(votes []int32) {
	if len(votes) == 1 {
		return
	}
	slices.SortFunc(votes, func(a, b int32) int {
		if d := s.proposal[a] - s.proposal[b]; d != 0 {
			return int(d)
		}
		return compareClaim(&s.entries[b].Vote, &s.entries[a].Vote)
	})
}

// sameProposal returns how many of the votes are on the proposal of the first, and how many were cast.
func (s *sorting) sameProposal(votes []int32) (n, cast int) {
	for _, e := range votes {
		if s.proposal[e] != s.proposal[votes[0]] {
			break
		}
		n++
		cast += 1 + int(s.entries[e].earlier)
	}
	return n, cast
}

func intern(index map[string]int32, name string) int32 {
	i, ok := index[name]
	if !ok {
		i = int32(len(index))
		index[name] = i
	}
	return i
}
