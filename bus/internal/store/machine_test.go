package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/signals"
)

// A machine does everything to the log and to its twin.
type machine struct {
	log  *Log
	base uint64 // position of the first entry
	twin twin
	now  int64
	done Cursor // of a caller that reads under the writer's lock and keeps no pointer
	lost []loss

	kind, thread *Topic // hints: those of the entry before

	// Pointers that were returned, and what they must still point to.
	handed     []signals.Any
	was        []string
	cursors    []Cursor
	selections []selection
}

// A selection was made and is not read yet.
type selection struct {
	of   Selection
	want []string
}

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// after returns an empty log that has come to a position, the first of a block.
func after(pos uint64, size int) *Log {
	l := New(size, signals.SeededMint("m"))
	l.floor, l.next, l.tail.Start, l.directory.base = pos, pos, pos, pos
	return l
}

func newMachine(t *rapid.T) *machine {
	size := rapid.SampledFrom([]int{1, 3, 63, 64, 65, 200, 1100}).Draw(t, "size")
	m := &machine{base: rapid.SampledFrom([]uint64{0, 1 << 40}).Draw(t, "base"), twin: twin{size: size}, now: start.UnixNano()}
	m.log = after(m.base, size)
	m.done = m.log.End()
	for n := range rapid.SampledFrom([]int{0, 0, 1, 60, 1000, 2300}).Draw(t, "before") {
		h := signals.Header{Source: "a", Thread: []string{"", "t"}[n/100%2], Time: start.Add(time.Duration(n/300-5) * time.Second)}
		if n > 0 && n%16 == 0 {
			h.ReplyTo = m.twin.all[(n-1)/300*300].signal.Head().ID
		}
		due := int64(forever)
		if n%7 == 0 || n < 1024 {
			due = m.now + int64(n%9)*int64(time.Second)
		}
		m.put(&Entry{
			Signal: signals.New(h, signals.Discovery{Finding: "x"}), Seq: m.log.Last() + 1, ID: m.log.mint.ID(m.log.Last()+1, h.Time),
			Source: h.Source, Time: h.Time, Due: due,
		})
		m.done = m.log.End()
	}
	return m
}

// at returns the entry at a position of the log.
func (m *machine) at(pos uint64) *twinEntry { return &m.twin.all[pos-m.base] }

// put appends to both, filling in what follows from the signal and the rest.
func (m *machine) put(e *Entry) (*Segment, int) {
	h := e.Signal.Head()
	e.Pages, e.KindText, e.ThreadText = m.log.PagesFor(e.Signal), e.Signal.Kind(), h.Thread
	e.At, e.ReplyTo, e.HasRecipients = e.Time.UnixNano(), h.ReplyTo, !h.Recipients.Everyone()
	s, i := m.log.Append(e)
	h.Seq, h.ID, h.Source, h.Time, h.TTL = e.Seq, e.ID, e.Source, e.Time, e.TTL
	m.twin.all = append(m.twin.all, twinEntry{signal: signals.With(e.Signal, h), due: e.Due})
	m.log.Evict(m.now, m.done.Pos, m.note)
	m.twin.evict(m.now)
	return s, i
}

