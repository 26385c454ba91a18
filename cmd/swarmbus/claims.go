package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/claims"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

// What show says of a result beside its transcript.
type aboutFlags struct {
	without []uint
	assume  uint
	credit  bool
	answer  bool
	why     bool
}

func (f *aboutFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.UintSliceVar(&f.without, "without", nil, "print what falls without these signals, by their numbers in the transcript")
	flags.BoolVar(&f.answer, "answer", false, "print the answer as a text that cites the signals it is from, with dissent and what would change it")
	flags.BoolVar(&f.why, "why", false, "print the mode with its reason, and what hearing each other changed: flips, unanimity before and after, challengers")
	flags.BoolVar(&f.credit, "credit", false, "print who moved the result, by their Shapley values")
	flags.UintVar(&f.assume, "assume", 0, "print which claims fall if the claim of this signal is made true (an intervention)")
}

// asText refuses, beside JSON, what is printed as text alone.
func (f *aboutFlags) asText(json bool) error {
	for _, print := range []struct {
		flag  string
		given bool
	}{{"without", len(f.without) > 0}, {"assume", f.assume > 0}} {
		if json && print.given {
			return fmt.Errorf("--%s prints text, and cannot be combined with --json", print.flag)
		}
	}
	if json && f.answer {
		return errors.New("--answer prints text; with --json the last event has it, as synthesis")
	}
	return nil
}

// asked reports whether something is to be printed instead of the transcript.
func (f *aboutFlags) asked() bool {
	return len(f.without) > 0 || f.assume > 0 || f.credit || f.answer || f.why
}

// creditJSON prints who moved the result as a JSON object.
func creditJSON(w io.Writer, v journal.Reader, thread string) error {
	r, err := resultIn(v, thread)
	if err != nil {
		return err
	}
	a, err := r.Credit(nil)
	if err != nil {
		return err
	}
	type share struct {
		Agent  string  `json:"agent"`
		Credit float64 `json:"credit"`
		Error  float64 `json:"error,omitempty"`
	}
	shares := []share{}
	for _, s := range a.Shares {
		shares = append(shares, share(s))
	}
	return json.NewEncoder(w).Encode(struct {
		Choice   string  `json:"choice,omitempty"`
		Strategy string  `json:"strategy"`
		Orders   int     `json:"orders,omitempty"`
		Shares   []share `json:"credit"`
	}{a.Choice, a.Strategy, a.Orders, shares})
}

// printAlone prints what was asked for and nothing before it.
func (f *aboutFlags) printAlone(w io.Writer, v journal.Reader, thread string) error {
	var all bytes.Buffer
	if err := f.print(&all, v, thread); err != nil {
		return err
	}
	_, err := w.Write(bytes.TrimPrefix(all.Bytes(), []byte("\n")))
	return err
}

// revised prints what was taken back after the decision, if anything was.
func revised(w io.Writer, r *solves.Result) error {
	if r.Revision == nil {
		return nil
	}
	_, err := fmt.Fprintf(w, "\n%s\n", transcript.Revised(r))
	return err
}

// print prints what was asked for.
func (f *aboutFlags) print(w io.Writer, v journal.Reader, thread string) error {
	r, err := resultIn(v, thread)
	if err != nil {
		if !f.asked() {
			return nil // a thread that is no solve
		}
		return err
	}
	if !f.asked() {
		return revised(w, r)
	}
	if f.answer {
		if _, err := fmt.Fprintf(w, "\n%s\n", text.Lines(r.Synthesis().Text)); err != nil {
			return err
		}
	}
	if f.why {
		mode := "deliberate: no mode that asks for answers was chosen"
		if r.Planned != nil {
			mode = r.Planned.String()
		}
		changed := strings.ReplaceAll(r.Talk().String(), "\n", "\n  ")
		if _, err := fmt.Fprintf(w, "\nMode\n  %s\n\nWhat hearing each other changed\n  %s\n", text.Printable(mode), text.Lines(changed)); err != nil {
			return err
		}
	}
	if f.credit {
		if err := printCredit(w, r); err != nil {
			return err
		}
	}
	g := r.Claims()
	if len(f.without) > 0 {
		ids, err := idsAt(r, f.without...)
		if err != nil {
			return err
		}
		effect, err := g.Without(ids...)
		if err != nil {
			return cli.Usage(err)
		}
		if err := printEffect(w, fmt.Sprintf("Without %v", f.without), effect); err != nil {
			return err
		}
	}
	if f.assume == 0 {
		return nil
	}
	ids, err := idsAt(r, f.assume)
	if err != nil {
		return err
	}
	effect, err := g.Assume(ids[0])
	if err != nil {
		return cli.Usage(err)
	}
	return printEffect(w, fmt.Sprintf("Assuming [%d]", f.assume), effect)
}

