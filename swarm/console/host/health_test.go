package host_test

import (
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/desk"
)

func TestHealthCountsAnOfficesSignalsAndNamesNoDirectoryOfTheBuild(t *testing.T) {
	t.Parallel()
	h, hub := opened(t, t.TempDir(), of("office"))
	b := h.Backend()
	sayAll(t, b, hub, "ops", "hi", "there")
	solve(t, b, payments)
	got, err := b.System.Health(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	office, team := got.Logs[len(got.Logs)-1], got.Logs[0]
	if office.Seq == 0 || office.Published != office.Seq || !office.Account.Balanced || office.Account.Intended != office.Account.Pending {
		t.Errorf("the office has %+v, want as many as its position", office)
	}
	for _, r := range team.Readers {
		if strings.Count(r.Site, "/") != 1 || !strings.Contains(r.Site, ".go:") {
			t.Errorf("reader %s is from %q, want package/file.go:line", r.Name, r.Site)
		}
	}
	if len(team.Readers) == 0 {
		t.Error("the team has no readers")
	}
}

// A log on servers that do not answer is not well, and what is counted of it can be scraped.
func TestHealthOfALogOnServersNamesTheStreamThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	since, behind := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), uint64(7)
	well := desk.Stream{Name: "reviews", Connected: true, Since: since, Behind: &behind, Dead: map[string]uint64{"forged": 2, "early": 1}, Retried: 3, Alarms: 4}
	cut := desk.Stream{Name: "policy", Since: since, Problem: "disconnected, trying again", Dead: map[string]uint64{}}
	hub := feed.New(feed.Options{})
	t.Cleanup(hub.Close)
	var elsewhere []host.Elsewhere
	for _, one := range []desk.Stream{well, cut} {
		elsewhere = append(elsewhere, afar{Log: new(journal.Memory), Health: func() *desk.Stream { return &one }}.at(one.Name))
	}
	h, err := host.Open(t.Context(), host.Options{Dir: t.TempDir(), Hub: hub, Elsewhere: elsewhere})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(t.Context()) //nolint:errcheck // nothing is written
	got, err := h.Backend().System.Health(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got.OK || got.Logs[0].Problem != "" || got.Logs[1].Problem != "the stream policy does not answer since 2026-05-01T12:00:00Z: disconnected, trying again" {
		t.Errorf("ok %v: %+v", got.OK, got.Logs)
	}
	text, err := h.Backend().System.Metrics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`swarmbus_log_connected{stream="reviews"} 1`, `swarmbus_log_connected{stream="policy"} 0`, `swarmbus_log_behind{stream="reviews"} 7`,
		`swarmbus_log_alarms_total{stream="reviews"} 4`, `swarmbus_log_retries_total{stream="reviews"} 3`,
		`swarmbus_log_dead_letters_total{stream="reviews",reason="early"} 1`, `swarmbus_log_dead_letters_total{stream="reviews",reason="forged"} 2`,
	} {
		if !strings.Contains(string(text), line+"\n") {
			t.Errorf("no %s in\n%s", line, text)
		}
	}
	if strings.Contains(string(text), `swarmbus_log_behind{stream="policy"}`) {
		t.Error("nobody knows how far behind it is")
	}
}
