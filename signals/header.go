package signals

import (
	"fmt"
	"math"
	"time"
)

// Header says who sent a signal, when, in which thread and to whom. Publishing
// sets Seq and Source, and fills in ID, Time and TTL where they are zero.
type Header struct {
	Seq        uint64        // place in the log, from 1; 0: not in a log yet
	ID         ID            // zero: the log mints one
	Source     string        // the agent that sent it
	Thread     string        // the task or conversation; "" is a valid thread
	ReplyTo    ID            // zero: not a reply
	Time       time.Time     // zero: the log's clock; kept in UTC without monotonic part
	TTL        time.Duration // expires after Time + TTL; <0: never; 0: the log decides
	Confidence float64       // of the source, in [0,1]
	Recipients Recipients    // zero: everyone who subscribes; at most 64 KiB of names
	Trace      *Trace        // nil: not traced; never modified

	Round       int32 // of the solve; at least 0
	Priority    int16 // higher is more urgent
	CausalLevel CausalLevel
}

// Times must fit the wire: nanoseconds since 1970 in 64 bits.
var (
	minTime = time.Unix(0, math.MinInt64)
	maxTime = time.Unix(0, math.MaxInt64)
)

func (h *Header) check() error {
	return first(
		optionalName("source", h.Source),
		optionalName("thread", h.Thread),
		h.checkNumbers(),
	)
}

func optionalName(field, value string) error {
	if value == "" {
		return nil
	}
	return Limits{}.Name(field, value)
}

func checkTime(t time.Time) error {
	if t.IsZero() || !t.Before(minTime) && !t.After(maxTime) {
		return nil
	}
	return &FieldError{Field: "timestamp", Value: fmt.Sprint(t), Problem: "does not fit 64 bits of nanoseconds"}
}

func checkCausal(c CausalLevel) error {
	if c == 0 {
		return nil
	}
	return causalLevels.Check(c)
}
