package store

import (
	"math"

	"github.com/swarmbus/swarmbus/signals"
)

// index adds an entry to the indexes of foreign ids and replies.
func (l *Log) index(s *Segment, i int, e *Entry) {
	pos := s.Start + uint64(i)
	if e.HasRecipients {
		s.Flags[i] |= Private | mixed
	}
	if e.Foreign {
		s.Flags[i] |= foreign
		l.ids[e.ID] = pos
	}
	if !e.ReplyTo.IsZero() {
		s.Flags[i] |= reply
		s.reply[i] = 0
		if before, ok := l.replies[e.ReplyTo]; ok && pos-before <= math.MaxUint32 {
			s.reply[i] = uint32(pos - before)
		}
		l.replies[e.ReplyTo] = pos
	}
}

// unindex removes the entries of a segment that leaves the log from the
// indexes, except for ids and targets that newer entries have too.
func (l *Log) unindex(s *Segment) {
	for i, f := range &s.Flags {
		if f&(foreign|reply) == 0 {
			continue
		}
		pos, h := s.Start+uint64(i), s.Head(i)
		if at, ok := l.ids[h.ID]; ok && f&foreign != 0 && at == pos {
			delete(l.ids, h.ID)
		}
		if at, ok := l.replies[h.ReplyTo]; ok && f&reply != 0 && at == pos {
			delete(l.replies, h.ReplyTo)
		}
	}
}

// Find returns the entry with that id if it is in the history. Ids of the log's
// mint contain their sequence number; only others need a map.
func (l *Log) Find(id signals.ID) (s *Segment, i int, ok bool) {
	pos, ok := l.ids[id]
	if !ok {
		seq, minted := l.mint.Seq(id, l.last)
		if !minted {
			return nil, 0, false
		}
		pos = l.After(seq - 1)
	}
	if pos < l.floor || pos >= l.next {
		return nil, 0, false
	}
	s, i = l.directory.segment(pos), int(pos%Slots)
	return s, i, s.gone>>i&1 == 0 && s.Head(i).ID == id
}

// Minted reports whether id is the one that the log's mint gives to the signal
// with that sequence number; ours reports whether it is of that mint at all.
func (l *Log) Minted(id signals.ID, seq uint64) (is, ours bool) {
	of, found := l.mint.Seq(id, seq)
	return found && of == seq, l.mint.Made(id)
}
