package main

import (
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// event is the signal that every contender publishes: about 120 bytes of text and a header.
type event = signals.Signal[signals.Discovery]

func newEvent() *event {
	return signals.New(
		signals.Header{Thread: "retry-policy", Confidence: 0.9},
		signals.Discovery{
			Finding:   "the retry loop in client.go has no jitter, so that all clients come back at the same moment after an outage of the server",
			Relevance: 0.5,
		},
	)
}

// A contender is a bus, or a floor.
type contender struct {
	Name  string
	Lacks string // features of the bus that it lacks
	// start returns a function that publishes n events and returns when every
	// one of the readers has all of them, and one that ends everything.
	start func(readers int) (run func(n int), stop func(), err error)
	most  int // readers; 0: any number

	readers int // instead of the table's; 0: the table's
}

// A table is contenders with the same readers.
type table struct {
	Title      string
	Readers    []int
	Contenders []contender
	Floors     int    // how many of the first are floors
	Base       string // the row that others are compared with by difference; "": by ratio, with swarmbus
}

// measure returns nanoseconds for one event, over about as long as wanted.
func measure(c contender, readers int, long time.Duration) (float64, error) {
	run, stop, err := c.start(readers)
	if err != nil {
		return 0, err
	}
	defer stop()
	n := 64
	for {
		start := time.Now()
		run(n)
		took := time.Since(start)
		if took >= long/2 || n >= 1<<24 {
			return float64(took) / float64(n), nil
		}
		n = int(min(8*float64(n), 1+float64(n)*1.2*float64(long)/float64(max(took, 1))))
	}
}