func printCredit(w io.Writer, r *solves.Result) error {
	a, err := r.Credit(nil)
	if err != nil {
		return err
	}
	if a.Choice == "" || len(a.Shares) == 0 {
		_, err := fmt.Fprintln(w, "\nCredit: no proposal leads by votes")
		return err
	}
	how := "exact"
	if a.Orders > 0 {
		how = fmt.Sprintf("%d random orders", a.Orders)
	}
	fmt.Fprintf(w, "\nCredit for %s by %s, %s\n", text.Printable(a.Choice), a.Strategy, how)
	var out cli.Table
	for _, s := range a.Shares {
		bar := ""
		if a.Orders > 0 {
			bar = fmt.Sprintf("± %.3f", s.Error)
		}
		out.Row("  "+s.Agent, fmt.Sprintf("%+.3f", s.Credit), bar)
	}
	return out.Print(w, new(cli.List))
}

func printEffect(w io.Writer, title string, e claims.Effect) error {
	fmt.Fprintf(w, "\n%s: %s, %s\n", title, fall(len(e.Fall), "fall"), fall(len(e.Weaken), "is weakened", "are weakened"))
	for _, c := range e.Fall {
		fmt.Fprintf(w, "  falls     %s\n", text.Printable(c.String()))
	}
	for _, c := range e.Weaken {
		if _, err := fmt.Fprintf(w, "  weakened  %s\n", text.Printable(c.String())); err != nil {
			return err
		}
	}
	return nil
}

// fall counts claims, with a verb for one and for several.
func fall(n int, verbs ...string) string {
	if n == 1 {
		if len(verbs) == 1 {
			return "1 claim " + verbs[0] + "s"
		}
		return "1 claim " + verbs[0]
	}
	return fmt.Sprintf("%d claims %s", n, verbs[len(verbs)-1])
}

// resultIn returns the result of a thread in a journal.
func resultIn(v journal.Reader, thread string) (*solves.Result, error) {
	all, err := solves.List(v)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(r *solves.Result) bool { return r.Thread == thread })
	if i < 0 {
		return nil, fmt.Errorf("no solve in thread %q", thread)
	}
	return all[i], nil
}

// resultWith returns the result of the solve that has the signal of that number. The thread may
// be "": numbers are those of the journal.
func resultWith(v journal.Reader, thread string, seq uint) (*solves.Result, error) {
	if thread != "" {
		return resultIn(v, thread)
	}
	all, err := solves.List(v)
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if slices.ContainsFunc(r.Log, func(s signals.Any) bool { return s.Head().Seq == uint64(seq) }) {
			return r, nil
		}
	}
	return nil, cli.Usage(fmt.Errorf("no solve of the run has a signal %d", seq))
}

// idsAt returns the ids of the signals with these numbers.
func idsAt(r *solves.Result, seqs ...uint) (ids []signals.ID, err error) {
	for _, seq := range seqs {
		i := slices.IndexFunc(r.Log, func(s signals.Any) bool { return s.Head().Seq == uint64(seq) })
		if i < 0 {
			return nil, cli.Usage(fmt.Errorf("no signal %d in thread %q", seq, r.Thread))
		}
		ids = append(ids, r.Log[i].Head().ID)
	}
	return ids, nil
}
