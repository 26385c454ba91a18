package connectivity

// Stuck returns how many flights are under way.
func (l *Layer) Stuck() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.flights)
}