func (m *machine) append(t *rapid.T) {
	seq := m.log.Last() + uint64(rapid.SampledFrom([]int{1, 1, 1, 1, 5}).Draw(t, "gap"))
	h := signals.Header{
		Thread:     rapid.SampledFrom([]string{"", "t", "u"}).Draw(t, "thread"),
		Confidence: rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "confidence"),
	}
	if n := len(m.twin.all); n > 0 && rapid.IntRange(0, 3).Draw(t, "replies") == 0 {
		h.ReplyTo = m.twin.all[rapid.IntRange(max(0, n-9), n-1).Draw(t, "to")].signal.Head().ID
	}
	if rapid.IntRange(0, 9).Draw(t, "private") == 0 {
		h.Recipients = signals.To("ann")
	}
	var s signals.Any
	text := fmt.Sprint("text ", seq)
	switch rapid.IntRange(0, 3).Draw(t, "payload") {
	case 0:
		s = signals.New(h, signals.Memory{Content: text, Category: "c"})
	case 1:
		s = signals.New(h, signals.Raw{Type: rapid.SampledFrom([]signals.Kind{"x/1", "x/2"}).Draw(t, "kind"), JSON: fmt.Sprintf("%q", text)})
	default:
		s = signals.New(h, signals.Discovery{Finding: text})
	}
	at := m.now + int64(rapid.IntRange(-5, 5).Draw(t, "ago"))*int64(time.Second)
	e := &Entry{
		Signal: s, Kind: m.kind, Thread: m.thread, Seq: seq, Source: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "source"),
		Time: time.Unix(0, at).UTC(), TTL: -1, Due: forever,
	}
	if ttl := rapid.IntRange(-1, 9).Draw(t, "ttl"); ttl > 0 {
		e.TTL = time.Duration(ttl) * time.Second
		e.Due = m.now + int64(e.TTL)
	}
	e.ID = signals.MustID(fmt.Sprint("own-", seq))
	if e.Foreign = rapid.IntRange(0, 3).Draw(t, "foreign") == 0; !e.Foreign {
		e.ID = m.log.mint.ID(seq, e.Time)
	} else if rapid.Bool().Draw(t, "again") {
		if again := signals.MustID(fmt.Sprint("again-", seq%3)); m.twin.find(again) < 0 {
			e.ID = again
		}
	}
	seg, i := m.put(e)
	m.kind, m.thread = e.Kind, e.Thread
	if seg.Seq[i] != seq || seg.Kind[i].Text != string(s.Kind()) || seg.Thread[i].Text != h.Thread {
		t.Fatalf("appended %+v as %v", h, seg.Seq[i])
	}
	if rapid.IntRange(0, 2).Draw(t, "done") > 0 {
		m.work(t, rapid.IntRange(1, 3).Draw(t, "entries"))
	}
}

// work reads as inline handlers do.
func (m *machine) work(t *rapid.T, n int) {
	for ; n > 0; n-- {
		s, i, to := m.done.Span(m.log.Next())
		if i == to {
			return
		}
		if got, want := shown(s.Signal[i]), shown(m.at(m.done.Pos).signal); got != want {
			t.Fatalf("came to %s at entry %d, want %s", got, m.done.Pos, want)
		}
		m.done.Pos++
	}
}

func (m *machine) note(s *Segment, i int, expired bool) {
	m.lost = append(m.lost, loss{s.Seq[i], expired})
}

// hand takes a pointer and keeps it, as an outside caller would.
func (m *machine) hand(s signals.Any) {
	m.handed = append(m.handed, s)
	m.was = append(m.was, shown(s))
}

func shown(s signals.Any) string {
	h := s.Head()
	return fmt.Sprint(h.Seq, h.ID, h.Source, h.Thread, s.Kind(), s.Body())
}

func (m *machine) check(t *rapid.T) {
	for i, s := range m.handed {
		if got := shown(s); got != m.was[i] {
			t.Fatalf("a signal changed under its reader: %s, was %s", got, m.was[i])
		}
	}
	if got, want := m.log.Held(), len(m.twin.held()); got != want || m.log.Counts() != m.twin.counts || m.log.EvictedTo() != m.twin.evictedTo {
		t.Fatalf("held %d, want %d; %+v, want %+v", got, want, m.log.Counts(), m.twin.counts)
	}
	if !slices.Equal(m.lost, m.twin.lost) {
		t.Fatalf("reported that %v left, want %v", m.lost, m.twin.lost)
	}
	m.lost, m.twin.lost = nil, nil
	if err := m.log.audit(); err != nil {
		t.Fatal(err)
	}
}

