package connectivity

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

func heapInUse() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func layerForMemory(t *testing.T) *Layer {
	t.Helper()
	b, err := bus.New(&bus.Options{Sweep: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	l, err := New(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The memory of a closed thread is freed.
func TestAClosedThreadFreesItsMemory(t *testing.T) {
	l := layerForMemory(t)
	ctx := context.Background()
	fill := func(n int) {
		for i := range n {
			e, err := l.Emit(ctx, Input{
				Thread: "t", Source: fmt.Sprint("s", i%5000), Class: EscalationInterrupt, Audience: Self, Summary: fmt.Sprint(i),
				ExpiresAfter: 1 + i%1000,
			})
			if err != nil {
				t.Fatal(err)
			}
			if i%3 == 0 {
				if _, err := l.Resolve(ctx, e.Signal.ID); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	fill(2000) // the bus keeps as much history before as after
	if err := l.CloseThread(ctx, "t"); err != nil {
		t.Fatal(err)
	}
	empty := heapInUse()
	fill(30_000)
	full := heapInUse()
	if err := l.CloseThread(ctx, "t"); err != nil {
		t.Fatal(err)
	}
	closed := heapInUse()
	held, left := full-empty, closed-empty
	t.Logf("%d bytes held, %d left", held, left)
	if held < 30_000*200 || left > held/20 {
		t.Errorf("%d of %d bytes are left", left, held)
	}
	runtime.KeepAlive(l)
}

// A signal that ended before its expiry step leaves no expiry behind.
func TestExpiriesOfWhatEndedAreDropped(t *testing.T) {
	l := layerForMemory(t)
	ctx := context.Background()
	for i := range 20_000 {
		e, err := l.Emit(ctx, Input{Thread: "t", Source: "a", Class: AttentionRaise, Summary: "x", ExpiresAfter: 1_000_000 + i})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Resolve(ctx, e.Signal.ID); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(l.fold.threads.get("t").expiring.m); got != 0 {
		t.Errorf("%d steps are kept", got)
	}
}

// One writer at a time fills a batch, and it is kept once.
func TestABatchIsKeptOnceAfterUse(t *testing.T) {
	l := layerForMemory(t)
	for range 9 { // stored, and then suppressed
		if _, err := l.Emit(context.Background(), Input{Thread: "t", Source: "a", Class: AttentionRaise, Summary: "x"}); err != nil {
			t.Fatal(err)
		}
		if len(l.idle) != 1 {
			t.Fatalf("%d batches are kept, want 1", len(l.idle))
		}
	}
}

// The slots of dropped signals are reused, here and in a rebuilt layer.
func TestPlacesAreUsedAgain(t *testing.T) {
	l := layerForMemory(t)
	l.fold.retain = 1
	ctx := context.Background()
	for range 10 * chunkSize {
		e, err := l.Emit(ctx, Input{Thread: "t", Source: "a", Class: AttentionRaise, Summary: "x"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Resolve(ctx, e.Signal.ID); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(l.fold.records.chunks); got != 1 {
		t.Errorf("%d chunks for at most three signals", got)
	}
}

// Nothing refers to the places of dropped signals, whatever their order.
func TestPlacesAreUsedAgainFromTheLast(t *testing.T) {
	l := layerForMemory(t)
	l.fold.retain = 1
	ctx := context.Background()
	emit := func(source string) signals.ID {
		e, err := l.Emit(ctx, Input{Thread: "t", Source: source, Class: AttentionRaise, Summary: "x"})
		if err != nil {
			t.Fatal(err)
		}
		return e.Signal.ID
	}
	var ids []signals.ID
	for i := range 3 * chunkSize {
		ids = append(ids, emit(fmt.Sprint("s", i)))
	}
	for _, id := range slices.Backward(ids) {
		if _, err := l.Resolve(ctx, id); err != nil {
			t.Fatal(err)
		}
	}
	last := emit("a")
	if got := l.fold.threads.get("t").live; got.n != 1 || l.fold.records.at(got.last).id != last {
		t.Errorf("%d live, want the last one", got.n)
	}
}

// Threads that are closed, components that come and go, and signals for all
// that were read or dropped leave nothing behind.
func TestComingAndGoingLeavesNothingBehind(t *testing.T) {
	l := layerForMemory(t)
	l.fold.retain = 3
	ctx := context.Background()
	must := func(err error) {
		if t.Helper(); err != nil {
			t.Fatal(err)
		}
	}
	inbox, err := l.Inbox("a")
	must(err)
	defer inbox.Close()
	broadcast := func(thread string) {
		e, err := l.Emit(ctx, Input{Thread: thread, Source: "b", Class: AttentionRaise, Audience: All, Summary: "x"})
		must(err)
		_, err = l.Resolve(ctx, e.Signal.ID)
		must(err)
	}
	for i := range 1000 {
		thread := fmt.Sprint("closed ", i)
		must(l.Register(thread, "a"))
		broadcast(thread)
		must(l.CloseThread(ctx, thread))
		for _, thread := range []string{"silent", "busy"} {
			must(l.Register(thread, "a", fmt.Sprint("visitor ", i)))
			if thread == "busy" {
				broadcast(thread)
			}
			l.Unregister(thread, "a", fmt.Sprint("visitor ", i))
		}
		for range 2 {
			_, err := inbox.Next(ctx)
			must(err)
		}
	}
	left := 0
	for _, p := range l.places.m {
		left += len(p.left) + len(p.components.m)
	}
	if left > 5*l.fold.retain+2 || len(l.places.m) != 2 || len(inbox.unread) != 0 {
		t.Errorf("%d stays in %d threads, %d unread", left, len(l.places.m), len(inbox.unread))
	}
}

// An inbox that is not read ends after the signals it kept, and signals for
// others take no space in it.
func TestAnInboxKeepsWhatIsForItAlone(t *testing.T) {
	l := layerForMemory(t)
	ctx := context.Background()
	inbox, err := l.Inbox("a")
	if err != nil {
		t.Fatal(err)
	}
	defer inbox.Close()
	s := &Signal{Summary: "for a"}
	put := func(thread string, n int) {
		for range n {
			if _, err := l.Emit(ctx, Input{Thread: thread, Source: "b", Class: AttentionRaise, Audience: All, Priority: Critical, Summary: "x"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := l.Register("t", "a"); err != nil {
		t.Fatal(err)
	}
	put("of others", maxUnread+1)
	put("t", 1)
	if len(inbox.unread) != 1 || inbox.lagged {
		t.Fatalf("%d unread, lagged %v", len(inbox.unread), inbox.lagged)
	}
	for range maxUnread {
		l.putLocked("a", s)
	}
	for n := 0; ; n++ {
		_, err := inbox.Next(ctx)
		if errors.Is(err, bus.ErrLagged) && n == maxUnread {
			return
		}
		if err != nil || n == maxUnread {
			t.Fatalf("after %d: %v", n, err)
		}
	}
}

// A reader that gets a signal from the bus just before it is folded waits for
// the fold.
func TestAReaderAheadOfTheFoldFindsTheSignal(t *testing.T) {
	l := layerForMemory(t)
	var b *batch
	held := make(chan bool, 1)
	waits := func() bool {
		buf := make([]byte, 1<<20)
		return bytes.Contains(buf[:runtime.Stack(buf, true)], []byte(".(*Bus).Last("))
	}
	err := l.log.Append(context.Background(), func(at bus.Moment) ([]signals.Any, error) {
		b = &batch{layer: "main", fold: l.fold, at: at}
		b.note(b.header("a", "t", nobody, signals.ID{}), &Note{
			Class: AttentionRaise, Audience: Self, Priority: Normal, Summary: "x",
		})
		return b.entries, nil
	}, func(receipts []bus.Receipt) {
		id := receipts[0].ID
		go func() {
			_, found := l.Get(id)
			held <- found
		}()
		for len(held) == 0 && !waits() {
			runtime.Gosched()
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.foldLocked(b, receipts)
	})
	if err != nil || !<-held {
		t.Errorf("in the log and not in the layer: %v", err)
	}
}

func TestALookupGivesItsRoomBack(t *testing.T) {
	var l lookup[int, int]
	for i := range 100_000 {
		l.set(i, -i)
	}
	for i := range 100_000 {
		if l.get(i) != -i {
			t.Fatalf("%d is gone", i)
		}
		if i%1000 != 0 {
			l.delete(i)
		}
	}
	if len(l.m) != 100 || l.most > 4*small {
		t.Errorf("%d left in a map made for %d", len(l.m), l.most)
	}
	for i := range 100 {
		if l.get(i*1000) != -i*1000 {
			t.Errorf("%d is gone", i*1000)
		}
	}
}

// An unanswered signal for all keeps no record of components that came and went
// since, and those registered at the time may still answer it.
func TestAnOldSignalToAllDoesNotKeepEveryVisit(t *testing.T) {
	l := layerForMemory(t)
	l.fold.retain = 1
	ctx := context.Background()
	emit := func(p Priority) signals.ID {
		e, err := l.Emit(ctx, Input{Thread: "t", Source: p.String(), Class: AttentionRaise, Audience: All, Priority: p, Summary: "x"})
		if err != nil {
			t.Fatal(err)
		}
		return e.Signal.ID
	}
	visit := func(id string, during func()) {
		if err := l.Register("t", id); err != nil {
			t.Fatal(err)
		}
		if err := l.Register("t", id); err != nil { // again, which changes nothing
			t.Fatal(err)
		}
		during()
		l.Unregister("t", id)
	}
	var fire signals.ID
	visit("there", func() { fire = emit(Critical) })
	for i := range 1000 {
		visit("visitor", func() {
			_, err := l.Resolve(ctx, emit(Normal))
			if err != nil {
				t.Fatal(i, err)
			}
		})
	}
	if left := len(l.places.get("t").left); left > 8 {
		t.Errorf("%d stays are kept", left)
	}
	for _, id := range []string{"visitor", "there"} {
		c, err := l.Component(id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Resolve(ctx, fire); (err == nil) != (id == "there") {
			t.Errorf("%s: %v", id, err)
		}
	}
}
