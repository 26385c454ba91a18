package bus_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// A pairing does everything to the bus and to its twin.
type pairing struct {
	bus      *bus.Bus
	twin     *twin
	pubs     map[string]*bus.Publisher
	watched  bool
	events   []bus.Event
	subs     []pairedSub
	handlers []pairedHandler
	ids      []signals.ID
}

type pairedSub struct {
	bus  *bus.Subscription
	twin *twinSub
}

type pairedHandler struct {
	bus  *bus.Handler
	twin *twinHandler
	// The results of both, call by call.
	got, want *[]string
}

func newPairing(t *rapid.T) *pairing {
	p := new(pairing)
	o := bus.Options{
		History: rapid.SampledFrom([]int{1, 3, 20, 63, 64, 65, 200}).Draw(t, "history"), TTL: time.Minute, Sweep: -1,
		Conflicts: &conflict.Options{MaxOpen: 4}, Clock: time.Now,
	}
	o.Mint = signals.SeededMint("twin")
	onBus := o
	if rapid.Bool().Draw(t, "machine's clock") { // which readers may look at without the lock
		onBus.Clock = nil
	}
	p.bus = made(bus.New(&onBus))
	o.Mint = signals.SeededMint("twin")
	p.twin = newTwin(o)
	p.pubs = map[string]*bus.Publisher{}
	for _, agent := range agents {
		p.pubs[agent], _ = p.bus.Agent(agent, bus.Permissions{})
	}
	if p.watched = rapid.Bool().Draw(t, "watched"); p.watched {
		p.bus.Observe(func(e bus.Event) { p.events = append(p.events, e) })
	}
	return p
}

var agents = []string{"a", "b", "c"}

func (p *pairing) draw(t *rapid.T) signals.Any {
	h := signals.Header{
		Thread:     rapid.SampledFrom([]string{"", "t", "u", "v"}).Draw(t, "thread"),
		Confidence: rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "confidence"),
		TTL:        time.Duration(rapid.SampledFrom([]int{0, 0, 1, 2, 30, -1}).Draw(t, "ttl")) * time.Second,
	}
	if n := len(p.ids); n > 0 {
		switch rapid.IntRange(0, 9).Draw(t, "refers") {
		case 0:
			h.ID = p.ids[rapid.IntRange(max(0, n-70), n-1).Draw(t, "id")] // agents' own may be there again, the bus's not
		case 1, 2, 3:
			h.ReplyTo = p.ids[rapid.IntRange(max(0, n-9), n-1).Draw(t, "replyTo")]
		case 4:
			h.ID = signals.MustID(fmt.Sprint("foreign-", rapid.IntRange(0, 9).Draw(t, "foreign")))
		}
	}
	if rapid.IntRange(0, 5).Draw(t, "timed") == 0 {
		h.Time = time.Now().Add(time.Duration(rapid.IntRange(-61, 5).Draw(t, "ago")) * time.Second)
	}
	if rapid.IntRange(0, 4).Draw(t, "private") == 0 {
		h.Recipients = signals.To(rapid.SampledFrom(agents).Draw(t, "to"))
	}
	pid := rapid.SampledFrom([]string{"p", "q", "r", "s"}).Draw(t, "proposal")
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0, 1:
		return signals.New(h, signals.Discovery{Finding: "x"})
	case 2:
		return signals.New(h, signals.Vote{ProposalID: pid, Stance: signals.Agree})
	case 3:
		if rapid.Bool().Draw(t, "raw") {
			return signals.New(h, signals.Raw{Type: rapid.SampledFrom([]signals.Kind{"x/1", "x/2"}).Draw(t, "type"), JSON: "1"})
		}
		return signals.New(h, impostor{signals.Discovery{Finding: "the same kind in another type"}})
	default:
		return signals.New(h, signals.Proposal{ProposalID: pid, Content: rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "content")})
	}
}

func (p *pairing) publish(t *rapid.T) {
	n := rapid.SampledFrom([]int{1, 1, 1, 2, 3}).Draw(t, "n")
	var all []signals.Any
	for range n {
		all = append(all, p.draw(t))
	}
	agent := rapid.SampledFrom(agents).Draw(t, "agent")
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	receipts, err := p.pubs[agent].PublishAll(ended, all...)
	synctest.Wait() // a goroutine of the bus goes on where the publisher's context ended
	sameError(t, "publish", err, p.twin.publish(agent, all...))
	for _, r := range receipts {
		p.ids = append(p.ids, r.ID)
	}
}

