package desk

import (
	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/swarm/reporting"
)

// watches returns what watches each bus of the team: watch, and for a team whose workers report what
// files their reports.
func (t *Team) watches(watch func(*bus.Bus) (func(), error)) func(*bus.Bus) (func(), error) {
	if t.File == nil || t.File.Reports == nil {
		return watch
	}
	return func(b *bus.Bus) (func(), error) {
		ends, err := file(b, t.File.Reports.Conductor == "", t.File.Reports.Watch)
		if err != nil || watch == nil {
			return ends, err
		}
		stop, err := watch(b)
		if err != nil {
			ends()
			return nil, err
		}
		return func() { ends(); stop() }, nil
	}
}

// file files what agents report on a bus.
func file(b *bus.Bus, asks, watches bool) (stop func(), err error) {
	o := &reporting.Options{}
	if asks {
		o.Conductor = reporting.Escalate(b.System())
	}
	if watches {
		o.Watch = new(reports.WatchOptions)
	}
	d, err := reporting.New(b, o)
	if err != nil {
		return nil, err
	}
	return d.Listen(nil)
}
