package natstest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
)

// A driver makes a log that keeps few messages, and stores a snapshot of what it decided. The
// next one, which finds the beginning gone, knows the decision.
func TestCommandsKeepWhatWasDecidedInSnapshots(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	url, calls := scripted(t)
	server := natstest.Start(t, natstest.Options{})[0]
	common := []string{"--nats", server.URL(), "--model", "openai:large", "--keep", "10", "--keep", "720h", "--keep", "1GiB"}
	for _, id := range []string{"planner", "critic", "verifier"} {
		startTalk(t, append([]string{"agent", "--as", id, "--base-url", url}, common...)...).sees(t, "takes its turns here")
	}
	solve := append([]string{"solve", "Which retry policy?", "--mode", "deliberate", "--snapshots", "1h"}, common...)
	first, warned := runCommand(t, solve...)
	if strings.Contains(warned, "older signals than were asked for are dropped") {
		t.Errorf("it warns of its own limits:\n%s", warned)
	}
	_, js := rawClient(t, server.URL())
	stream, err := js.Stream(soon(t), "swarmbus")
	if err != nil {
		t.Fatal(err)
	}
	if c := stream.CachedInfo().Config; c.MaxMsgs != 10 || c.MaxAge != 720*time.Hour || c.MaxBytes != 1<<30 || stream.CachedInfo().State.FirstSeq < 2 {
		t.Errorf("%+v, first message %d", c, stream.CachedInfo().State.FirstSeq)
	}
	before := calls.Load()
	again, says := runCommand(t, solve...)
	if verdict(again) != verdict(first) || !strings.Contains(says, "was decided before") || calls.Load() != before {
		t.Errorf("first:\n%s\nagain, with %d calls:\n%s%s", first, calls.Load()-before, again, says)
	}
	console := startTalk(t, append([]string{"serve", "--addr", "127.0.0.1:0", "--dir", t.TempDir(), "--snapshots", "50ms"}, "--nats", server.URL(), "--keep", "10")...)
	console.sees(t, "/#token=")
	bucket, err := js.ObjectStore(soon(t), "swarmbus-snapshots")
	if err != nil {
		t.Fatal(err)
	}
	stored := func() *jetstream.ObjectInfo {
		info, err := bucket.GetInfo(soon(t), "swarmbus")
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	was := stored()
	for ctx := soon(t); !stored().ModTime.After(was.ModTime); pause() {
		if ctx.Err() != nil {
			t.Fatalf("the console stores no snapshot:\n%s", console.text())
		}
	}
}

// What the library says of its options the command says of its flags.
func TestErrorsOfTheLibraryNameFlagsOfTheCommand(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	server := natstest.Start(t, natstest.Options{})[0]
	fails := func(want string, args ...string) {
		t.Helper()
		c := startTalk(t, append([]string{"solve", "Which retry policy?", "--model", "openai:large"}, args...)...)
		c.sees(t, want)
		if err := c.cmd.Wait(); err == nil {
			t.Errorf("%v: it solves", args)
		}
		if text := c.text(); strings.Contains(text, "Storage.") || strings.Contains(text, "Options.") {
			t.Errorf("%v:\n%s", args, text)
		}
	}
	fails(`natsbus: --nats is "http://n1": not URLs of servers`, "--nats", "http://n1")
	fails(`natsbus: --stream is "a b": not a name of a stream`, "--nats", server.URL(), "--stream", "a b")
	fails(`natsbus: --domain is "a b": not a name of a domain`, "--nats", server.URL(), "--domain", "a b")
	fails(`natsbus: --replicas is 7: not from 1 to 5`, "--nats", server.URL(), "--replicas", "7")
	fails(`no monitoring port that could tell is in --monitor`, "--nats", server.URL(), "--strict")
	fails(`--keep is "soon": not an age`, "--nats", server.URL(), "--keep", "soon")
	fails(`--snapshots is -1s: not a time between snapshots`, "--nats", server.URL(), "--snapshots", "-1s")
	few := join(t, natsbus.Options{URL: server.URL(), Stream: "few", Storage: natsbus.Storage{MaxSignals: 10}})
	for range 12 {
		must(t, agent(t, few, "a"), found("t", "x"))
	}
	fails(`max_msgs is 10, want no limit: older signals than were asked for are dropped (--keep)`, "--nats", server.URL(), "--stream", "few")
	fails(`few has no snapshot that fits, as processes with --snapshots store it: `, "--nats", server.URL(), "--stream", "few")
}