func sameError(t *rapid.T, what string, got, want error) {
	t.Helper()
	var proposal, wanted *conflict.ProposalError
	if errors.As(want, &wanted) && errors.As(got, &proposal) {
		return
	}
	if !errors.Is(got, want) {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

func (p *pairing) subscribe(t *rapid.T) {
	if len(p.subs) > 6 {
		t.Skip("enough")
	}
	o := bus.SubscribeOptions{
		Agent:   rapid.SampledFrom([]string{"", "a", "b", bus.System}).Draw(t, "agent"),
		Backlog: rapid.SampledFrom([]int{2, 5, 64, 300}).Draw(t, "backlog"),
		Past:    rapid.Bool().Draw(t, "past"),
	}
	if o.Past {
		o.Backlog = 300
		o.After = uint64(max(0, int(p.bus.Last())-rapid.IntRange(0, 70).Draw(t, "after")))
	}
	if rapid.Bool().Draw(t, "by kind") {
		o.Kinds = []signals.Kind{rapid.SampledFrom([]signals.Kind{signals.KindDiscovery, signals.KindVote, signals.KindConflict, "x/1", "none"}).Draw(t, "kind")}
	}
	if rapid.IntRange(0, 2).Draw(t, "by thread") == 0 {
		o.Threads = []string{"t", "none"}
	}
	if rapid.IntRange(0, 2).Draw(t, "where") == 0 {
		o.Where = func(s signals.Any) bool { return s.Head().Seq%3 != 0 }
	}
	got, err := p.bus.Subscribe(o)
	want, ok := p.twin.subscribe(o)
	if (err == nil) != ok {
		t.Fatalf("subscribe after %d: got %v, want success %v", o.After, err, ok)
	}
	if ok {
		p.subs = append(p.subs, pairedSub{got, want})
	}
}

func (p *pairing) read(t *rapid.T) {
	if len(p.subs) == 0 {
		t.Skip("no subscription")
	}
	s := rapid.SampledFrom(p.subs).Draw(t, "sub")
	for range rapid.IntRange(1, 9).Draw(t, "n") {
		got, err := s.bus.Poll()
		want, wantErr := s.twin.poll()
		sameError(t, "poll", err, wantErr)
		if got == nil {
			return
		}
		if diff := cmp.Diff(got, want, cmp.Comparer(sameSignal)); diff != "" {
			t.Fatalf("next: %s", diff)
		}
	}
}

func (p *pairing) handle(t *rapid.T) {
	if len(p.handlers) > 4 {
		t.Skip("enough")
	}
	o := bus.HandleOptions{Agent: rapid.SampledFrom([]string{"", "a"}).Draw(t, "agent")}
	mode := rapid.SampledFrom([]string{"fine", "fine", "fails", "answers", "ends itself"}).Draw(t, "mode")
	h := pairedHandler{got: new([]string), want: new([]string)}
	from, _ := p.bus.Agent("h", bus.Permissions{})
	answer := func() signals.Any {
		return signals.New(signals.Header{}, signals.Vote{ProposalID: "h", Stance: signals.Abstain})
	}
	h.bus, _ = bus.Handle(p.bus, o, func(ctx context.Context, s signals.Signal[signals.Discovery]) error {
		*h.got = append(*h.got, fmt.Sprint(s.Seq))
		switch mode {
		case "fails":
			panic("no")
		case "answers":
			ended, cancel := context.WithCancel(ctx)
			cancel()
			_, _ = from.Publish(ended, answer())
		case "ends itself":
			h.bus.Close()
		}
		return nil
	})
	h.twin = p.twin.handle(signals.KindDiscovery, o, func(s signals.Any) error {
		if _, ok := s.Body().(signals.Discovery); !ok {
			return errors.New("another type")
		}
		*h.want = append(*h.want, fmt.Sprint(s.Head().Seq))
		switch mode {
		case "fails":
			return errors.New("no")
		case "answers":
			_ = p.twin.publish("h", answer())
		case "ends itself":
			h.twin.close()
		}
		return nil
	})
	p.handlers = append(p.handlers, h)
}

func sameSignal(x, y signals.Any) bool {
	g, w := x.Head(), y.Head()
	gr, wr := g.Recipients, w.Recipients
	g.Recipients, w.Recipients = signals.Recipients{}, signals.Recipients{}
	return g == w && gr.Equal(wr) && x.Body() == y.Body()
}

func (p *pairing) check(t *rapid.T) {
	got := p.bus.Stats()
	if !got.Account.Balanced() {
		t.Fatalf("the account does not balance: %+v", got.Account)
	}
	got.Readers = nil
	if diff := cmp.Diff(got, p.twin.count(), cmpopts.IgnoreFields(bus.Stats{}, "Readers")); diff != "" {
		t.Fatalf("stats (got -, want +): %s", diff)
	}
	for i, h := range p.handlers {
		if !slices.Equal(*h.got, *h.want) {
			t.Fatalf("handler %d: got %v, want %v", i, *h.got, *h.want)
		}
	}
	if got, want := p.changes(p.events), p.changes(p.twin.events); p.watched && !slices.Equal(got, want) {
		t.Fatalf("events:\ngot  %v\nwant %v", got, want)
	}
	p.events, p.twin.events = nil, nil
}

// changes are the events of the log, in order. The two tell of readers at
// different moments, so what readers did is compared by the account.
func (p *pairing) changes(all []bus.Event) (out []string) {
	for _, e := range all {
		switch e := e.(type) {
		case bus.Settled, bus.Slow:
		case bus.Published:
			out = append(out, fmt.Sprint("published ", e.Signal.Head().Seq, e.Signal.Head().ID))
		case bus.Expired:
			out = append(out, fmt.Sprint("expired ", e.Signal.Head().Seq))
		case bus.Evicted:
			out = append(out, fmt.Sprint("evicted ", e.Signal.Head().Seq))
		default:
			out = append(out, describe(e))
		}
	}
	return out
}

func TestBusAgreesWithItsTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, agree) })
}