// audit recounts the log, entry by entry.
func (l *Log) audit() error {
	held, kinds, threads, live := 0, map[*Topic]int{}, map[*Topic]int{}, map[*page]int{}
	first := l.floor / Slots * Slots
	for pos := first; pos < l.next; pos++ {
		s, i := l.directory.segment(pos), int(pos%Slots)
		kinds[s.Kind[i]]++
		threads[s.Thread[i]]++
		live[s.page[i]]++
		if pos >= l.floor && s.gone>>i&1 == 0 {
			held++
		}
	}
	if held != l.held {
		return fmt.Errorf("%d held, %d in the log", l.held, held)
	}
	for _, of := range []struct {
		topics Topics
		held   map[*Topic]int
	}{{l.Kinds, kinds}, {l.Threads, threads}} {
		for text, t := range of.topics {
			if t.held != of.held[t] || t.gone || t.Text != text || t.held+t.pins == 0 {
				return fmt.Errorf("topic %q %+v, in the log %d", text, t, of.held[t])
			}
			delete(of.held, t)
		}
		if len(of.held) > 0 {
			return fmt.Errorf("topics that are gone are in the log: %v", of.held)
		}
	}
	for g, n := range live {
		if g.live != n {
			return fmt.Errorf("a page has %d signals, in the log %d", g.live, n)
		}
	}
	for id, pos := range l.ids {
		if pos < first || l.directory.segment(pos).Head(int(pos%Slots)).ID != id {
			return fmt.Errorf("id %v leads to %d, the floor is %d", id, pos, l.floor)
		}
	}
	for id, pos := range l.replies {
		if pos < first || l.directory.segment(pos).Head(int(pos%Slots)).ReplyTo != id {
			return fmt.Errorf("replies to %v lead to %d, the floor is %d", id, pos, l.floor)
		}
	}
	return nil
}

// expire sweeps the whole history, a block at a time.
func (m *machine) expire(t *rapid.T) {
	if m.twin.due(m.now) && !m.log.Due(m.now) {
		t.Fatal("what is due is not known to be")
	}
	for pos := m.log.Floor(); pos < m.log.Next(); {
		next, due := m.log.Expire(pos, m.now, m.done.Pos, m.note)
		gone := len(m.twin.lost)
		m.twin.expire(m.now, int(pos-m.base), int(next-m.base))
		if !due && len(m.twin.lost) > gone {
			t.Fatalf("nothing was due from %d on, want %v", pos, m.twin.lost[gone:])
		}
		pos = next
	}
	if m.log.Due(m.now) {
		t.Fatal("something is due after all that was has left")
	}
}

// run reads a selection, which may have been made long before.
func (m *machine) run(t *rapid.T, i int) {
	s := m.selections[i]
	m.selections = slices.Delete(m.selections, i, i+1)
	var got []string
	s.of.Run(func(s signals.Any) bool {
		m.hand(s)
		got = append(got, shown(s))
		return true
	})
	if !slices.Equal(got, s.want) {
		t.Fatalf("filter %+v: got %v, want %v", s.of.filter, got, s.want)
	}
}

// read reads all that there is for a reader.
func (m *machine) read(t *rapid.T, c *Cursor) {
	for limit := m.log.Next(); c.Pos < limit; {
		s, from, to := c.Span(limit)
		if from == to {
			t.Fatalf("nothing to read at %d of %d", c.Pos, limit)
		}
		private := s.Private(from, to)
		for i := from; i < to; i++ {
			want := m.at(c.Pos).signal
			if got, want := shown(s.Signal[i]), shown(want); got != want {
				t.Fatalf("entry %d: %s, want %s", c.Pos, got, want)
			}
			if got, want := private>>i&1 != 0, !want.Head().Recipients.Everyone(); got != want {
				t.Fatalf("entry %d is private: %v, want %v", c.Pos, got, want)
			}
			m.hand(s.Signal[i])
			c.Pos++
		}
		if private &^= below(uint64(to)) &^ below(uint64(from)); private != 0 {
			t.Fatalf("private outside of %d..%d: %b", from, to, private)
		}
	}
	if _, from, to := c.Span(c.Pos); from != to {
		t.Fatalf("%d to %d to read at the end", from, to)
	}
}

