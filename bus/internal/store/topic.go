package store

// A Topic is a kind or a thread with entries in the log, or somebody who keeps
// it. Entries of one topic point at the same Topic, so that readers compare
// pointers.
type Topic struct {
	Text string
	Data any // the caller's; a caller that sets it pins the topic

	held int // entries in segments of the log
	pins int
	gone bool
}

// Is reports whether t, perhaps known from before, is the topic with that text.
func (t *Topic) Is(text string) bool { return t != nil && !t.gone && t.Text == text }

// Topics are the topics of one sort by their texts; they forget topics that
// nobody uses.
type Topics map[string]*Topic

// Pin returns the topic with that text and keeps it until it is unpinned as
// often as it was pinned.
func (ts Topics) Pin(text string) *Topic {
	t := ts.get(text)
	t.pins++
	return t
}

// Unpin takes back a Pin.
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

// release gives up the topics of a segment that leaves the log.
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
