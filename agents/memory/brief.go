package memory

import "github.com/swarmbus/swarmbus/signals"

// briefing returns recalled facts as signals of the system, best first, each with its
// origin: what a solve begins with. The confidence is 1 for a confirmed fact and 0.5 for
// others.
func briefing(found []Found) (all []signals.Any) {
	for i := range found {
		f := &found[i]
		first := f.first()
		if first == nil {
			continue
		}
		h := signals.Header{Confidence: 0.5}
		if f.State() == Confirmed {
			h.Confidence = 1
		}
		all = append(all, signals.New(h, signals.Memory{
			Content: f.Content, Category: f.Category, Importance: f.Importance(),
			Origin: signals.Origin{
				Fact: f.ID, State: f.State().String(), Source: first.Source, Group: first.Group,
				Thread: first.Thread, Signal: first.Signal, Time: first.Time,
			},
		}))
	}
	return all
}
