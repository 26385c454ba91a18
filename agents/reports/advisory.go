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
	RetryStorm   Concern = "retry_storm"   // a worker repeats the same report
)

// Advisory is an observation of a [Watcher]. It requires no action.
type Advisory struct {
	Concern Concern   `json:"concern"`
	Workers List      `json:"workers"` // the workers concerned, sorted
	Since   time.Time `json:"since"`   // when the problem began
	Count   int       `json:"count"`   // number of failures or repetitions; 0 for a stall
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
