package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/signals"
)

// A twin is the simplest possible implementation of the log.
type twin struct {
	size      int
	all       []twinEntry // everything ever appended
	evictedTo uint64
	counts    Counts
}

type twinEntry struct {
	signal signals.Any // as the log returns it
	due    int64
	gone   bool
}

func (w *twin) held() (out []int) {
	for i, e := range w.all {
		if !e.gone {
			out = append(out, i)
		}
	}
	return out
}

func (w *twin) lose(i int, now int64) {
	w.all[i].gone = true
	if w.all[i].due < now {
		w.counts.Expired++
	} else {
		w.counts.Evicted++
		w.evictedTo = w.all[i].signal.Head().Seq
	}
}

func (w *twin) evict(now int64) {
	for held := w.held(); len(held) > w.size || len(held) > 0 && len(w.all)-held[0] > 2*w.size+slack; held = held[1:] {
		w.lose(held[0], now)
	}
}

func (w *twin) expire(now int64) {
	for _, i := range w.held() {
		if w.all[i].due < now {
			w.lose(i, now)
		}
	}
}

func (w *twin) find(id signals.ID) int {
	for _, i := range slices.Backward(w.held()) {
		if w.all[i].signal.Head().ID == id {
			return i
		}
	}
	return -1
}

func (w *twin) pick(f Filter, now int64) (out []uint64) {
	for _, i := range w.held() {
		h, e := w.all[i].signal.Head(), w.all[i]
		if e.due >= now && h.Seq > f.After && f.head(&h) &&
			(f.Kinds == nil || slices.Contains(f.Kinds, e.signal.Kind())) &&
			(f.Threads == nil || slices.Contains(f.Threads, h.Thread)) {
			out = append(out, h.Seq)
		}
	}
	if f.NewestFirst {
		slices.Reverse(out)
	}
	return out
}

// A machine does everything to the log and to its twin.
type machine struct {
	log  *Log
	twin twin
	now  int64
	done Cursor // of a caller that reads under the writer's lock and keeps no pointer
	lost []uint64

	// Pointers that were returned, and what they must still point to.
	handed  []signals.Any
	was     []string
	cursors []Cursor
}

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func newMachine(t *rapid.T) *machine {
	size := rapid.SampledFrom([]int{1, 3, 63, 64, 65, 200, 1100}).Draw(t, "size")
	m := &machine{log: New(size, signals.SeededMint("m")), twin: twin{size: size}, now: start.UnixNano()}
	m.done = m.log.End()
	return m
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
		Signal: s, Pages: m.log.PagesFor(s), KindText: s.Kind(), ThreadText: h.Thread, Seq: seq, Source: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "source"),
		Time: time.Unix(0, at).UTC(), At: at, TTL: -1, Due: Forever, ReplyTo: h.ReplyTo, HasRecipients: !h.Recipients.Everyone(),
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
	seg, i := m.log.Append(e)
	h.Seq, h.ID, h.Source, h.Time, h.TTL = e.Seq, e.ID, e.Source, e.Time, e.TTL
	m.twin.all = append(m.twin.all, twinEntry{signal: signals.With(s, h), due: e.Due})
	if seg.Seq[i] != seq || (seg.Flags[i]&Private != 0) != e.HasRecipients || seg.Kind[i].Text != string(s.Kind()) || seg.Thread[i].Text != h.Thread {
		t.Fatalf("appended %+v as %v", h, seg.Seq[i])
	}
	m.lost = nil
	m.log.Evict(m.now, m.done.Pos, m.note)
	before := m.twin.counts
	m.twin.evict(m.now)
	if got := uint64(len(m.lost)); got != m.twin.counts.Evicted+m.twin.counts.Expired-before.Evicted-before.Expired {
		t.Fatalf("told of %d lost", got)
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
		if got, want := shown(s.Signal[i]), shown(m.twin.all[m.done.Pos].signal); got != want {
			t.Fatalf("came to %s at entry %d, want %s", got, m.done.Pos, want)
		}
		m.done.Pos++
	}
}

