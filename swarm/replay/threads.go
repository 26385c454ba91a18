package replay

// threads are the threads of a log.
type threads struct {
	byName map[string]*Thread
	names  []string // in the order in which they began
}

// named returns the thread with that name, which may begin so.
func (t *threads) named(name string) *Thread {
	known := t.byName[name]
	if known == nil {
		known = newThread(name)
		t.byName[name], t.names = known, append(t.names, name)
	}
	return known
}

// check reports whether the conflicts of a thread are in the log.
func (t *threads) check(name string) bool {
	known := t.byName[name]
	return known != nil && known.checks()
}
