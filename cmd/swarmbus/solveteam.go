package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/teams"
	"github.com/swarmbus/swarmbus/swarm/teams/providers"
)

// teamFlags say who solves, and within which bounds.
type teamFlags struct {
	team     string
	models   []string
	agents   int
	context  string
	mode     string
	differ   bool
	provable bool
	calls    int
	by       terms
	rounds   int
	seed     uint64
	baseURL  string
	budget   string
	prices   []string
	deadline time.Duration
}

func (f *teamFlags) define(flags *pflag.FlagSet) {
	flags.StringVar(&f.team, "team", "", "ready-made team ("+strings.Join(teams.Names(), ", ")+") or file")
	flags.StringArrayVar(&f.models, "model", nil, "PROVIDER:NAME; may be repeated")
	flags.IntVar(&f.agents, "agents", 3, "number of agents, 1 to 64")
	flags.StringVar(&f.context, "context", "", "background of the task")
	flags.StringVar(&f.mode, "mode", string(teams.DefaultMode), "how the agents work on the task: "+words(teams.Modes()))
	flags.BoolVar(&f.differ, "facts-differ", false, "the agents know different facts about the task, or with =false do not, which --mode auto goes by (default: what their tools suggest)")
	flags.BoolVar(&f.provable, "checkable", false, "a right answer can be proved, or with =false cannot, which --mode auto goes by (default: what the agents' tools suggest)")
	flags.IntVar(&f.calls, "calls", 0, "maximum number of turns in modes other than deliberate, each with what it reads (default: three for each agent)")
	f.by.define(flags)
	flags.IntVar(&f.rounds, "rounds", teams.DefaultRounds, "maximum number of rounds, where the agents deliberate")
	flags.Uint64Var(&f.seed, "seed", teams.DefaultSeed, "seed of ids and random choices")
	flags.StringVar(&f.baseURL, "base-url", "", "base URL of the models' server (default: the provider's)")
	flags.StringVar(&f.budget, "budget", "", "maximum cost, such as 0.50usd or 20000tokens (default: unlimited)")
	flags.StringArrayVar(&f.prices, "price", nil, "PROVIDER:NAME=IN/OUT, in dollars per million tokens")
}

// terms say what a decision takes.
type terms struct {
	strategy, conflicts string
	threshold           float64
	quorum              int
	advocate            string
	speakers            int
	writer              string
	schema              string
}

func (t *terms) define(flags *pflag.FlagSet) {
	flags.StringVar(&t.strategy, "strategy", "", "how votes become a decision, where the agents deliberate: "+words(teams.Strategies())+" (default: what has proved reliable)")
	flags.Float64Var(&t.threshold, "threshold", 0, "share of support that a decision needs, above 0 and at most 1 (default: 0.7, where the agents deliberate)")
	flags.IntVar(&t.quorum, "quorum", 0, "number of voters that a decision needs (default: more than half, where the agents deliberate)")
	flags.StringVar(&t.conflicts, "conflicts", string(teams.ConflictPolicies()[0]), "how conflicts between proposals are settled, where the agents deliberate: "+words(teams.ConflictPolicies())+"; with escalate a person is asked in other modes, too")
	flags.StringVar(&t.advocate, "advocate", "", "agent that argues against what the votes have chosen before it is decided, where the agents deliberate, such as critic (default: nobody)")
	flags.StringVar(&t.writer, "writer", "", "model of the team that writes the answer as a text, such as ollama:qwen3 (default: none)")
	flags.StringVar(&t.schema, "schema", "", "file with the JSON Schema that the answer conforms to (default: the answer is a text)")
	flags.IntVar(&t.speakers, "speakers", 0, "agents that speak in a round, where the agents deliberate: those addressed, then those with the most relevant news (default: all with news)")
}

// check finds what is wrong with the terms that were given.
func (t *terms) check(flags *pflag.FlagSet) error {
	switch {
	case flags.Changed("strategy") && !slices.Contains(teams.Strategies(), teams.Strategy(t.strategy)):
		return fmt.Errorf("--strategy %q is not %s", t.strategy, words(teams.Strategies()))
	case flags.Changed("threshold") && !(t.threshold > 0 && t.threshold <= 1):
		return fmt.Errorf("--threshold %v is not above 0 and at most 1", t.threshold)
	case flags.Changed("speakers") && t.speakers < 1:
		return fmt.Errorf("--speakers %d is not positive", t.speakers)
	case flags.Changed("quorum") && t.quorum < 1:
		return fmt.Errorf("--quorum %d is not positive", t.quorum)
	case t.conflicts != "" && !slices.Contains(teams.ConflictPolicies(), teams.Conflicts(t.conflicts)):
		return fmt.Errorf("--conflicts %q is not %s", t.conflicts, words(teams.ConflictPolicies()))
	}
	return nil
}

