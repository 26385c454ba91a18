package host_test

import (
	"strings"
	"testing"
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
