package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/internal/forms"
	"github.com/swarmbus/swarmbus/signals"
)

// promises measures one publish: first the parts that can run alone, then the
// bus with one feature more or less.
func promises() table {
	parts := []contender{
		{Name: "the clock", Lacks: "time.Since", start: part(func(*event) { elapsed = time.Since(started) })},
		{Name: "one lock", Lacks: "sync.Mutex", start: part(func(*event) { lock.Lock(); locked++; lock.Unlock() })},
		{Name: "a copy of the signal", Lacks: "into a page of 64", start: startCopies},
		{Name: "validation", Lacks: "120 bytes of text, numbers, enums", start: startChecks},
		{Name: "an id", Lacks: "from the sequence number and the clock", start: startIDs},
		{Name: "a guarded call", Lacks: "recover", start: part(func(*event) { guarded() })},
	}
	return table{
		Title: "what each promise costs, ns per publish", Readers: []int{0}, Floors: len(parts), Base: "swarmbus",
		Contenders: append(parts, []contender{
			{Name: "swarmbus", Lacks: "a thread, CanEmit, validated, a full history of 1,000, everything on", start: variant(nil, nil)},
			{Name: "without reading a clock", Lacks: "Options.Clock fixed", start: variant(&bus.Options{Clock: func() time.Time { return begin }}, nil)},
			{Name: "without expiry", Lacks: "TTL -1", start: variant(&bus.Options{TTL: -1}, nil)},
			{Name: "without eviction", Lacks: "the history not full, new memory for every signal", start: variant(&bus.Options{History: 1 << 30}, nil)},
			{Name: "without permissions", Lacks: "the system's handle", start: variant(nil, func(b *bus.Bus, n int) (*bus.Publisher, *event) { return b.System(), standing })},
			{Name: "a history of 1,000,000", Lacks: "full", start: startFull(1_000_000)},
			{Name: "time given by the caller", start: with(func(e *event, _ int) { e.Time, e.TTL = begin, -1 })},
			{Name: "100 threads in turn", start: with(func(e *event, n int) { e.Thread = threads[n%100] })},
			{Name: "a reply", start: with(func(e *event, n int) { e.ReplyTo = given[n/7%1000] })},
			{Name: "for one recipient", start: with(func(e *event, _ int) { e.Recipients = someone })},
			{Name: "id given by the caller", Lacks: "duplicates are refused by a map", start: with(func(e *event, n int) { e.ID = given[n%len(given)] })},
			{Name: "limits of rate and bytes", start: variant(&bus.Options{Rate: 1e12, Bytes: 1 << 40}, nil)},
			{Name: "an observer", Lacks: "told of publishing and evicting", start: startWatched},
			{Name: "an inline handler", Lacks: "in log order, whoever publishes", start: startInline(false), readers: 1},
			{Name: "a proposal, no conflicts looked for", start: startProposals(true)},
			{Name: "a proposal", Lacks: "ownership of its id, rivals", start: startProposals(false)},
		}...),
	}
}

var (
	started  = time.Now() // with a monotonic part, which is read in half the time
	begin    = started.UTC().Round(0)
	elapsed  time.Duration
	lock     sync.Mutex
	locked   int
	standing = newEvent()
	someone  = signals.To("somebody")
	threads  = names("thread-", 100)
	given    = func() (ids []signals.ID) {
		for _, n := range names("given-", 10_000) { // ten times the history
			ids = append(ids, signals.MustID(n))
		}
		return ids
	}()
)

func names(prefix string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprint(prefix, i)
	}
	return all
}

//go:noinline
func guarded() {
	defer func() { _ = recover() }()
	locked++
}

// A starter begins one contender.
type starter = func(readers int) (func(int), func(), error)

func part(do func(*event)) starter {
	return func(int) (func(int), func(), error) {
		e := newEvent()
		return func(n int) {
			for range n {
				do(e)
			}
		}, func() {}, nil
	}
}

// formOf returns the form of a signal, as the bus's store does.
func formOf(s signals.Any) forms.Form[signals.Any, signals.Header, signals.Kind, signals.Limits] {
	return forms.Of(s).(forms.Form[signals.Any, signals.Header, signals.Kind, signals.Limits])
}

func startCopies(int) (func(int), func(), error) {
	var e signals.Any = newEvent()
	pages := make([]forms.Page[signals.Any, signals.Header], 16)
	for i := range pages {
		pages[i] = formOf(e).NewPage()
	}
	return func(n int) {
		for i := range n {
			pages[i/forms.Slots%len(pages)].Put(i%forms.Slots, e)
		}
	}, func() {}, nil
}

func startChecks(int) (func(int), func(), error) {
	var e signals.Any = newEvent()
	form := formOf(e)
	return func(n int) {
		for range n {
			if _, _, err := form.Inspect(signals.Limits{}, e); err != nil {
				panic(err)
			}
		}
	}, func() {}, nil
}

func startIDs(int) (func(int), func(), error) {
	mint, seq := signals.NewMint(), uint64(0)
	return func(n int) {
		for range n {
			seq++
			if mint.ID(seq, begin).IsZero() {
				panic(seq)
			}
		}
	}, func() {}, nil
}

// variant publishes the same event with other options or through another
// handle.
func variant(o *bus.Options, handle func(*bus.Bus, int) (*bus.Publisher, *event)) starter {
	return func(int) (func(int), func(), error) {
		b, p, err := newBusWith(o)
		if err != nil {
			return nil, nil, err
		}
		e := newEvent()
		if handle != nil {
			p, e = handle(b, 0)
		}
		return publishing(p, func(int) signals.Any { return e }), b.Close, nil
	}
}

// startFull fills the history first.
func startFull(history int) starter {
	return func(readers int) (func(int), func(), error) {
		run, stop, err := variant(&bus.Options{History: history, TTL: -1}, nil)(readers)
		if err == nil {
			run(history + history/10)
		}
		return run, stop, err
	}
}

// with publishes an event that change makes ready, whose time it includes.
func with(change func(*event, int)) starter {
	return func(int) (func(int), func(), error) {
		b, p, err := newBusWith(nil)
		if err != nil {
			return nil, nil, err
		}
		e, k := newEvent(), 0
		return publishing(p, func(int) signals.Any { k++; change(e, k); return e }), b.Close, nil
	}
}

func publishing(p *bus.Publisher, next func(int) signals.Any) func(int) {
	ctx := context.Background()
	return func(n int) {
		for i := range n {
			if _, err := p.Publish(ctx, next(i)); err != nil {
				panic(err)
			}
		}
	}
}

func startWatched(int) (func(int), func(), error) {
	b, p, err := newBusWith(nil)
	if err != nil {
		return nil, nil, err
	}
	stop := b.Observe(func(bus.Event) { locked++ })
	e := newEvent()
	return publishing(p, func(int) signals.Any { return e }), func() { stop(); b.Close() }, nil
}

// startProposals repeats one proposal, so that there is no rival, in a thread
// that is closed after a thousand: proposals of an open thread stay live.
func startProposals(noConflicts bool) starter {
	return func(int) (func(int), func(), error) {
		b, p, err := newBusWith(&bus.Options{Conflicts: &conflict.Options{Off: noConflicts}})
		if err != nil {
			return nil, nil, err
		}
		s := signals.New(standing.Header, signals.Proposal{ProposalID: "p", Content: standing.Payload.Finding})
		k := 0
		return publishing(p, func(int) signals.Any {
			if k++; k%1000 == 0 {
				b.CloseThread(s.Thread)
			}
			return s
		}), b.Close, nil
	}
}
