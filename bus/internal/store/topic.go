package store

// A Topic is a kind or a thread that has entries in the log or is pinned.
// Entries of one topic point to the same Topic, so that readers can compare
// pointers.
type Topic struct {
	Text string
	Data any // the caller's; a caller that sets it pins the topic

	held int // entries in segments of the log
	pins int
	gone bool
}

// Is reports whether t, which may be an outdated hint, is the topic with that
// text.
func (t *Topic) Is(text string) bool { return t != nil && !t.gone && t.Text == text }

// Topics maps texts to the topics of one sort; unused topics are removed.
type Topics map[string]*Topic

// Pin returns the topic with that text and keeps it until it is unpinned as
// many times as it was pinned.
func (ts Topics) Pin(text string) *Topic {
	t := ts.get(text)
	t.pins++
	return t
}

// Unpin undoes a Pin.
func (ts Topics) Unpin(t *Topic) {
	t.pins--
	ts.drop(t)
}

func (ts Topics) get(text string) *Topic {
	t := ts[text]
	if t == nil {
		t = &Topic{Text: text}
		ts[text] = t
	}
	return t
}

// release releases the topics of a segment that leaves the log.
func (ts Topics) release(all *[Slots]*Topic) {
	for i := 0; i < Slots; {
		t := all[i]
		for ; i < Slots && all[i] == t; i++ {
			t.held--
		}
		ts.drop(t)
	}
}

func (ts Topics) drop(t *Topic) {
	if t.held == 0 && t.pins == 0 && !t.gone {
		t.gone = true
		delete(ts, t.Text)
	}
}