// make returns the team: that of a file, with what flags change, or one of flags alone.
func (f *teamFlags) make(cmd *cobra.Command) (*teams.Team, error) {
	if err := f.check(cmd); err != nil {
		return nil, cli.Usage(err)
	}
	var wrong error
	change := func(t *teams.Team) { wrong = f.change(cmd, t) }
	var team *teams.Team
	var err error
	switch {
	case f.team != "":
		team, err = teams.Load(f.team, change)
	case len(f.models) > 0:
		team = teams.Of(f.agents)
		change(team)
	default:
		if team, err = f.choose(cmd); err == nil {
			change(team)
		}
	}
	if wrong != nil {
		return nil, cli.Usage(wrong)
	}
	if err == nil && f.team == "" {
		if err = team.Validate(); err != nil {
			err = cli.Usage(err)
		}
	}
	if err == nil {
		err = idle(cmd, team)
	}
	return team, err
}

// choose returns a team of the models that can be reached, and says which they are.
func (f *teamFlags) choose(cmd *cobra.Command) (*teams.Team, error) {
	t, err := providers.Choose(cmd.Context(), f.agents)
	if err != nil {
		return nil, cli.Usage(fmt.Errorf("no --model is named, and %w", err))
	}
	most := "at no cost"
	if t.Budget != "" {
		most = "for at most " + cmp.Or(f.budget, string(t.Budget)) + " (--budget)"
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "swarmbus: the agents ask %s, %s\n", strings.Join(slices.Sorted(maps.Keys(t.Models)), " and "), most)
	return t, nil
}

// idle refuses flags that have no effect in the mode that is asked for, and warns of fields of a
// team that have none.
func idle(cmd *cobra.Command, t *teams.Team) error {
	named := t.Whole().Mode
	for _, field := range t.Idle() {
		only := cmp.Or(effective[field], "in mode deliberate")
		name := cmp.Or(map[string]string{"factsDiffer": "facts-differ"}[field], field)
		if flag := cmd.Flags().Lookup(name); flag != nil && flag.Changed && named != teams.DefaultMode {
			return cli.Usage(fmt.Errorf("--%s %v has no effect in mode %s, only %s", name, flag.Value, named, only))
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "swarmbus: %s has no effect in mode %s, only %s\n", field, named, only)
	}
	if t.Memory != nil && !t.Confirms() {
		fmt.Fprintln(cmd.ErrOrStderr(), "swarmbus: "+confirmsNothing)
	}
	if all := t.Unheard(); len(all) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "swarmbus: what %s to the coordinator reaches nobody: name one with coordinator\n", strings.Join(all, ", ")+" may say")
	}
	return nil
}

// confirmsNothing is said of a team with a memory in which no fact is ever confirmed.
const confirmsNothing = "nothing will be recalled at the beginning of a solve: agents of one model confirm no fact for each other; give those with other roles and evidence a group each, or another model"

// effective says where fields of a team have an effect that are not for agents that deliberate.
var effective = map[string]string{"factsDiffer": "in mode auto", "checkable": "in mode auto", "calls": "in the other modes"}

// check finds what is wrong with the flags alone.
func (f *teamFlags) check(cmd *cobra.Command) error {
	switch {
	case f.team != "" && cmd.Flags().Changed("agents"):
		return errors.New("--agents cannot be combined with --team, which has its agents")
	case f.team == "" && len(f.models) == 0 && (f.baseURL != "" || len(f.prices) > 0):
		return errors.New("--model is required with --base-url and --price, such as --model openai:NAME")
	case f.agents < 1 || f.agents > 64:
		return fmt.Errorf("--agents %d is not from 1 to 64", f.agents)
	case f.mode != "" && !slices.Contains(teams.Modes(), teams.Mode(f.mode)):
		return fmt.Errorf("--mode %q is not %s", f.mode, words(teams.Modes()))
	case f.calls < 0 || f.calls == 0 && cmd.Flags().Changed("calls"):
		return fmt.Errorf("--calls %d is not positive", f.calls)
	case f.rounds < 1:
		return fmt.Errorf("--rounds %d is not positive", f.rounds)
	case f.seed == 0:
		return errors.New("--seed 0 is not positive")
	case strings.Contains(f.baseURL, "@"):
		return errors.New("--base-url is recorded in journals, so it must not contain a user name or a key")
	}
	if _, err := teams.Budget(f.budget).Most(); err != nil {
		return fmt.Errorf("--budget %w", err)
	}
	return f.by.check(cmd.Flags())
}