func (m *machine) note(s *Segment, i int, _ bool) { m.lost = append(m.lost, s.Seq[i]) }

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

func (m *machine) filter(t *rapid.T) (f Filter) {
	if rapid.Bool().Draw(t, "by kind") {
		f.Kinds = []signals.Kind{rapid.SampledFrom([]signals.Kind{signals.KindDiscovery, "x/1", "none"}).Draw(t, "kind"), signals.KindMemory}
	}
	if rapid.Bool().Draw(t, "by thread") {
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
	f.NewestFirst = rapid.Bool().Draw(t, "newest first")
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
			"expire": func(t *rapid.T) {
				for pos := m.log.Floor(); pos < m.log.Next(); {
					pos, _ = m.log.Expire(pos, m.now, m.done.Pos, m.note)
				}
				m.twin.expire(m.now)
			},
			"select": func(t *rapid.T) {
				f := m.filter(t)
				var got []uint64
				picked := m.log.Select(f, m.now)
				picked.Run(func(s signals.Any) bool {
					m.hand(s)
					got = append(got, s.Head().Seq)
					return true
				})
				if want := m.twin.pick(f, m.now); !slices.Equal(got, want) {
					t.Fatalf("filter %+v: got %v, want %v", f, got, want)
				}
			},
			"find": func(t *rapid.T) {
				n := len(m.twin.all)
				if n == 0 {
					t.Skip("none")
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
				m.cursors = append(m.cursors, m.log.End())
			},
			"read": func(t *rapid.T) {
				if len(m.cursors) == 0 {
					t.Skip("none")
				}
				c := &m.cursors[rapid.IntRange(0, len(m.cursors)-1).Draw(t, "reader")]
				for range 2 {
					s, from, to := c.Span(m.log.Next())
					for i := from; i < to; i++ {
						if got, want := shown(s.Signal[i]), shown(m.twin.all[c.Pos].signal); got != want {
							t.Fatalf("entry %d: %s, want %s", c.Pos, got, want)
						}
						m.hand(s.Signal[i])
						c.Pos++
					}
				}
			},
			"close a reader": func(t *rapid.T) {
				if len(m.cursors) == 0 {
					t.Skip("none")
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

func (m *machine) fill(n int) {
	s := signals.New(signals.Header{}, signals.Discovery{Finding: "x"})
	for range n {
		m.log.Append(&Entry{Signal: s, Pages: m.log.PagesFor(s), KindText: s.Kind(), Seq: m.log.Last() + 1, Due: Forever, TTL: -1})
		m.log.Evict(0, m.log.Next(), nil)
	}
}

func TestAppendingAllocatesNothingWhileNobodyReads(t *testing.T) {
	m := &machine{log: New(1000, signals.SeededMint("m"))}
	m.fill(20_000)
	if got := testing.AllocsPerRun(10, func() { m.fill(6400) }); got > 100 { // the directory's blocks
		t.Errorf("%v allocations for 6400 entries", got)
	}
}

func TestOneThatLivesForEverDoesNotKeepWhatExpiredAfterIt(t *testing.T) {
	m := &machine{log: New(100, signals.SeededMint("m"))}
	s := signals.New(signals.Header{}, signals.Discovery{Finding: "x"})
	for now := range int64(20_000) {
		due := now
		if now == 0 {
			due = Forever
		}
		m.log.Append(&Entry{Signal: s, Pages: m.log.PagesFor(s), KindText: s.Kind(), Seq: m.log.Last() + 1, Due: due, At: now, TTL: 1})
		m.log.Evict(now, m.log.Next(), nil)
		if now%100 == 99 {
			for pos := m.log.Floor(); pos < m.log.Next(); {
				pos, _ = m.log.Expire(pos, now, m.log.Next(), nil)
			}
		}
	}
	if kept := m.log.Next() - m.log.Floor(); kept > 2*100+slack || m.log.Counts().Evicted != 1 {
		t.Errorf("%d positions kept, %+v", kept, m.log.Counts())
	}
}
