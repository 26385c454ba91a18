package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

// withNATS has the flags of commands with --nats: how they are refused, or "" for those that have an
// effect. What effect is shown by the tests of bus/natsbus/natstest.
var withNATS = map[string]map[string]string{
	"solve": {
		"--team=review": "", "--model=openai:large": "", "--agents=2": "", "--context=c": "", "--mode=vote": "", "--facts-differ": "", "--checkable": "", "--calls=4": "",
		"--strategy=voting": "", "--threshold=0.5": "", "--quorum=2": "", "--conflicts=debate": "", "--advocate=critic": "", "--speakers=2": "", "--writer=openai:large": "", "--schema=s.json": "",
		"--rounds=2": "", "--seed=2": "", "--deadline=1m": "", "--json": "", "--log": "", "--otel": "",
		"--budget=9tokens":          "--budget has no effect with --nats",
		"--price=openai:large=1/1":  "--price has no effect with --nats",
		"--base-url=http://x":       "--base-url has no effect with --nats",
		"--record=r":                "--record cannot be combined with --nats: answers",
		"--cassette=c":              "--cassette cannot be combined with --nats: answers",
		"--journal=j":               "--journal cannot be combined with --nats: the log has the run",
		"--attach=s.json":           "",
		"--ledger=l":                "--ledger cannot be combined with --nats: the log has what was learned",
		"--settle":                  "--settle is for a run that --resume continues",
		"--join=127.0.0.1:0":        "--join cannot be combined with --nats: swarmbus agent",
		"--resume=t":                "--resume takes the task",
		"--server=http://127.0.0.1": "cannot be combined with --server",
	},
	"agent": {
		"--as=critic": "", "--team=review": "is none of the team's agents correctness", "--model=openai:large": "", "--base-url=http://x": "", "--budget=9tokens": "", "--price=openai:large=1/1": "", "--otel": "",
	},
	"rooms": {"--keys=k": "", "--room=ops": "", "--run=r": "--run cannot be combined with --nats", "--otel": ""},
	"serve": {
		"--config=serve.yaml": "", "--addr=127.0.0.1:0": "", "--public-url=https://x": "", "--log-format=json": "", "--log-level=warn": "", "--token-file=t": "", "--dir=d": "", "--jaeger=http://x": "", "--otel": "",
		"--demo": "--demo cannot be combined with --nats", "--pace=1s": "--pace is for --demo",
	},
}

// ofNATS are the flags of the log, which all of these commands have.
var ofNATS = map[string]string{
	"--creds=c": "", "--tls-ca=a": "a: no such file", "--tls-cert=c": "--tls-cert and --tls-key belong together", "--tls-key=k": "--tls-cert and --tls-key belong together",
	"--stream=s": "", "--domain=d": "", "--replicas=3": "", "--keep=1h": "", "--monitor=http://x": "", "--strict": "", "--sign=k": "--sign needs --trust", "--trust=t": "t: no such file", "--snapshots=1m": "",
}

func TestEachFlagHasAnEffectWithNATSOrIsRefused(t *testing.T) {
	office, err := filepath.Abs("../../examples/rooms/office.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	t.Setenv("OTEL_TRACES_EXPORTER", "none")
	t.Setenv("OTEL_METRICS_EXPORTER", "none")
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"serve.yaml": "addr: 127.0.0.1:0\n", "s.json": `{"type":"object"}`} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	base := map[string][]string{
		"solve": {"solve", "Which policy?", "--model=openai:large"}, "agent": {"agent", "--model=openai:large", "--as=critic"},
		"rooms": {"rooms", office}, "serve": {"serve", "--addr=127.0.0.1:0", "--dir=d"},
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for name, flags := range withNATS {
		cmd, _, err := newRoot(new(cli.Telemetry)).Find([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		rows := map[string]string{}
		for _, some := range []map[string]string{flags, ofNATS} {
			for flag, refused := range some {
				if has(cmd, flag) {
					rows[flag] = refused
				}
			}
		}
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			for row := range rows {
				if strings.HasPrefix(row+"=", "--"+flag.Name+"=") {
					return
				}
			}
			if flag.Name != "nats" && flag.Name != "help" {
				t.Errorf("%s: --%s is in no row", name, flag.Name)
			}
		})
		for flag, refused := range rows {
			var out, errs bytes.Buffer
			status := run(stopped, append(base[name], "--nats=nats://127.0.0.1:1", flag), &out, &errs)
			if says := errs.String(); !strings.Contains(says, refused) || refused == "" && status != cli.ExitCancelled {
				t.Errorf("%s %s: status %d, want %q: %s", name, flag, status, refused, says)
			}
			_, log := ofNATS[flag]
			if !log || name == "agent" {
				continue
			}
			errs.Reset()
			bare, _, _ := strings.Cut(flag, "=")
			for _, alone := range []struct{ flag, says string }{{flag, bare + " is for a log on NATS servers, which --nats names"}, {"--nats=", "--nats is empty"}} {
				errs.Reset()
				status := run(stopped, append(base[name], alone.flag), &out, &errs)
				if status != cli.ExitUsage || !strings.Contains(errs.String(), alone.says) {
					t.Errorf("%s %s: status %d: %s", name, alone.flag, status, &errs)
				}
			}
		}
	}
}

func has(cmd *cobra.Command, flag string) bool {
	bare, _, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
	return cmd.Flags().Lookup(bare) != nil
}

// What this process would ask costs money here, so that the limits of it have an effect.
func TestBudgetOfADriverIsThatOfItsWriter(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	args := []string{"solve", "Which policy?", "--model=openai:large", "--nats=nats://127.0.0.1:1", "--budget=9tokens", "--price=openai:large=1/1", "--base-url=http://x", "--writer=openai:large"}
	var out, errs bytes.Buffer
	if status := run(stopped, args, &out, &errs); status != cli.ExitCancelled {
		t.Errorf("status %d: %s", status, &errs)
	}
	t.Setenv("OPENAI_API_KEY", "")
	errs.Reset()
	if status := run(t.Context(), []string{"solve", "Which policy?", "--model=openai:large", "--nats=nats://127.0.0.1:1", "--writer=openai:large"}, &out, &errs); status != cli.ExitError ||
		!strings.Contains(errs.String(), "the process that drives the team asks its writer") || !strings.Contains(errs.String(), "OPENAI_API_KEY") {
		t.Errorf("without a key: status %d: %s", status, &errs)
	}
}

func TestTeamThatNATSCannotHaveIsRefused(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	t.Chdir(t.TempDir())
	models := "models: {main: {provider: openai, name: large}}\nagents:\n  - {id: a, model: main}\n  - {id: b, "
	for text, want := range map[string]string{
		models + "join: TOKEN}\n":                  "the agent b of the team has the key join",
		models + "model: main}\njournal: policy\n": "the journal policy of the team cannot be combined with --nats",
	} {
		if err := os.WriteFile("team.yaml", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if status := run(t.Context(), []string{"solve", "Which policy?", "--team=team.yaml", "--nats=nats://127.0.0.1:1"}, &out, &errs); status != cli.ExitUsage || !strings.Contains(errs.String(), want) {
			t.Errorf("status %d, want %q: %s", status, want, &errs)
		}
	}
}