// change changes what flags say that were given.
func (f *teamFlags) change(cmd *cobra.Command, t *teams.Team) error {
	if err := f.replace(t); err != nil {
		return err
	}
	for name, set := range map[string]func(){
		"context":   func() { t.Context = f.context },
		"strategy":  func() { t.Strategy = teams.Strategy(f.by.strategy) },
		"threshold": func() { t.Threshold = f.by.threshold },
		"quorum":    func() { t.Quorum = f.by.quorum },
		"conflicts": func() { t.Conflicts = teams.Conflicts(f.by.conflicts) },
		"advocate":  func() { t.Advocate = f.by.advocate },
		"writer":    func() { t.Writer = f.by.writer },
		"speakers":  func() { t.Speakers = f.by.speakers },
		"mode":      func() { t.Mode = teams.Mode(f.mode) },
		"calls":     func() { t.Calls = f.calls },
		"rounds":    func() { t.Rounds = f.rounds },
		"seed":      func() { t.Seed = f.seed },
		"deadline":  func() { t.Deadline = teams.Duration(f.deadline) },

		"facts-differ": func() { t.FactsDiffer = &f.differ },
		"checkable":    func() { t.Checkable = &f.provable },
	} {
		if flag := cmd.Flags().Lookup(name); flag != nil && flag.Changed {
			set()
		}
	}
	if flag := cmd.Flags().Lookup("schema"); flag != nil && flag.Changed {
		answer, err := teams.AnswerOf(f.by.schema)
		if err != nil {
			return fmt.Errorf("--schema: %w", err)
		}
		t.Answer = answer
	}
	t.Budget = cmp.Or(teams.Budget(f.budget), t.Budget)
	if err := f.setBase(t); err != nil {
		return err
	}
	return f.setPrices(t)
}

// replace replaces the models, except that of the memory: the agents get them in turn.
func (f *teamFlags) replace(t *teams.Team) error {
	if len(f.models) == 0 {
		return nil
	}
	if n := len(f.models); n > len(t.Agents) {
		return fmt.Errorf("--model names %d models for %s: give --agents %d", n, text.Plural(len(t.Agents), "agent"), n)
	}
	maps.DeleteFunc(t.Models, func(name string, _ teams.Model) bool { return !t.Embeds(name) })
	if t.Models == nil {
		t.Models = map[string]teams.Model{}
	}
	for _, spec := range f.models {
		provider, name, ok := strings.Cut(spec, ":")
		if !ok || name == "" {
			return fmt.Errorf("--model %q is not PROVIDER:NAME", spec)
		}
		if !slices.Contains(teams.Providers(), teams.Provider(provider)) {
			var ids []string
			for _, p := range teams.Providers() {
				ids = append(ids, string(p))
			}
			return fmt.Errorf("--model %q: there is no provider %q%s", spec, provider, cmp.Or(text.Suggest(provider, ids), "; it is openai, anthropic, ollama or another that swarmbus models lists"))
		}
		t.Models[spec] = teams.Model{Provider: teams.Provider(provider), Name: name}
	}
	turn := 0
	for i := range t.Agents {
		if t.Agents[i].Join == "" {
			t.Agents[i].Model, t.Agents[i].Fallback = f.models[turn%len(f.models)], nil // which is of the file's
			turn++
		}
	}
	return nil
}

func (f *teamFlags) setBase(t *teams.Team) error {
	if f.baseURL == "" {
		return nil
	}
	providers := map[teams.Provider]bool{}
	for name, m := range t.Models {
		providers[m.Provider] = true
		m.BaseURL = teams.Place(f.baseURL)
		t.Models[name] = m
	}
	if len(providers) > 1 {
		return errors.New("--base-url applies to one provider, but the models have several")
	}
	return nil
}

// setPrices reads PROVIDER:NAME=IN/OUT, for some of the models.
func (f *teamFlags) setPrices(t *teams.Team) error {
	known := map[string]bool{}
	for _, s := range f.prices {
		at := strings.LastIndexByte(s, '=')
		id := s[:max(0, at)]
		in, out, two := strings.Cut(s[at+1:], "/")
		input, inErr := strconv.ParseFloat(in, 64)
		output, outErr := strconv.ParseFloat(out, 64)
		if errors.Join(inErr, outErr) != nil || !two || !(input >= 0 && output >= 0) {
			return fmt.Errorf("--price %q is not PROVIDER:NAME=IN/OUT", s)
		}
		used := false
		for name, m := range t.Models {
			if m.ID().String() == id {
				used, m.Price = true, &teams.Price{Input: input, Output: output}
				t.Models[name] = m
			}
		}
		if known[id] || !used {
			return fmt.Errorf("--price %q is for a model that has a price or is not used", s)
		}
		known[id] = true
	}
	if most, _ := t.Budget.Most(); most.Money > 0 && f.budget != "" {
		for _, m := range t.Models {
			if _, known := m.Cost(); !known {
				return fmt.Errorf("--budget %s needs the price of %s: --price %[2]s=IN/OUT", f.budget, m.ID())
			}
		}
	}
	return nil
}

// words lists names.
func words[S ~string](all []S) string {
	var list []string
	for _, s := range all {
		list = append(list, string(s))
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}
