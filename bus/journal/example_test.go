package journal_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
)

// The signals of one bus are fed to another.
func ExampleAttach() {
	dir, err := os.MkdirTemp("", "journal")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	for run := 1; run <= 2; run++ {
		j, err := journal.Open(filepath.Join(dir, "talk.journal"), nil)
		if err != nil {
			panic(err)
		}
		b, err := bus.New(nil)
		if err != nil {
			panic(err)
		}
		w, err := journal.Attach(ctx, b, j, nil) // restores, and then writes
		if err != nil {
			panic(err)
		}
		ann, err := b.Agent("ann", bus.Permissions{})
		if err != nil {
			panic(err)
		}
		if _, err := ann.Publish(ctx, signals.New(signals.Header{Confidence: 1}, signals.Discovery{Finding: fmt.Sprint("run ", run)})); err != nil {
			panic(err)
		}
		if err := w.Sync(ctx, b.Last()); err != nil { // now the disk has it
			panic(err)
		}
		for s, err := range journal.Signals(j, nil, 0) {
			if err != nil {
				panic(err)
			}
			fmt.Println("run", run, "has", s.Head().Seq, s.Body().(signals.Discovery).Finding)
		}
		if err := w.Close(ctx); err != nil {
			panic(err)
		}
		b.Close()
		if err := j.Close(); err != nil {
			panic(err)
		}
	}
	// Output:
	// run 1 has 1 run 1
	// run 2 has 1 run 1
	// run 2 has 2 run 2
}

// A journal keeps a sum in the place of the records that it forgets.
func ExampleRetention_Apply() {
	var j journal.Memory
	for n := range 10 {
		if _, err := j.Append(journal.Record{Type: journal.TypeResult, Body: []byte{byte(n)}}); err != nil {
			panic(err)
		}
	}
	sum := func(state []byte, dropped iter.Seq2[journal.Record, error]) ([]byte, error) {
		state = append(state, make([]byte, 1-len(state))...)
		for r, err := range dropped {
			if err != nil {
				return nil, err
			}
			state[0] += r.Body[0]
		}
		return state, nil
	}
	dropped, err := journal.Retention{Bytes: 8, Fold: sum}.Apply(&j)
	if err != nil {
		panic(err)
	}
	snapshot, err := j.Snapshot()
	if err != nil {
		panic(err)
	}
	fmt.Println(dropped, "records dropped, their sum is", snapshot.State[0])
	for r, err := range j.Read(snapshot.Through) {
		if err != nil {
			panic(err)
		}
		fmt.Println("record", r.Seq, "is there")
	}
	// Output:
	// 6 records dropped, their sum is 15
	// record 7 is there
	// record 8 is there
	// record 9 is there
	// record 10 is there
}

// A follower of a journal reads the records in it and waits for more.
func ExampleMemory_Follow() {
	var j journal.Memory
	say := func(text string) {
		if _, err := j.Append(journal.Record{Type: journal.TypeResult, Body: []byte(text)}); err != nil {
			panic(err)
		}
	}
	say("past")
	go say("to come")
	for r, err := range j.Follow(context.Background(), 0) {
		if err != nil {
			panic(err)
		}
		fmt.Printf("%d %s\n", r.Seq, r.Body)
		if r.Seq == 2 {
			break
		}
	}
	// Output:
	// 1 past
	// 2 to come
}
