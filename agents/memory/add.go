package memory

import "slices"

// add adds a claim to the stored facts, and returns the fact that changed, or nil. facts
// has the fact and those that the claim was derived from, as far as they are stored.
func add(facts map[string]Fact, c Claim) *Fact {
	id := c.ID()
	f, known := facts[id]
	if !known {
		f = Fact{ID: id, Content: c.Content, Category: c.Category}
	}
	if slices.ContainsFunc(f.Said, func(s Statement) bool { return s.Signal == c.Signal && s.Source == c.Source && !c.Signal.IsZero() }) {
		return nil
	}
	c.Revoked = !supported(facts, c.From)
	f.Said = slices.Clone(f.Said)
	// A statement that is born revoked adds nothing to another one of its source.
	at := slices.IndexFunc(f.Said, func(s Statement) bool { return s.Source == c.Source && (c.Revoked || !s.Revoked) })
	if at < 0 {
		f.admit(c.Statement)
	} else {
		f.Said[at] = f.Said[at].again(&c.Statement)
	}
	facts[id] = f
	return &f
}

// The bounds of the statements of a fact.
const (
	mostSaid    = 64
	mostOfGroup = 8
)

// admit adds a statement. At the limit of its group or of the fact, an independent statement
// replaces one that confirms nothing, so that no source can block a confirmation.
func (f *Fact) admit(s Statement) {
	of := func(x *Statement) bool { return x.group() == s.group() }
	n := 0
	for i := range f.Said {
		if of(&f.Said[i]) {
			n++
		}
	}
	if n < mostOfGroup {
		if len(f.Said) < mostSaid {
			f.Said = append(f.Said, s)
			return
		}
		of = func(*Statement) bool { return true }
	}
	f.LeftOut++
	if !s.independent() {
		return
	}
	for _, revoked := range []bool{false, true} { // what is revoked is forgotten last
		at := slices.IndexFunc(f.Said, func(x Statement) bool { return of(&x) && !x.independent() && x.Revoked == revoked })
		if at >= 0 {
			f.Said = append(slices.Delete(f.Said, at, at+1), s)
			return
		}
	}
}

// supported reports whether nothing that a statement was derived from is revoked. What
// is not stored any more has expired, which does not make it wrong.
func supported(facts map[string]Fact, from []string) bool {
	for _, id := range from {
		if f, known := facts[id]; known && f.State() == Revoked {
			return false
		}
	}
	return true
}

// again returns what stays of a source's statement that it makes once more: the first,
// unless only the new one is independent, for as long as the longer of both lasts. One that
// is not independent prolongs none that is, and takes its place once that has expired.
func (s Statement) again(later *Statement) Statement {
	if later.Revoked {
		return s
	}
	kept := s
	over := !s.Expires.IsZero() && !s.Expires.After(later.Time)
	switch {
	case s.independent() && !later.independent() && !over:
		return s
	case s.independent() != later.independent():
		kept = *later
	}
	kept.Importance = later.Importance
	kept.Expires = s.Expires
	if later.Expires.IsZero() || !s.Expires.IsZero() && later.Expires.After(s.Expires) {
		kept.Expires = later.Expires
	}
	return kept
}

// factsOf returns the ids of the facts that claims touch.
func factsOf(claims []Claim) (ids []string) {
	for i := range claims {
		ids = append(append(ids, claims[i].ID()), claims[i].From...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// problem returns the error of the first claim that is not valid.
func problem(claims []Claim) error {
	for i := range claims {
		if err := claims[i].Validate(); err != nil {
			return err
		}
	}
	return nil
}
