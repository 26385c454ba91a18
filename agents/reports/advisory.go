package reports

import (
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// Concern is what a [Watcher] points out.
type Concern string

// The concerns.
const (
	FailureSpike Concern = "failure_spike" // many turns fail at once
	Stall        Concern = "stall"         // a worker has gone silent
	RetryStorm   Concern = "retry_storm"   // a worker does the same over and over
)

// Advisory is what a [Watcher] saw in the log. It asks nobody for anything.
type Advisory struct {
	Concern Concern   `json:"concern"`
	Workers List      `json:"workers"` // whom it is about, sorted
	Since   time.Time `json:"since"`   // when what it is about began
	Count   int       `json:"count"`   // failures, or reports of the same; 0 for a stall
	Text    string    `json:"text"`    // in one line
}

// Kind returns KindAdvisory.
func (Advisory) Kind() signals.Kind { return KindAdvisory }

// Check implements [signals.Checker].
func (p *Advisory) Check(l signals.Limits) error {
	for _, w := range p.Workers {
		if err := l.Name("workers", w); err != nil {
			return err
		}
	}
	return first(oneOf("concern", p.Concern, concerns), l.Required("text", p.Text), signals.AtLeastZero("count", float64(p.Count)))
}
