package bus

// Stats returns the bus's counts, all of the same moment. It counts pending
// signals in the log, once for each reader and signal.
func (b *Bus) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	counts := b.log.Counts()
	s := Stats{
		Published: b.log.Next(), Held: b.log.Held(), Expired: counts.Expired, Evicted: counts.Evicted,
		Conflicts: b.fold.Counts(), Account: b.past.account(),
	}
	for _, r := range b.attached {
		one := r.statsLocked()
		s.Account = s.Account.Plus(one.Account)
		s.Readers = append(s.Readers, one)
	}
	if at, took := b.events.Running(); at != nil {
		s.Readers = append(s.Readers, ReaderStats{Site: at.String(), Running: took})
	}
	return s
}
