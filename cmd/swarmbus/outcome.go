package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// An outcome is what turned out to be right in a solve.
type outcome struct {
	Run    string `json:"run"`
	Thread string `json:"thread"`
	Right  string `json:"right"` // id of the proposal; "": none
	value  string // what it says
	none   bool
}

func newOutcome() *cobra.Command {
	var o outcome
	var file string
	var server serverFlag
	var as cli.List
	cmd := &cobra.Command{
		Use:   "outcome [RUN [VALUE]]",
		Short: "Tell which proposal of a recorded solve turned out to be right",
		Long: `Outcome records which proposal turned out to be right: the one that says VALUE, the one with
the id of --right, or with --none none of them. The team that decides in this run next weighs
its agents by it, and so does the ledger of the team. The last outcome of a solve counts.

--file reads many from a CSV file with the columns run, right (an id, or what a proposal says;
empty: none of them) and, where a run has several solves, thread. Nothing is recorded unless
all of it can be. A run that a server is writing is told with --server.

` + aRun,
		Args: cli.AtMost(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := o.given(args, file)
			if err != nil {
				return err
			}
			return tell(cmd, &server, &as, all)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Right, "right", "", "id of the proposal that was right")
	flags.BoolVar(&o.none, "none", false, "none of the proposals was right")
	flags.StringVar(&o.Thread, "thread", "", "thread of the solve, if the run has several")
	flags.StringVar(&file, "file", "", "CSV file of outcomes")
	server.define(flags)
	as.Report(flags)
	return cmd
}

// given returns the outcomes that the arguments or the file have.
func (o outcome) given(args []string, file string) ([]outcome, error) {
	said := o.Right != "" || o.none || len(args) == 2
	switch {
	case file != "" && (said || len(args) > 0 || o.Thread != ""):
		return nil, cli.Usage(errors.New("--file has the runs and what was right: give nothing beside it"))
	case file != "":
		return outcomesIn(file)
	case len(args) == 0:
		return nil, cli.Usage(errors.New("a run is required, or --file OUTCOMES.csv"))
	case !said || o.none && (o.Right != "" || len(args) == 2) || o.Right != "" && len(args) == 2:
		return nil, cli.Usage(errors.New("one of VALUE, --right PROPOSAL and --none is required"))
	}
	if o.Run = args[0]; len(args) == 2 {
		o.value = args[1]
	}
	return []outcome{o}, nil
}

func outcomesIn(file string) (all []outcome, err error) {
	written, err := text.ReadFile(file, 16<<20)
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(written)).ReadAll()
	if err == nil && len(rows) == 0 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, fmt.Errorf("%s: want a CSV file with the columns run and right: %w", file, err)
	}
	at := func(row []string, column string) string {
		if i := slices.Index(rows[0], column); i >= 0 {
			return row[i]
		}
		return ""
	}
	if !slices.Contains(rows[0], "run") || !slices.Contains(rows[0], "right") {
		return nil, fmt.Errorf("%s: the first line is %q: want the columns run and right, and thread where a run has several solves", file, strings.Join(rows[0], ","))
	}
	for _, row := range rows[1:] {
		right := at(row, "right")
		all = append(all, outcome{Run: at(row, "run"), Thread: at(row, "thread"), value: right, none: right == ""})
	}
	return all, nil
}

// tell finds all that is meant, and then records it.
func tell(cmd *cobra.Command, server *serverFlag, as *cli.List, all []outcome) error {
	at, err := server.archive()
	if err != nil {
		return err
	}
	var problems []error
	for i := range all {
		o := &all[i]
		log, _, err := at.open(cmd.Context(), o.Run)
		if err == nil {
			err = o.find(log)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", text.Printable(o.Run), err))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	var said cli.Table
	for _, o := range all {
		if err := at.tell(cmd.Context(), o.Run, o.Thread, o.Right); err != nil {
			return fmt.Errorf("%s: %w", text.Printable(o.Run), err)
		}
		what := text.Quote(o.Right, 80)
		if o.none {
			what = "none of the proposals"
		}
		said.Row(fmt.Sprintf("%s %s: right was %s", o.Run, o.Thread, what))
	}
	return cli.PrintList(cmd.OutOrStdout(), as, all, &said)
}

// find completes the outcome by the log of its run.
func (o *outcome) find(log journal.Reader) error {
	past, err := solves.List(log)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(past, func(r *solves.Result) bool { return r.Thread == o.Thread || o.Thread == "" })
	switch {
	case i < 0:
		return fmt.Errorf("no solve in thread %q", o.Thread)
	case o.Thread == "" && len(past) > 1:
		return cli.Usage(fmt.Errorf("the run has %d solves: name one by --thread, or in the column thread", len(past)))
	}
	r := past[i]
	o.Thread = r.Thread
	if o.none {
		return nil
	}
	var ids []string
	for _, p := range r.Proposals {
		ids = append(ids, p.ID())
		says := p.Proposal.Payload.Content
		if p.Is(o.Right) || o.value != "" && (p.Is(o.value) || strings.EqualFold(text.Line(says), text.Line(o.value))) {
			o.Right = p.ID()
			return nil
		}
	}
	meant := o.Right + o.value
	return cli.Usage(fmt.Errorf("nobody proposed %s%s; the proposals are %s; if none of them was right: --none", text.Quote(meant, 80), text.Suggest(meant, ids), strings.Join(text.AtMost(ids), ", ")))
}
