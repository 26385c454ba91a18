package decide

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/votes"
)

type decideFlags struct {
	votes      string
	files      []string
	from       votes.Options
	delimiter  string
	items      string
	task       string
	strategies []string
	terms      consensus.Options
	own        bool
	resolve    bool
	journal    string
	list       cli.List
	strict     bool
}

// New returns the command.
func New() *cobra.Command {
	var f decideFlags
	cmd := &cobra.Command{
		Use:   "decide (--votes DIR | --from FORMAT FILE...)",
		Short: "Decide by recorded votes, item by item, and score strategies",
		Long: `With --from, decide reads the votes that other programs wrote, and prints for each item
(task) what the voters agree on, and how sure that is: as CSV, or with --json as JSON
lines.

  csv          a header, then a row for each vote; --map says what its columns are; with
               semicolons or tabs, too, as the CSV of Label Studio: task=id,voter=annotator,…
  jsonl        an object for each vote, on lines or in an array; --map says what its members
               are, such as those of Label Studio's JSON_MIN, or of Prodigy:
               task=_input_hash,voter=_annotator_id,label=accept; what it discarded is no vote
  labelstudio  the JSON export of Label Studio 1: choices, ratings, numbers and pairs;
               a ground truth is the truth, and a skipped annotation abstains
  argilla      what to_json of the records of Argilla 2 writes
  lm-eval      samples_*.jsonl of lm-evaluation-harness 0.4, in directories named after
               their models; an answer is the likeliest choice or a text

The label of an item is what leads, and its outcome says whether that is enough. What cannot
be read is reported with file, line and field, and everything else counts.

With --votes, decide reads votes.csv (task,voter,label[,confidence][,group]) and, if there is one,
truth.csv (task,label) from DIR, or from each directory in DIR that has a votes.csv. It
replays each task as a decision over the bus: voters are agents, labels are proposals,
rows are votes. It prints for each strategy:

  reached … pending   number of tasks with each outcome, with voting closed
  coverage            share of tasks in which the leader reached the threshold
  leader              share of known truths that the leader equals; k-way ties count 1/k
  right               the same among the tasks that reached a decision
  confidence, ECE     mean confidence, and its expected calibration error
  used, early         share of votes until the first final outcome, in row order,
                      and how often the leader was right at that point

Without --strategy it decides as a swarm does by default: by what the votes on earlier
tasks of the set have shown about the voters, and by confidence-weighted until they have
shown enough. "learned" pools all that is learned, from the first task on. Equal labels of
different tasks are the same choice, unless --own-labels says that they only number answers.
No strategy sees a truth, unless --resolve tells each one after its task is decided.

A bad row is reported with its line and refused; it is an error if none is left. With --task,
or if DIR has only one task, the decision itself is printed and determines the exit status,
unless --items asks for items.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.files = args
			return decide(cmd, &f)
		},
	}
	f.define(cmd)
	return cmd
}

func (f *decideFlags) define(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.votes, "votes", "", "directory of a set, or of sets")
	flags.StringVar(&f.from.From, "from", "", "format of files with votes: "+strings.Join(votes.Formats(), ", "))
	flags.StringToStringVar(&f.from.Columns, "map", nil, "what columns or members are called that have the task, voter, label, confidence, group or truth: task=image,voter=annotator")
	flags.StringVar(&f.delimiter, "delimiter", "", "character between the values of CSV, or tab (default: comma, semicolon or tab, as the header or a line sep=; says)")
	flags.StringVar(&f.from.Question, "question", "", "which of several questions, or filters of lm-eval, is decided")
	flags.BoolVar(&f.from.Models, "models", false, "count the predictions of Label Studio and the suggestions of Argilla as votes")
	flags.StringVar(&f.items, "items", "", "print each item's consensus as csv or json (default with --from, without --task)")
	flags.StringVar(&f.task, "task", "", "decide only this task")
	flags.StringSliceVar(&f.strategies, "strategy", nil, "names of strategies: "+strings.Join(names(), ", ")+", or all (default \"default\")")
	flags.Float64Var(&f.terms.Threshold, "threshold", consensus.DefaultThreshold, "support that a decision needs, in (0,1]")
	flags.IntVar(&f.terms.Quorum, "quorum", consensus.DefaultQuorum, "number of voters that a decision needs")
	flags.BoolVar(&f.own, "own-labels", false, "labels only number the answers of each task")
	flags.BoolVar(&f.resolve, "resolve", false, "learn each truth after its task is decided")
	flags.StringVar(&f.journal, "journal", "", "record everything in this new file, or under this name; see swarmbus runs")
	f.list.Columns(flags)
	flags.BoolVar(&f.strict, "strict", false, "exit with status 1 if any row was refused")
	_ = cmd.RegisterFlagCompletionFunc("strategy", cobra.FixedCompletions(append(names(), byAll), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("from", cobra.FixedCompletions(votes.Formats(), cobra.ShellCompDirectiveDefault))
	_ = cmd.RegisterFlagCompletionFunc("items", cobra.FixedCompletions([]string{itemsCSV, itemsJSON}, cobra.ShellCompDirectiveDefault))
	_ = cmd.MarkFlagDirname("votes")
}

func decide(cmd *cobra.Command, f *decideFlags) error {
	switch {
	case (f.votes == "") == (f.from.From == ""):
		return cli.Usage(errors.New("one of --votes and --from is required"))
	case f.from.From != "" && len(f.files) == 0 && !piped():
		return cli.Usage(errors.New("--from needs the files to read, or votes on standard input"))
	case f.from.From == "" && len(f.files) > 0:
		return cli.NoArgs(cmd, f.files)
	case !slices.Contains([]string{"", itemsCSV, itemsJSON}, f.items):
		return cli.Usage(fmt.Errorf("--items %q is neither csv nor json", f.items))
	case f.task == "" && cmd.Flags().Changed("task"):
		return cli.Usage(errors.New("--task is empty; without it all tasks are decided"))
	}
	if mark := []rune(strings.NewReplacer("tab", "\t", `\t`, "\t").Replace(f.delimiter)); len(mark) == 1 && f.from.From == votes.FromCSV && !strings.ContainsAny(string(mark), "\"\r\n\ufffd") {
		f.from.Delimiter = mark[0]
	} else if cmd.Flags().Changed("delimiter") {
		return cli.Usage(fmt.Errorf("--delimiter %q: want one character, or tab, with --from csv", f.delimiter))
	}
	if f.from.From != "" && len(f.files) == 0 {
		f.files = []string{"-"}
	}
	if f.from.From != "" && f.items == "" && f.task == "" {
		f.items = itemsCSV
		if f.list.JSON {
			f.items = itemsJSON
		}
	}
	if f.terms.Threshold == 0 {
		return cli.Usage(errors.New("--threshold must be above 0"))
	}
	if err := f.terms.Validate(); err != nil {
		return cli.Usage(err)
	}
	chosen, err := choose(f.strategies)
	if err != nil {
		return cli.Usage(err)
	}
	sets, refused, err := read(f)
	if err != nil {
		return errors.Join(refusals(refused), err)
	}
	for _, set := range sets {
		for _, pair := range set.Alike() {
			fmt.Fprintf(cmd.ErrOrStderr(), "counted apart: the labels %q and %q of %s differ in case or white space alone\n", pair[0], pair[1], set.Name)
		}
	}
	run := &decideRun{flags: f, strategies: chosen, refused: refused, progress: newProgress(cmd.ErrOrStderr(), sets)}
	err = run.all(cmd.Context(), sets)
	run.progress.finish()
	if run.kept != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), "journal:", run.kept)
	}
	for _, r := range run.refused {
		fmt.Fprintln(cmd.ErrOrStderr(), "refused:", r)
	}
	if err != nil {
		return err
	}
	return run.report(cmd.OutOrStdout())
}

// piped reports whether standard input is a pipe or a file, of which a command may read.
func piped() bool {
	info, err := os.Stdin.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}

// A decideRun is one run of the command.
type decideRun struct {
	flags      *decideFlags
	strategies []string
	progress   *progress

	kept      string // where the journal is
	refused   []*votes.RowError
	scores    []score
	items     []item
	decisions []consensus.Decision // the last task's
	tasks     int
	votes     int // that were cast
}

func (r *decideRun) all(ctx context.Context, sets []*votes.Set) (err error) {
	p, err := newPlayer(ctx, r.flags.journal)
	if err != nil {
		return err
	}
	r.kept = p.kept()
	defer func() { err = errors.Join(err, p.close(ctx)) }()
	stop, err := cli.Watch(ctx, p.bus)
	if err != nil {
		return err
	}
	defer stop()
	for _, set := range sets {
		if err := r.set(ctx, p, set); err != nil {
			return err
		}
	}
	return nil
}

func (r *decideRun) set(ctx context.Context, p *player, set *votes.Set) error {
	var counts []*tally
	for _, name := range r.strategies {
		d, err := newDecider(name, about(set, r.flags.own))
		if err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
		counts = append(counts, &tally{decider: d, score: score{Set: set.Name, Strategy: name, Outcomes: map[string]int{}}})
	}
	for _, t := range set.Tasks {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := r.task(ctx, p, set, t, counts); err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
	}
	for _, c := range counts {
		r.scores = append(r.scores, c.total())
	}
	return nil
}

// task is one decision, and one trace.
func (r *decideRun) task(ctx context.Context, p *player, set *votes.Set, t *votes.Task, counts []*tally) error {
	ctx, end := hooks.Start(ctx, hooks.Op{Name: hooks.OpSolve, Target: "decide", Thread: threadOf(set, t)})
	err := r.decide(ctx, p, set, t, counts)
	if err != nil {
		end(nil, err)
		return err
	}
	end(r.decisions[0], nil)
	return nil
}

func (r *decideRun) decide(ctx context.Context, p *player, set *votes.Set, t *votes.Task, counts []*tally) error {
	thread, refused, err := p.play(ctx, set, t)
	if err != nil {
		return err
	}
	r.refused = append(r.refused, refused...)
	r.decisions = r.decisions[:0]
	learned := false
	for _, c := range counts {
		if err := p.open(ctx, threadOf(set, t), c.terms(set, r.flags)); err != nil {
			return err
		}
		_, end := hooks.Start(ctx, hooks.Op{Name: hooks.OpConsensus, Target: c.Strategy, Thread: threadOf(set, t)})
		d, err := c.judge(&r.flags.terms, t, thread)
		end(d, err)
		if err != nil {
			return err
		}
		observed, err := c.decider.learn(t.ID, d.Ballots(), r.told(t))
		if err != nil {
			return err
		}
		learned = learned || observed != ""
		if err := p.record(ctx, threadOf(set, t), c.Strategy, d, observed); err != nil {
			return err
		}
		r.decisions = append(r.decisions, d)
		if r.flags.items != "" {
			r.items = append(r.items, itemOf(set, t, c.Strategy, d))
		}
	}
	r.tasks++
	r.votes += len(t.Votes) - len(refused)
	r.progress.add(len(t.Votes))
	defer p.bus.CloseThread(threadOf(set, t)) // also if nothing was decided: its proposals would stay live
	if d := r.decisions[0]; d.Outcome == consensus.Reached {
		if err := p.settle(ctx, threadOf(set, t), d.Choice, d.Confidence); err != nil {
			return err
		}
	}
	if right := r.told(t); right != "" && learned {
		return p.tell(ctx, threadOf(set, t), right)
	}
	return nil
}

// told is the outcome that those who learn are told.
func (r *decideRun) told(t *votes.Task) string {
	if !r.flags.resolve {
		return ""
	}
	return t.Truth
}

// report prints what was found and returns the exit status as an error.
func (r *decideRun) report(w io.Writer) error {
	var err error
	switch {
	case r.flags.items == itemsJSON:
		err = cli.Encode(w, r.items)
	case r.flags.items == itemsCSV:
		err = itemTable(w, &r.flags.list, r.items)
	case r.flags.list.JSON && r.tasks == 1:
		err = cli.Encode(w, r.decisions)
	case r.tasks == 1:
		for _, d := range r.decisions {
			_, werr := fmt.Fprintln(w, d)
			err = errors.Join(err, werr)
		}
	default:
		err = cli.PrintList(w, &r.flags.list, r.scores, scoreTable(r.scores))
	}
	switch {
	case err != nil:
		return err
	case len(r.refused) > 0 && r.votes == 0:
		return fmt.Errorf("all %d rows were refused", len(r.refused))
	case r.flags.strict && len(r.refused) > 0:
		return fmt.Errorf("%d rows were refused", len(r.refused))
	case r.flags.items == "" && r.tasks == 1 && r.decisions[0].Outcome != consensus.Reached:
		return &cli.StatusError{Status: cli.ExitNoConsensus}
	}
	return nil
}

// scoreTable is the table of scores.
func scoreTable(scores []score) *cli.Table {
	t := &cli.Table{Right: true, Titles: strings.Fields("set strategy tasks reached rejected deadlocked uncertified coverage leader right confidence ECE used early")}
	for _, s := range scores {
		cells := []string{s.Set, s.Strategy, strconv.Itoa(s.Tasks)}
		for _, outcome := range t.Titles[3:7] {
			cells = append(cells, strconv.Itoa(s.Outcomes[outcome]))
		}
		for _, of := range []*float64{&s.Coverage, s.Leader, s.Reached, s.Confidence, s.ECE, s.VotesUsed, s.Early} {
			cells = append(cells, percent(of))
		}
		t.Row(cells...)
	}
	return t
}

func percent(share *float64) string {
	if share == nil {
		return "–"
	}
	return fmt.Sprintf("%.1f%%", 100**share)
}

// progress is a bar on a terminal, and nothing elsewhere.
type progress struct{ bar *progressbar.ProgressBar }

func newProgress(w io.Writer, sets []*votes.Set) *progress {
	f, ok := w.(*os.File)
	if !ok || !cli.Redraws(f) {
		return &progress{}
	}
	total := 0
	for _, s := range sets {
		for _, t := range s.Tasks {
			total += len(t.Votes)
		}
	}
	return &progress{progressbar.NewOptions(total,
		progressbar.OptionSetWriter(w), progressbar.OptionSetDescription("votes"), progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(),
	)}
}

func (p *progress) add(n int) {
	if p.bar != nil {
		_ = p.bar.Add(n)
	}
}

func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
