package swarmbus_test

// What the commands of the documents are built of is built before the tests that run them. A go
// command that runs in a test shares what is built, not what is being built: from a cold cache
// both would compile all of it.
import (
	_ "github.com/schollz/progressbar/v3"
	_ "github.com/spf13/cobra"

	_ "github.com/swarmbus/swarmbus/agents/join"
	_ "github.com/swarmbus/swarmbus/agents/models/modelstest"
	_ "github.com/swarmbus/swarmbus/internal/items"
	_ "github.com/swarmbus/swarmbus/internal/votes"
	_ "github.com/swarmbus/swarmbus/otel/export"
	_ "github.com/swarmbus/swarmbus/swarm/a2a"
	_ "github.com/swarmbus/swarmbus/swarm/console"
	_ "github.com/swarmbus/swarmbus/swarm/console/agui"
	_ "github.com/swarmbus/swarmbus/swarm/console/client"
	_ "github.com/swarmbus/swarmbus/swarm/console/demo"
	_ "github.com/swarmbus/swarmbus/swarm/console/host"
	_ "github.com/swarmbus/swarmbus/swarm/machines/routers"
	_ "github.com/swarmbus/swarmbus/swarm/mcpserver"
	_ "github.com/swarmbus/swarmbus/swarm/rooms/terminal"
	_ "github.com/swarmbus/swarmbus/swarm/schemas"
	_ "github.com/swarmbus/swarmbus/swarm/teams/memories"
	_ "github.com/swarmbus/swarmbus/swarm/teams/providers"
	_ "github.com/swarmbus/swarmbus/swarm/teams/servers"
	_ "github.com/swarmbus/swarmbus/swarm/transcript/terminal"
)
