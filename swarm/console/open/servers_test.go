package open_test

import (
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/console/open"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

func TestAServerThatCannotBeStartedIsNamed(t *testing.T) {
	t.Setenv("NO_TOKEN_IS_SET", "")
	for want, s := range map[string]teams.Server{
		"files":                                 {Command: []string{"swarmbus-no-such-program"}},
		"the variable NO_SUCH_TOKEN is not set": {Command: []string{"true"}, Env: []teams.Variable{"NO_SUCH_TOKEN"}},
		"the environment variable NO_SUCH_DIR":  {Command: []string{"true"}, Dir: "${NO_SUCH_DIR}"},
		"the environment variable NO_SUCH_HOST": {URL: "http://${NO_SUCH_HOST}/mcp"},
	} {
		all, end, err := open.Options{}.Servers(t.Context(), &teams.Team{Servers: map[string]teams.Server{"files": s}})
		if err == nil || !strings.Contains(err.Error(), want) || all != nil {
			t.Errorf("got %v, want %s", err, want)
		}
		if err := end(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
}

// TestACommandRunsInTheTeamsDirectory has a command that says where it is, which is not the
// protocol.
func TestACommandRunsInTheTeamsDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, end, err := open.Options{Dir: dir}.Servers(t.Context(), &teams.Team{Servers: map[string]teams.Server{"here": {Command: []string{"sh", "-c", "pwd >&2"}, Dir: "."}}})
	defer func() { _ = end() }()
	if err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v, want the directory %s", err, dir)
	}
}
