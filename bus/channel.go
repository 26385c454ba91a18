package bus

import (
	"github.com/swarmbus/swarmbus/bus/internal/backlog"
	"github.com/swarmbus/swarmbus/bus/internal/store"
)

// A channel holds the readers that wait for signals of a kind or a thread, and the
// handlers of a kind. It is a topic's Data.
type channel struct {
	queue     backlog.Queue
	handlers  []*Handler // never changed in place
	delivered uint64     // number of entries that all of them got, each without an exception
}

func channelOf(t *store.Topic) *channel {
	c, _ := t.Data.(*channel)
	return c
}

// handlersOf returns the handlers of a kind.
func handlersOf(t *store.Topic) []*Handler {
	if c := channelOf(t); c != nil {
		return c.handlers
	}
	return nil
}

// pin returns the topic with that text, gives it a channel, and keeps it from
// being dropped.
func pin(ts store.Topics, text string) *store.Topic {
	t := ts.Pin(text)
	if t.Data == nil {
		t.Data = new(channel)
	}
	return t
}

// pinAll returns the topics with these texts; nil if all are wanted.
func pinAll[T ~string](ts store.Topics, texts []T) []*store.Topic {
	if texts == nil {
		return nil
	}
	pinned := make([]*store.Topic, len(texts))
	for i, text := range texts {
		pinned[i] = pin(ts, string(text))
	}
	return pinned
}
