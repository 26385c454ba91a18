package host

import (
	"fmt"

	"github.com/swarmbus/swarmbus/bus/journal"
	work "github.com/swarmbus/swarmbus/swarm/desk"
)

// An Elsewhere is a log that other processes write, too: one of many machines.
type Elsewhere struct {
	Run  string
	Team work.Team // whose solves it has; no name means Run
	At   work.Shared
}

// reader returns the records of a run.
func (r running) reader(name string) (journal.Reader, error) {
	if log := r.h.elsewhere(name); log != nil {
		return log, nil
	}
	path, err := r.h.archive.path(name)
	if err != nil {
		return nil, err
	}
	return journal.NewView(path)
}

// elsewhere returns the log of a run that other processes write, too, or nil.
func (h *Host) elsewhere(run string) work.Records {
	for i := range h.o.Elsewhere {
		if e := &h.o.Elsewhere[i]; e.Run == run {
			return e.At.Log()
		}
	}
	if o := h.office; o != nil && o.Shared != nil && o.Name == run {
		return o.log
	}
	return nil
}

// checkElsewhere refuses logs that this server cannot show.
func (h *Host) checkElsewhere(e *Elsewhere) error {
	switch {
	case e.At == nil:
		return fmt.Errorf("%q: no log", e.Run)
	case h.desk(e.Run) != nil:
		return fmt.Errorf("%q is the name of another run", e.Run)
	case h.team(e.Team.Name) != nil:
		return fmt.Errorf("%q is the name of another team", e.Team.Name)
	}
	return nil
}
