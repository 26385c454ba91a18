// Console measures the feed of the console under load, and how soon the first screen is
// there.
//
//	go run ./console              # in benchmarks: 1,000 clients over 100 rooms, 50 that watch all, 2,000 events/s
//	go run ./console -slow 20     # and 20 clients that do not read
//
// Clients and server share the machine and the process; connections are real ones over
// the loopback interface, half by server-sent events and half by WebSocket. Each client
// checks that it gets the frames of its rooms without a gap, and the time from when a frame
// was due to when it was read.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/coder/websocket"

	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
)

var (
	rooms    = flag.Int("rooms", 100, "rooms")
	clients  = flag.Int("clients", 1000, "clients, evenly over the rooms")
	all      = flag.Int("all", 50, "clients that watch everything")
	stuck    = flag.Int("slow", 10, "clients of everything that do not read")
	rate     = flag.Int("rate", 2000, "events per second")
	lasts    = flag.Duration("for", 10*time.Second, "how long events are published")
	binary   = flag.String("binary", "", "swarmbus, to measure the first screen; default: built")
	long     = flag.Int("journal", 100_000, "signals of the journal with which the first screen is measured, too; 0: none")
	journals = flag.String("journals", "", "directory where that journal is, or is written")
	only     = flag.Bool("first", false, "measure only the first screen")
	profile  = flag.String("cpuprofile", "", "write a profile to a file")
)