func agree(t *rapid.T) {
	p := newPairing(t)
	defer p.bus.Close()
	t.Repeat(map[string]func(*rapid.T){
		"publish": p.publish,
		"publish a lot": func(t *rapid.T) {
			for range rapid.IntRange(1, 40).Draw(t, "times") {
				p.publish(t)
			}
		},
		"subscribe": p.subscribe,
		"read":      p.read,
		"handle":    p.handle,
		"close a subscription": func(t *rapid.T) {
			if len(p.subs) == 0 {
				t.Skip("no subscription")
			}
			i := rapid.IntRange(0, len(p.subs)-1).Draw(t, "which")
			p.subs[i].bus.Close()
			p.subs[i].twin.close()
			p.subs = slices.Delete(p.subs, i, i+1)
		},
		"close a handler": func(t *rapid.T) {
			if len(p.handlers) == 0 {
				t.Skip("no handler runs")
			}
			h := rapid.SampledFrom(p.handlers).Draw(t, "which")
			h.bus.Close()
			h.twin.close()
		},
		"time passes": func(t *rapid.T) {
			time.Sleep(time.Duration(rapid.SampledFrom([]int{1, 2, 29, 60}).Draw(t, "seconds")) * time.Second)
		},
		"close a thread": func(t *rapid.T) {
			thread := rapid.SampledFrom([]string{"t", "u"}).Draw(t, "thread")
			p.bus.CloseThread(thread)
			p.twin.closeThread(thread)
		},
		"sweep": func(*rapid.T) { p.bus.Sweep(); p.twin.sweep() },
		"resolve": func(t *rapid.T) {
			p.twin.endProposals() // looking for conflicts does, too
			for c := range p.bus.Conflicts("t") {
				r := conflict.Resolution{SignalA: c.B.Signal, SignalB: c.A.Signal}
				ended, cancel := context.WithCancel(context.Background())
				cancel()
				_, err := p.bus.System().Publish(ended, signals.New(signals.Header{Thread: "t"}, r))
				synctest.Wait()
				sameError(t, "resolve", err, p.twin.publish(bus.System, signals.New(signals.Header{Thread: "t"}, r)))
				return
			}
		},
		"query": func(t *rapid.T) {
			f := randomFilter(t, time.Now().Add(-30*time.Second), append(p.ids, signals.MustID("x")))
			if diff := cmp.Diff(seqs(history(p.bus, f)), seqs(p.twin.pick(f))); diff != "" {
				t.Fatalf("filter %+v: %s", f, diff)
			}
		},
		"get": func(t *rapid.T) {
			if len(p.ids) == 0 {
				t.Skip("nothing was published yet")
			}
			id := rapid.SampledFrom(p.ids).Draw(t, "id")
			got, ok := p.bus.Get(id)
			want := p.twin.get(id)
			if ok != (want != nil) || ok && !sameSignal(got, want) {
				t.Fatalf("get %s: got %v, want %v", id, got, want)
			}
		},
		"": p.check,
	})
	p.bus.Close()
	p.twin.close()
	p.check(t)
}
