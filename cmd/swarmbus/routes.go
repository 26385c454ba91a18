package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

func newTeamRoutes() *cobra.Command {
	var as cli.List
	cmd := &cobra.Command{
		Use:   "routes NAME|FILE [SIGNAL.json]",
		Short: "Say what a signal meets in the routes of each agent",
		Long: `Routes says what each agent of a team would do about a signal, in each of its states, and
why each route wins or loses. A signal is a JSON object with the members type, source and
payload; without one it is a message of a person.
`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			team, err := teams.Load(args[0])
			if err != nil {
				return err
			}
			s := signals.Any(signals.New(signals.Header{Source: runlog.Person, Confidence: 1}, routing.UserMessage{Text: "…"}))
			if len(args) == 2 {
				if s, err = readSignal(args[1]); err != nil {
					return fmt.Errorf("%s: %w", args[1], err)
				}
			}
			for _, a := range team.Agents {
				r, err := a.Router()
				if err != nil {
					return err
				}
				if !as.JSON {
					fmt.Fprintln(cmd.OutOrStdout(), text.Printable(a.ID)+":")
				}
				if r == nil && !as.JSON {
					fmt.Fprintln(cmd.OutOrStdout(), "  has no routes: it gets all that it listens to")
				}
				if r == nil {
					continue
				}
				states := []routing.State{r.Initial()}
				if a.Strategy != nil && len(a.Strategy.States) > 0 {
					states = a.Strategy.States
				}
				for _, state := range states {
					if as.JSON {
						if err := cli.Encode(cmd.OutOrStdout(), []explained{{a.ID, r.Explain(state, s)}}); err != nil {
							return err
						}
						continue
					}
					said := strings.TrimRight(text.Lines(r.Explain(state, s).String()), "\n")
					fmt.Fprintln(cmd.OutOrStdout(), "  "+strings.ReplaceAll(said, "\n", "\n  "))
				}
			}
			return nil
		},
	}
	as.Report(cmd.Flags())
	return cmd
}

// An explained is what a signal meets in the routes of an agent.
type explained struct {
	Agent string `json:"agent"`
	routing.Explanation
}

// readSignal reads a signal of any kind; one that the program does not know has its JSON.
func readSignal(name string) (signals.Any, error) {
	written, err := text.ReadFile(name, 1<<20)
	if err != nil {
		return nil, err
	}
	var s struct {
		Type    signals.Kind    `json:"type"`
		Source  string          `json:"source"`
		Payload json.RawMessage `json:"payload"`
	}
	if err := json.Unmarshal(written, &s); err != nil {
		return nil, cli.Usage(fmt.Errorf("not a JSON object with type, source and payload: %w", err))
	}
	codec, err := runlog.NewCodec()
	if err != nil {
		return nil, err
	}
	return codec.UnmarshalPayload(s.Type, signals.Header{Source: s.Source, Confidence: 1}, s.Payload)
}
