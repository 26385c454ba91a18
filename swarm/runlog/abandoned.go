package runlog

import (
	"cmp"

	"github.com/swarmbus/swarmbus/signals"
)

// Abandon returns what ends a solve that waits for a person, when the solve is resumed with this as its
// answer: it stops by [StopAbandoned] and asks nobody any more. It is not published: the record of the stop
// says who cancelled the solve; "" is [Person].
func Abandon(by string) signals.Any {
	return signals.New(signals.Header{Source: cmp.Or(by, Person), Confidence: 1}, Decided{Stop: StopAbandoned})
}
