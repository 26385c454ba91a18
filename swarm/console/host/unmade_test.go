package host_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/desk"
)

func TestATeamThatCannotBeMadeIsAnErrorThatNamesIt(t *testing.T) {
	t.Parallel()
	hub := feed.New(feed.Options{})
	defer hub.Close()
	missing := errors.New("the key is missing")
	team := host.Team{Team: desk.Team{Name: "review", Open: func(context.Context, desk.Keep) (*desk.Crew, error) { return nil, missing }}}
	_, err := host.Open(t.Context(), host.Options{Dir: t.TempDir(), Teams: []host.Team{team}, Hub: hub})
	if !errors.Is(err, missing) || err.Error() != "team review: the key is missing" {
		t.Errorf("got %v, want the reason with the name of the team", err)
	}
}

// A team that cannot be made leaves no journal behind, unless there was one.
func TestATeamThatCannotBeMadeLeavesNoJournal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	team := host.Team{Team: desk.Team{Name: "review", Open: func(context.Context, desk.Keep) (*desk.Crew, error) { return nil, errors.New("no key") }}}
	hub := feed.New(feed.Options{})
	defer hub.Close()
	if _, err := host.Open(t.Context(), host.Options{Dir: dir, Teams: []host.Team{team}, Hub: hub}); err == nil || !strings.Contains(err.Error(), "no key") {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.journal")); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
