package memory

import (
	"cmp"
	"maps"
	"slices"
)

// A Revocation says what a source's statements had carried.
type Revocation struct {
	Source   string
	Fell     []Fact // facts of which no statement stands any more
	Weakened []Fact // facts that were confirmed and are quarantined
	// Decisions are those given that were made when one of these facts was known, each
	// with these facts alone.
	Decisions []Decision
}

// has reports whether the fact with that id fell or is weaker.
func (r *Revocation) has(id string) bool {
	of := func(f Fact) bool { return f.ID == id }
	return slices.ContainsFunc(r.Fell, of) || slices.ContainsFunc(r.Weakened, of)
}

// judge adds the decisions that were made when a fact was known that changed.
func (r *Revocation) judge(decisions []Decision) {
	for _, d := range decisions {
		d.Facts = slices.DeleteFunc(slices.Clone(d.Facts), func(id string) bool { return !r.has(id) })
		if len(d.Facts) > 0 {
			r.Decisions = append(r.Decisions, d)
		}
	}
}

// revoke revokes the statements of a source, and those that only follow from them, and
// returns the facts that changed. facts are the source's and all that was derived from
// them, directly or not.
func revoke(facts map[string]Fact, source string) (changed []Fact) {
	stands := standing(facts, source)
	for _, f := range facts {
		said := slices.Clone(f.Said)
		for i := range said {
			said[i].Revoked = said[i].Revoked || said[i].Source == source || !follows(&said[i], facts, stands)
		}
		if !slices.EqualFunc(said, f.Said, func(a, b Statement) bool { return a.Revoked == b.Revoked }) {
			f.Said = said
			changed = append(changed, f)
		}
	}
	slices.SortFunc(changed, func(a, b Fact) int { return cmp.Compare(a.ID, b.ID) })
	return changed
}

// standing returns the facts that stand without a source. A fact stands if a statement of
// it does, and a statement if all that it was derived from does: beginning with what was
// derived from nothing, so that two facts cannot hold up each other.
func standing(facts map[string]Fact, source string) map[string]bool {
	stands := map[string]bool{}
	for more := true; more; {
		more = false
		for id, f := range facts {
			if stands[id] {
				continue
			}
			for s := range f.standing {
				if s.Source != source && follows(s, facts, stands) {
					stands[id], more = true, true
					break
				}
			}
		}
	}
	return stands
}

// follows reports whether all that a statement was derived from stands. A fact that is not
// among those given does not depend on the source.
func follows(s *Statement, facts map[string]Fact, stands map[string]bool) bool {
	return !slices.ContainsFunc(s.From, func(id string) bool {
		_, depends := facts[id]
		return depends && !stands[id]
	})
}

// revocation returns what changed between two states of facts.
func revocation(source string, before, after map[string]Fact, decisions []Decision) *Revocation {
	r := &Revocation{Source: source}
	for _, f := range inOrder(after) {
		was := before[f.ID]
		switch now := f.State(); {
		case now == was.State():
		case now == Revoked:
			r.Fell = append(r.Fell, f)
		default:
			r.Weakened = append(r.Weakened, f)
		}
	}
	r.judge(decisions)
	return r
}

// by returns facts by id.
func by(facts []Fact) map[string]Fact {
	all := map[string]Fact{}
	for _, f := range facts {
		all[f.ID] = f
	}
	return all
}

// idsOf returns the ids in order.
func idsOf(facts map[string]Fact) []string { return slices.Sorted(maps.Keys(facts)) }

// inOrder returns the facts in the order of their ids.
func inOrder(facts map[string]Fact) (all []Fact) {
	for _, id := range idsOf(facts) {
		all = append(all, facts[id])
	}
	return all
}
