package reporting

import (
	"context"
	"errors"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// Listen files what agents report in their turns ([reports.Turn]) from now on, right
// behind it in the log, until stop is called. Research says whose findings are
// research; nil: everyone's.
func (d *Desk) Listen(research func(worker string) bool) (stop func(), err error) {
	h, err := bus.Handle(d.bus, bus.HandleOptions{Agent: reports.ToDesk}, func(ctx context.Context, s signals.Signal[reports.Turn]) error {
		w, err := d.Worker(reports.Worker{
			ID: s.Source, Task: s.Thread, Research: research == nil || research(s.Source),
		})
		if err != nil {
			return err
		}
		_, err = w.Report(ctx, []byte(s.Payload.Report))
		if refused := (*reports.RefusedError)(nil); errors.As(err, &refused) {
			return nil // the log says so
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return h.Close, nil
}
