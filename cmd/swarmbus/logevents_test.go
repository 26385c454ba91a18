package main

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/cloudevents"
)

func TestLogAsCloudEventsLosesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	keepSolves(t, path, "decide", "reject")
	status, out, stderr := swarmbusRun(t, "log", path, "--format", "cloudevents")
	if status != cli.ExitDecided {
		t.Fatalf("status %d: %s", status, stderr)
	}
	codec, err := newCodec()
	if err != nil {
		t.Fatal(err)
	}
	var got []signals.Any
	for line := range strings.Lines(out) {
		s, err := cloudevents.Codec{Signals: codec}.ReadStructured([]byte(line))
		if err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		got = append(got, s)
	}
	v, err := journal.NewView(path)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for want, err := range said(t.Context(), v, new(bus.Filter), false) {
		if err != nil {
			t.Fatal(err)
		}
		if n == len(got) || !reflect.DeepEqual(got[n], want) {
			t.Fatalf("signal %d of the log is not among %d events: %v", n, len(got), want)
		}
		n++
	}
	if n == 0 || n != len(got) {
		t.Errorf("%d events of %d signals", len(got), n)
	}
	if status, _, stderr := swarmbusRun(t, "log", path, "--format", "xml"); status != cli.ExitUsage || !strings.Contains(stderr, `--format "xml"`) {
		t.Errorf("an unknown format: status %d: %s", status, stderr)
	}
}
