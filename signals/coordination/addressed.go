package coordination

// Unacknowledged returns the unanswered critical signals, oldest first. A signal leaves
// the list when it is resolved or when a critical signal, which then is on the list,
// replaces it.
func (t *Thread) Unacknowledged() []Signal {
	return snapshots(&t.lists.open, func(r *Record) bool { return r.Priority == Critical })
}

// For returns the live signals addressed to a component, oldest first.
func (t *Thread) For(id string) []Signal {
	return snapshots(&t.lists.live, func(r *Record) bool { return t.IsFor(id, r) })
}

func snapshots(of *list, is func(*Record) bool) (all []Signal) {
	for r := range of.oldest() {
		if is(r) {
			all = append(all, r.Snapshot())
		}
	}
	return all
}

// IsFor reports whether a signal is addressed to a component.
func (t *Thread) IsFor(id string, r *Record) bool {
	return (duty{r.to, r.members}).has(id) || r.OwedBy(id) ||
		r.Priority == Critical && r.to.Everyone() && t.Coordinates(id)
}

// MayEnd reports whether a component may resolve a signal.
func (t *Thread) MayEnd(id string, r *Record) bool {
	switch {
	case t.Coordinates(id):
		return true
	case r.Source == id:
		return r.Priority != Critical
	}
	return r.OwedBy(id)
}
