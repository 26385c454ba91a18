package natstest_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
)

// documented returns the configuration of servers that docs/scale.md shows.
func documented(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "```nats\n")
	config, _, end := strings.Cut(rest, "```\n")
	if !ok || !end {
		t.Fatal("no configuration in docs/scale.md")
	}
	return config
}

// as is the URL of a user of that configuration.
func as(s *natstest.Server, user string) string {
	return strings.Replace(s.URL(), "://", "://"+user+":"+user+"-secret@", 1)
}

// startAgents starts processes that take the turns of agents, and stops them with the test, which
// fails if the servers refuse them anything but to make the streams.
func startAgents(t *testing.T, args func(id string) []string, ids ...string) {
	t.Helper()
	file, err := command()
	if err != nil {
		t.Fatal(file, err)
	}
	var all sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() { cancel(); all.Wait() })
	for _, id := range ids {
		cmd := exec.CommandContext(ctx, file, append([]string{"agent", "--as", id}, args(id)...)...)
		cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, 10*time.Second
		var text bytes.Buffer
		cmd.Stdout, cmd.Stderr = &text, &text
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			if err := cmd.Wait(); err != nil && ctx.Err() == nil {
				t.Errorf("%s: %v", id, err)
			}
			for line := range strings.Lines(text.String()) {
				if strings.Contains(line, "Violation") && !strings.Contains(line, "STREAM.CREATE") {
					t.Errorf("%s: %s", id, line)
				}
			}
		})
	}
}

func TestDocumentedPermissionsSufficeForASolve(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	server := natstest.Start(t, natstest.Options{Config: documented(t)})[0]
	url, _ := scripted(t)
	startAgents(t, func(id string) []string {
		return []string{"--nats", as(server, id), "--model", "openai:large", "--base-url", url}
	}, "planner", "critic", "verifier")
	together, status := runCommand(t, "solve", "Which retry policy?", "--mode", "deliberate", "--nats", as(server, "driver"), "--model", "openai:large")
	if strings.Contains(status, "Violation") || strings.Contains(status, "alarm") {
		t.Errorf("%s", status)
	}
	if !strings.Contains(together, `reached "planner-2"`) {
		t.Errorf("%s\n%s", together, status)
	}
}

// Each of these attacks of the planner is refused by the servers.
func TestDocumentedPermissionsAreTight(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t, natstest.Options{Config: documented(t)})[0]
	driver := join(t, natsbus.Options{URL: as(server, "driver")})
	if _, err := driver.Results(soon(t)); err != nil {
		t.Fatal(err)
	}
	violations := make(chan error, 64)
	nc, err := nats.Connect(as(server, "planner"), nats.CustomInboxPrefix("_INBOX.planner"), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { violations <- err }))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	refused := func(attack, subject string) {
		t.Helper()
		if err := nc.Flush(); err != nil {
			t.Fatal(err)
		}
		for {
			select {
			case err := <-violations:
				if strings.Contains(err.Error(), `"`+subject+`"`) {
					return
				}
			case <-soon(t).Done():
				t.Errorf("the servers allow to %s: %s", attack, subject)
				return
			}
		}
	}
	for attack, subjects := range map[string][]string{
		"delete a stream":              {"$JS.API.STREAM.DELETE.swarmbus", "$JS.API.STREAM.DELETE.swarmbus-results", "$JS.API.STREAM.DELETE.KV_swarmbus-leases"},
		"purge a stream":               {"$JS.API.STREAM.PURGE.swarmbus", "$JS.API.STREAM.PURGE.swarmbus-results"},
		"change a stream":              {"$JS.API.STREAM.UPDATE.swarmbus", "$JS.API.STREAM.UPDATE.swarmbus-results"},
		"delete a message":             {"$JS.API.STREAM.MSG.DELETE.swarmbus"},
		"make a stream":                {"$JS.API.STREAM.CREATE.evil", "$JS.API.STREAM.RESTORE.evil"},
		"have the servers publish":     {"$JS.API.CONSUMER.CREATE.swarmbus.evil", "$JS.API.CONSUMER.DURABLE.CREATE.swarmbus.evil", "$JS.API.CONSUMER.CREATE.swarmbus-results.evil"},
		"take messages of a reader":    {"$JS.API.CONSUMER.MSG.NEXT.swarmbus.other", "$JS.API.CONSUMER.DELETE.swarmbus.other"},
		"write a decision":             {"swarmbus.log.t.decision:made.system", "swarmbus.log.t.decision:made.planner"},
		"publish as another agent":     {"swarmbus.log.t.discovery.critic", "swarmbus.log.t.%%.%%"},
		"take a lease":                 {"$KV.swarmbus-leases.solve", "swarmbus.log.%%.%%.system"},
		"answer another's turn":        {"swarmbus.answer.turn:critic.x", "_INBOX.x"},
		"give or cancel turns":         {"swarmbus.call.turn:critic", "swarmbus.call.turn:planner", "swarmbus.cancel.turn:critic"},
		"write the results of another": {"swarmbus.result.critic.x"},
		"read the results of another":  {"$JS.API.DIRECT.GET.swarmbus-results.swarmbus.result.critic.x", "$JS.API.DIRECT.GET.swarmbus-results", "$JS.API.STREAM.MSG.GET.swarmbus-results"},
		"raise an alarm":               {"swarmbus.derived", "swarmbus.derived.other"},
	} {
		for _, subject := range subjects {
			if err := nc.Publish(subject, nil); err != nil {
				t.Fatal(err)
			}
			refused(attack, subject)
		}
	}
	for attack, subjects := range map[string][]string{
		"take another's turn":      {"swarmbus.call.turn:critic", "swarmbus.call.>", "swarmbus.call.*"},
		"read others' inbox":       {"_INBOX.>", "_INBOX.critic.>", "_INBOX.*"},
		"read others' answers":     {"swarmbus.answer.>", "swarmbus.answer.turn:critic.x"},
		"see which turns end":      {"swarmbus.cancel.>", "swarmbus.cancel.turn:critic"},
		"read the log, or it all":  {"swarmbus.log.>", ">", "$JS.>", "$KV.>"},
		"see results as they come": {"swarmbus.result.>", "swarmbus.result.critic.*"},
	} {
		for _, subject := range subjects {
			if _, err := nc.QueueSubscribeSync(subject, "swarmbus"); err != nil {
				t.Fatal(err)
			}
			refused(attack, subject)
		}
	}
	// What it has recorded it cannot take back, and a rollup removes nothing.
	for _, c := range []struct {
		attack string
		header nats.Header
		want   string
	}{
		{"record", nil, `"seq":1`},
		{"replace", nil, `"error"`},
		{"roll up", nats.Header{"Nats-Rollup": {"all"}}, `"error"`},
	} {
		ack, err := nc.RequestMsg(&nats.Msg{Subject: "swarmbus.result.planner.x", Header: c.header, Data: []byte(c.attack)}, 5*time.Second)
		if err != nil {
			t.Fatal(c.attack, err)
		}
		if !strings.Contains(string(ack.Data), c.want) {
			t.Errorf("%s: %s", c.attack, ack.Data)
		}
	}
}
