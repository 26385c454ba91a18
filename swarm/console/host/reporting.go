package host

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// reporting is the reports of workers in all runs.
type reporting struct{ h *Host }

// Reports implements [api.Reports].
func (r reporting) Reports(ctx context.Context, run, worker string, limit int) ([]api.Report, error) {
	names := []string{run}
	if run == "" {
		paths, err := runs.List(r.h.o.Dir)
		if err != nil {
			return nil, err
		}
		names = nil
		for _, path := range paths {
			names = append(names, strings.TrimSuffix(path[strings.LastIndexAny(path, `/\`)+1:], runs.Suffix))
		}
	}
	all := []api.Report{}
	for _, name := range names {
		some, err := r.of(ctx, name, worker)
		if err != nil && run != "" {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.SortStableFunc(all, func(a, b api.Report) int { return b.Time.Compare(a.Time) })
	return all[:min(len(all), limit)], nil
}

// of returns the reports of a run. The signals of a report follow each other in its log.
func (r reporting) of(ctx context.Context, run, worker string) (all []api.Report, err error) {
	from, err := running(r).reader(run)
	if err != nil {
		return nil, err
	}
	var (
		turns = map[signals.ID]reports.Turn{}
		asked = map[signals.ID]int{} // reports by their escalations
		last  = map[string]int{}     // reports by their workers
		parts []signals.Any          // of the report that is being read
		left  int                    // parts that follow
	)
	for s, err := range signalsOf(ctx, from, 0) {
		if err != nil {
			return nil, err
		}
		switch p := s.Body().(type) {
		case reports.Turn:
			turns[s.Head().ID] = p
			continue
		case reports.Decided:
			if i, ok := asked[s.Head().ReplyTo]; ok {
				all[i].Then = append(all[i].Then, partOf(s, s.Head().Source+" "+p.String()))
			}
			continue
		case reports.Advisory:
			for _, w := range p.Workers {
				if i, ok := last[w]; ok {
					all[i].Then = append(all[i].Then, partOf(s, s.Head().Source+" "+p.String()))
				}
			}
			continue
		case reports.Received:
			parts, left = nil, p.Signals
		case reports.Rejected:
			if left == 0 && p.Part == reports.PartReport {
				parts = nil
			}
		}
		if left == 0 && !starts(s) {
			continue
		}
		if parts = append(parts, s); !isReceived(s) && left > 0 {
			left--
		}
		if left > 0 {
			continue
		}
		for _, s := range parts {
			asked[s.Head().ID] = len(all)
		}
		one := reportOf(run, turns, parts)
		last[one.Worker] = len(all)
		all, parts = append(all, one), nil
	}
	return slices.DeleteFunc(all, func(r api.Report) bool { return worker != "" && r.Worker != worker }), nil
}

// starts reports whether a signal is the first of a report.
func starts(s signals.Any) bool {
	p, ok := s.Body().(reports.Rejected)
	return isReceived(s) || ok && p.Part == reports.PartReport
}

func isReceived(s signals.Any) bool {
	_, ok := s.Body().(reports.Received)
	return ok
}

func reportOf(run string, turns map[signals.ID]reports.Turn, parts []signals.Any) api.Report {
	receipt := reports.ReceiptOf(parts...)
	h := parts[0].Head()
	of := api.Report{
		ID: fmt.Sprintf("%s.%d", run, h.Seq), Run: run, Seq: h.Seq, Time: h.Time, Worker: receipt.Worker, Task: receipt.Task,
		Status: string(receipt.Status), Receipt: receipt.String(), Accepted: []api.ReportPart{}, Rejected: []api.ReportPart{}, Then: []api.ReportPart{},
	}
	raw := receipt.Report
	if turn, ok := turns[h.ReplyTo]; raw == "" && ok {
		raw = turn.Report
	}
	of.Turn, of.Model = receipt.TurnID, receipt.Model
	if json.Valid([]byte(raw)) {
		of.Raw = json.RawMessage(raw)
	} else if raw != "" {
		of.Raw, _ = json.Marshal(raw) // a string can be encoded
	}
	for _, s := range parts {
		if isReceived(s) {
			continue
		}
		part := partOf(s, acceptedAs(receipt, s))
		if p, ok := s.Body().(reports.Rejected); ok {
			part.Text, part.Reason = p.Detail, string(p.Reason)
			of.Rejected = append(of.Rejected, part)
			continue
		}
		of.Accepted = append(of.Accepted, part)
	}
	return of
}

func partOf(s signals.Any, text string) api.ReportPart {
	body, err := json.Marshal(s.Body())
	if err != nil {
		body, _ = json.Marshal(err.Error())
	}
	return api.ReportPart{Seq: s.Head().Seq, Kind: string(s.Kind()), Text: text, Body: body}
}

// acceptedAs returns what a receipt says of an accepted part.
func acceptedAs(r reports.Receipt, s signals.Any) string {
	for _, a := range r.Accepted {
		if a.ID == s.Head().ID {
			return a.Text
		}
	}
	if p, ok := s.Body().(fmt.Stringer); ok {
		return p.String()
	}
	return r.Summary
}