func main() {
	flag.Parse()
	if !*only {
		if err := measure(context.Background()); err != nil {
			log.Fatal(err)
		}
	}
	if err := first(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// A tally counts the frames that clients have read.
type tally struct {
	frames, gaps, resyncs atomic.Int64
	mu                    sync.Mutex
	late                  []time.Duration
}

func measure(ctx context.Context) error {
	hub := feed.New(feed.Options{PerUser: 1 << 20})
	mux := http.NewServeMux()
	user := func(*http.Request) string { return "load" }
	mux.Handle("/feed", hub.Events(user))
	mux.Handle("/socket", hub.Socket(user))
	server := httptest.NewServer(mux)
	defer server.Close()
	defer hub.Close()
	due := &dues{}
	of := [2]*tally{{}, {}}
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for i := range *clients + *all {
		query, t := "?room="+room(i), of[0]
		if i >= *clients {
			query, t = "", of[1]
		}
		next, err := connect(ctx, server.URL, query, i%2 == 0)
		if err != nil {
			return err
		}
		wg.Go(func() { follow(next, due, t) })
	}
	for range *stuck {
		if _, err := connect(ctx, server.URL, "", true); err != nil {
			return err
		}
	}
	before := usage()
	runtime.GC()
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	quiet := heap.HeapAlloc
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	peak, took, n, err := publish(hub, due)
	if err != nil {
		return err
	}
	cpu := usage() - before
	want := [2]int64{int64(n) * int64(*clients) / int64(*rooms), int64(n) * int64(*all)}
	settle(func() bool { return of[0].frames.Load() >= want[0] && of[1].frames.Load() >= want[1] })
	health := hub.Health()
	cancel()
	server.CloseClientConnections()
	wg.Wait()
	fmt.Printf("published     %d events in %v, %.0f/s\n", n, took.Round(time.Millisecond), float64(n)/took.Seconds())
	for i, name := range []string{"of rooms", "of all"} {
		fmt.Printf("clients %-8s read %d of %d frames, %d gaps, %d resyncs; late p50 %v, p99 %v, most %v\n", name,
			of[i].frames.Load(), want[i], of[i].gaps.Load(), of[i].resyncs.Load(), of[i].quantile(0.5), of[i].quantile(0.99), of[i].quantile(1))
	}
	fmt.Printf("clients slow     %d, resyncs of all clients %d\n", *stuck, health.Resyncs)
	fmt.Printf("heap          %.1f MiB before, %.1f MiB at most\n", mib(quiet), mib(peak))
	read := of[0].frames.Load() + of[1].frames.Load()
	fmt.Printf("processors    %.2f of %d, clients included; %.1f µs for each frame that was read\n",
		cpu.Seconds()/took.Seconds(), runtime.NumCPU(), float64(cpu.Microseconds())/float64(max(1, read)))
	return nil
}

func mib(n uint64) float64 { return float64(n) / (1 << 20) }

func room(i int) string { return fmt.Sprintf("room%03d", i%*rooms) }

// dues are the times when events are due, by their number.
type dues struct {
	began time.Time
}

func (d *dues) of(seq uint64) time.Time {
	return d.began.Add(time.Duration(seq) * time.Second / time.Duration(*rate))
}

// publish publishes events at the rate, and returns how much memory was used at most.
func publish(hub *feed.Hub, due *dues) (peak uint64, took time.Duration, n int, err error) {
	event, err := json.Marshal(map[string]any{
		"id": strings.Repeat("0", 64), "sig": strings.Repeat("s", 88), "type": "dialogue", "from": "Reed", "priority": "normal", "turn": 14, "done": true,
		"content": "Backup sync is running. Three DBs verified, and the fourth is on its way to the archive as we speak.",
	})
	if err != nil {
		return 0, 0, 0, err
	}
	due.began = time.Now()
	n = int(lasts.Seconds() * float64(*rate))
	for seq := 1; seq <= n; seq++ {
		time.Sleep(time.Until(due.of(uint64(seq))))
		now := time.Now()
		err := hub.Publish(api.Frame{
			Type: api.FrameRoom, Log: "office", Seq: uint64(seq), Time: &now, Kind: "dialogue", Room: room(seq), Event: event,
		})
		if err != nil {
			return 0, 0, 0, err
		}
		if seq%*rate == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
	}
	return peak, time.Since(due.began), n, nil
}

// settle waits until a condition holds, or for ten seconds.
func settle(holds func() bool) {
	for end := time.Now().Add(10 * time.Second); !holds() && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
}

// connect returns a function that yields the texts of frames.
func connect(ctx context.Context, base, query string, socket bool) (func() ([][]byte, error), error) {
	if socket {
		conn, _, err := websocket.Dial(ctx, base+"/socket"+query, nil) //nolint:bodyclose // the dialer closes it
		if err != nil {
			return nil, err
		}
		conn.SetReadLimit(-1)
		return func() ([][]byte, error) {
			_, text, err := conn.Read(ctx)
			return bytes.Split(text, []byte{'\n'}), err
		}, nil
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/feed"+query, nil)
	if err != nil {
		return nil, err
	}
	got, err := http.DefaultClient.Do(r) //nolint:bodyclose // it is read until the program ends
	if err != nil {
		return nil, err
	}
	if got.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d", got.StatusCode)
	}
	in := bufio.NewReaderSize(got.Body, 16<<10)
	return func() ([][]byte, error) {
		for {
			line, err := in.ReadSlice('\n')
			if err != nil {
				return nil, errors.Join(err, got.Body.Close())
			}
			if text, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
				return [][]byte{text}, nil
			}
		}
	}, nil
}

// follow counts frames until the connection ends. The positions of a room's frames, and of
// all frames, are evenly apart.
func follow(next func() ([][]byte, error), due *dues, t *tally) {
	var last uint64
	apart := uint64(0)
	var late []time.Duration
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.late = append(t.late, late...)
	}()
	for {
		frames, err := next()
		if err != nil {
			return
		}
		for _, text := range frames {
			if bytes.Contains(text, []byte(`"type":"resync"`)) {
				t.resyncs.Add(1)
				last = 0
				continue
			}
			seq := seqOf(text)
			if seq == 0 {
				continue
			}
			if apart == 0 && last > 0 {
				apart = seq - last
			} else if last > 0 && seq != last+apart {
				t.gaps.Add(1)
			}
			last = seq
			t.frames.Add(1)
			if seq%17 == 0 {
				late = append(late, time.Since(due.of(seq)))
			}
		}
	}
}

// seqOf returns the position of a frame; 0: it has none.
func seqOf(text []byte) uint64 {
	_, rest, found := bytes.Cut(text, []byte(`"seq":`))
	if !found {
		return 0
	}
	end := bytes.IndexByte(rest, ',')
	if end < 0 {
		return 0
	}
	seq, _ := strconv.ParseUint(string(rest[:end]), 10, 64)
	return seq
}

func (t *tally) quantile(q float64) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.late) == 0 {
		return 0
	}
	slices.Sort(t.late)
	return t.late[min(len(t.late)-1, int(q*float64(len(t.late))))].Round(10 * time.Microsecond)
}

func usage() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