func (m *machine) filter(t *rapid.T) (f Filter) {
	if rapid.IntRange(0, 2).Draw(t, "by kind") == 0 {
		f.Kinds = []signals.Kind{rapid.SampledFrom([]signals.Kind{signals.KindDiscovery, "x/1", "none"}).Draw(t, "kind"), signals.KindMemory}
	}
	if rapid.IntRange(0, 2).Draw(t, "by thread") == 0 {
		f.Threads = []string{rapid.SampledFrom([]string{"t", "", "none"}).Draw(t, "thread")}
	}
	if rapid.IntRange(0, 3).Draw(t, "by source") == 0 {
		f.Source = "a"
	}
	if rapid.IntRange(0, 2).Draw(t, "since") == 0 {
		f.Since = time.Unix(0, m.now-int64(rapid.IntRange(-4, 9).Draw(t, "ago"))*int64(time.Second))
	}
	if rapid.IntRange(0, 3).Draw(t, "until") == 0 {
		f.Until = time.Unix(0, m.now-int64(rapid.IntRange(-4, 9).Draw(t, "ago"))*int64(time.Second))
	}
	if n := len(m.twin.all); n > 0 && rapid.IntRange(0, 2).Draw(t, "replies") == 0 {
		f.ReplyTo = m.twin.all[rapid.IntRange(max(0, n-20), n-1).Draw(t, "to")].signal.Head().ID
	}
	if rapid.IntRange(0, 2).Draw(t, "after") == 0 {
		f.After = m.log.Last() - min(m.log.Last(), uint64(rapid.IntRange(0, 90).Draw(t, "behind")))
	}
	f.MinConfidence = rapid.SampledFrom([]float64{0, 0, 0.5}).Draw(t, "confidence")
	return f
}

func TestLogAgreesWithItsTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(t)
		t.Repeat(map[string]func(*rapid.T){
			"append": m.append,
			"append a lot": func(t *rapid.T) {
				for range rapid.IntRange(30, 90).Draw(t, "n") {
					m.append(t)
				}
			},
			"time passes": func(t *rapid.T) { m.now += int64(rapid.IntRange(1, 6).Draw(t, "s")) * int64(time.Second) },
			"expire":      m.expire,
			"select": func(t *rapid.T) {
				f := m.filter(t)
				m.selections = append(m.selections, selection{m.log.Select(f, m.now), m.twin.pick(f, m.now)})
				if rapid.Bool().Draw(t, "at once") {
					m.run(t, len(m.selections)-1)
				}
			},
			"read a selection": func(t *rapid.T) {
				if len(m.selections) == 0 {
					t.Skip("no selection is open")
				}
				m.run(t, 0)
			},
			"find": func(t *rapid.T) {
				n := len(m.twin.all)
				if n == 0 {
					t.Skip("nothing was appended yet")
				}
				id := m.twin.all[rapid.IntRange(max(0, n-300), n-1).Draw(t, "which")].signal.Head().ID
				s, i, ok := m.log.Find(id)
				want := m.twin.find(id)
				if ok != (want >= 0) || ok && shown(s.Signal[i]) != shown(m.twin.all[want].signal) {
					t.Fatalf("found %v, want entry %d", ok, want)
				}
			},
			"open a reader": func(t *rapid.T) {
				m.log.AddReader()
				pos := rapid.Uint64Range(m.log.Floor(), m.log.Next()).Draw(t, "from")
				c := m.log.At(pos)
				if m.cursors = append(m.cursors, c); c.Pos != pos {
					t.Fatalf("reads from %d on, want %d", c.Pos, pos)
				}
			},
			"read": func(t *rapid.T) {
				if len(m.cursors) == 0 {
					t.Skip("no reader is open")
				}
				m.read(t, &m.cursors[rapid.IntRange(0, len(m.cursors)-1).Draw(t, "reader")])
			},
			"close a reader": func(t *rapid.T) {
				if len(m.cursors) == 0 {
					t.Skip("no reader is open")
				}
				m.log.RemoveReader()
				m.cursors = m.cursors[1:]
			},
			"pin": func(t *rapid.T) {
				p := m.log.Threads.Pin("t")
				m.append(t)
				m.log.Threads.Unpin(p)
			},
			"": m.check,
		})
	})
}
