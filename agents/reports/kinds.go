package reports

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/swarmbus/swarmbus/signals"
)

// Kinds returns the kinds of all payloads of the package except [Turn] and
// [Ruling], which agents say. They are
// reserved for the publisher of what a gate accepts.
func Kinds() []signals.Kind { return slices.Clone(kinds) }

var kinds = []signals.Kind{
	Received{}.Kind(), Progress{}.Kind(), Completion{}.Kind(), Failure{}.Kind(), Block{}.Kind(), ResearchFinding{}.Kind(),
	WorkerFinding{}.Kind(), ResearchLearning{}.Kind(), WorkerLearning{}.Kind(), Requested{}.Kind(), Decided{}.Kind(),
	Created{}.Kind(), Rejected{}.Kind(), Advisory{}.Kind(),
}

func ours(k signals.Kind) bool { return slices.Contains(kinds, k) }

// Payloads returns the registrations of all payloads for a [signals.Codec].
func Payloads() []signals.Registration {
	return []signals.Registration{
		signals.For[Received](), signals.For[Progress](), signals.For[Completion](), signals.For[Failure](),
		signals.For[Block](), signals.For[ResearchFinding](), signals.For[WorkerFinding](), signals.For[ResearchLearning](),
		signals.For[WorkerLearning](), signals.For[Requested](), signals.For[Decided](), signals.For[Created](),
		signals.For[Rejected](), signals.For[Advisory](), signals.For[Turn](), signals.For[Ruling](),
	}
}

var codec = sync.OnceValue(func() *signals.Codec {
	c, err := signals.NewCodec(Payloads()...)
	if err != nil {
		panic(err) // the kinds are constant
	}
	return c
})

// Typed returns s with the payload type of its kind if it is one of the package's
// that a reader without [Payloads] read as [signals.Raw]. Any other signal is
// returned as it is.
func Typed(s signals.Any) signals.Any {
	if _, raw := s.Body().(signals.Raw); !raw || s.Kind() != (Turn{}).Kind() && s.Kind() != (Ruling{}).Kind() && !ours(s.Kind()) {
		return s
	}
	data, err := json.Marshal(s)
	if err != nil {
		return s
	}
	typed, err := codec().Unmarshal(data)
	if err != nil {
		return s
	}
	return typed
}
