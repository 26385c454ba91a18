// Rooms measures a router with many rooms and agents: its memory, and the time from a message
// to its answer.
//
//	go run ./rooms                       # in benchmarks: 1,000 rooms, 10,000 agents, 1,000 messages/s
//	go run ./rooms -rate 0               # as fast as it can
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

var (
	nRooms   = flag.Int("rooms", 1000, "rooms")
	nAgents  = flag.Int("agents", 10_000, "agents, evenly in the rooms")
	rate     = flag.Int("rate", 1000, "messages per second; 0: as fast as they are taken")
	profile  = flag.String("cpuprofile", "", "write a profile of the messages to a file")
	duration = flag.Duration("for", 10*time.Second, "how long messages are sent")
)

func main() {
	flag.Parse()
	if err := measure(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// answers posts one line in every turn.
func answers(context.Context, *agents.Turn) iter.Seq2[signals.Any, error] {
	return agents.Emit(rooms.Words("All is well in this room."))
}

func room(i int) string { return fmt.Sprintf("room%04d", i%*nRooms) }

func agent(i int) string { return fmt.Sprintf("agent%05d", i) }

func measure(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "rooms")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	store, err := journal.Open(filepath.Join(dir, "rooms.journal"), &journal.Options{Sync: journal.SyncInterval})
	if err != nil {
		return err
	}
	defer store.Close()
	o := &rooms.Options{Store: store, Keys: &events.Keys{Dir: filepath.Join(dir, "keys")}}
	for i := range *nAgents {
		o.Agents = append(o.Agents, rooms.Standing{Agent: &agents.Agent{ID: agent(i), Reactor: agents.Func(answers)}, Rooms: []string{room(i)}})
	}
	before := heap()
	began := time.Now()
	r, err := rooms.New(ctx, o)
	if err != nil {
		return err
	}
	fmt.Printf("%d rooms, %d agents: started with new keys in %v, %.1f KiB of heap per agent\n",
		*nRooms, *nAgents, time.Since(began).Round(time.Millisecond), float64(heap()-before)/1024/float64(*nAgents))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ran := make(chan error, 1)
	go func() { ran <- r.Run(ctx) }()
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
	}
	err = talk(ctx, r)
	pprof.StopCPUProfile()
	cancel()
	return errors.Join(err, ignoreCancel(<-ran), r.Close(context.Background()))
}

func ignoreCancel(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// talk sends messages, each to one agent, and prints how long they took.
func talk(ctx context.Context, r *rooms.Router) error {
	var mu sync.Mutex
	sent, took := map[string]time.Time{}, []time.Duration{}
	go func() {
		for e, err := range r.Events(ctx, rooms.From{}) {
			if err != nil {
				return
			}
			if _, ok := e.Body.(events.Dialogue); !ok {
				continue
			}
			mu.Lock()
			if at, known := sent[e.ReplyTo]; known {
				took = append(took, time.Since(at))
				delete(sent, e.ReplyTo)
			}
			mu.Unlock()
		}
	}()
	began, n, full, cpu := time.Now(), 0, 0, busy()
	var wg sync.WaitGroup
	slots := make(chan struct{}, 64)
	for time.Since(began) < *duration {
		if *rate > 0 {
			time.Sleep(time.Until(began.Add(time.Duration(n) * time.Second / time.Duration(*rate))))
		}
		slots <- struct{}{}
		to := n % *nAgents
		n++
		wg.Go(func() {
			defer func() { <-slots }()
			at := time.Now()
			got, err := r.Say(ctx, room(to), rooms.Message{Content: "Is all well?", To: []string{agent(to)}})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				full++
				return
			}
			sent[got.ID] = at
		})
	}
	wg.Wait()
	if err := r.Idle(ctx); err != nil {
		return err
	}
	spent := time.Since(began)
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(took)
	fmt.Printf("%d messages, %.0f/s answered in all, %d refused; %.0f MiB of heap, %.0f MiB from the system\n",
		n, float64(n-full)/spent.Seconds(), full, float64(heap())/(1<<20), float64(fromSystem())/(1<<20))
	fmt.Printf("%.2f ms of CPU time per message and answer\n", 1000*(busy()-cpu)/float64(n))
	if len(took) > 0 {
		fmt.Printf("from Say to the answer in the feed: median %v, 99 %% within %v (of %d seen)\n",
			took[len(took)/2].Round(10*time.Microsecond), took[len(took)*99/100].Round(10*time.Microsecond), len(took))
	}
	return nil
}

// heap returns the live bytes of the heap.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func fromSystem() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}

// busy returns the seconds of CPU time that the program has used.
func busy() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
