package bus

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// A LimitError is returned to an agent that publishes more than [Options] allow.
type LimitError struct {
	Agent   string
	Problem string
	Retry   time.Duration // after which there may be room again; 0: unknown
}

func (e *LimitError) Error() string { return fmt.Sprintf("bus: agent %q: %s", e.Agent, e.Problem) }

// admitLocked fills in the log's data about the drafts, and returns an error if
// they may not enter the log.
func (a *admission) admitLocked(p *Publisher, ds []draft, now int64) error {
	if err := a.roomLocked(ds); err != nil {
		return err
	}
	before := newBatch(len(ds))
	at := time.Unix(0, now).UTC()
	for i := range ds {
		d := &ds[i]
		d.Seq = a.history.Last() + 1 + uint64(i)
		if err := a.identifyLocked(p, d); err != nil {
			return err
		}
		a.stamp(d, now, at)
		if d.Foreign {
			if err := a.checkID(p, d); err != nil {
				return err
			}
		} else {
			d.ID = a.mintLocked(d.Seq, at) // by the bus's clock: a publisher's own time could use the mint up
		}
		if d.At > now || d.Due < now {
			if err := checkTime(d, now); err != nil {
				return err
			}
		}
		if err := a.uniqueLocked(d, &before); err != nil {
			return err
		}
		if err := a.foldsLocked(d, &before, now, len(ds)); err != nil {
			return err
		}
	}
	if a.quota.limits() && len(ds) > 0 {
		return a.chargeLocked(p, ds, now)
	}
	return nil
}

// mintLocked makes an id. That of a signal for a sequencer outside cannot be guessed from those
// before, unless the program gave a mint: who took it first would keep the signal out.
func (a *admission) mintLocked(seq uint64, at time.Time) signals.ID {
	if a.sequencer != nil {
		a.minted++
		return cmp.Or(a.mint, signals.NewMint()).ID(a.minted, at)
	}
	return a.mint.ID(seq, at)
}

// identifyLocked determines the draft's pages, thread and source. If the pages are
// known, only new names still have to be checked.
func (a *admission) identifyLocked(p *Publisher, d *draft) error {
	d.Kind, d.Thread, d.Source, d.ThreadText = p.kind, p.thread, p.agent, d.head.Thread
	named := p.role == layerRole && d.head.Source != ""
	if named {
		d.Source = d.head.Source
	}
	if d.Pages == nil {
		d.Pages = a.folds.pagesLocked(d.Signal)
		return p.allow(d.KindText, d.head) // a layer may have been opened meanwhile
	}
	if named {
		if err := d.checkName("source", d.Source); err != nil {
			return err
		}
	}
	if !d.Thread.Is(d.ThreadText) && d.ThreadText != "" && a.history.Threads[d.ThreadText] == nil {
		return d.checkName("thread", d.ThreadText)
	}
	return nil
}

// checkID refuses ids that could belong to other signals: those in the form of
// the bus's own mint and, from agents, of any mint, because a log that this one
// is fed to may have the same id. The id of a conflict is for the system's signals
// of that kind.
func (a *admission) checkID(p *Publisher, d *draft) error {
	_, ours := a.history.Minted(d.ID, d.Seq)
	if strings.HasPrefix(d.ID.String(), conflict.IDPrefix) {
		ours = p.role != systemRole || d.KindText != signals.KindConflict
	}
	if !ours && (p.role != agentRole || !d.ID.Minted()) {
		return nil
	}
	return d.invalid("id", d.ID.String(), "has the form reserved for ids that the log assigns")
}

// chargeLocked charges the drafts to the limits of the agents that are their
// sources, or refuses all of them. What a layer appends at once is one act of each
// agent that it speaks for, because a layer adds signals of its own making. The
// system, layers themselves and their records have no limits.
func (a *admission) chargeLocked(p *Publisher, ds []draft, now int64) error {
	if p.role == agentRole {
		ds[0].charge = float64(len(ds))
		return a.chargeOneLocked(&ds[0], ds, now)
	}
	var charged []string
	for i := range ds {
		d := &ds[i]
		if p.role == systemRole || d.record || d.Source == p.agent || d.Source == System || slices.Contains(charged, d.Source) {
			continue
		}
		d.charge = 1
		if err := a.chargeOneLocked(d, ds, now); err != nil {
			a.refundLocked(ds[:i])
			return err
		}
		charged = append(charged, d.Source)
	}
	return nil
}

// refundLocked gives back what drafts took that do not enter the log.
func (a *admission) refundLocked(ds []draft) {
	for i := range ds {
		a.quota.refund(ds[i].Source, ds[i].charge)
	}
}

// chargeOneLocked charges the source of d for all of its drafts.
func (a *admission) chargeOneLocked(d *draft, ds []draft, now int64) error {
	bytes := 0
	for i := range ds {
		if a.quota.limitsBytes() && ds[i].Source == d.Source {
			bytes += textSize(ds[i].Signal)
		}
	}
	if problem, retry := a.quota.take(d.Source, d.charge, bytes, now); problem != "" {
		return &LimitError{d.Source, problem, retry}
	}
	return nil
}
