package teams

import (
	"embed"
	"path"
	"slices"
	"strings"
)

//go:embed ready/*.yaml
var ready embed.FS

//go:embed team.schema.json
var fileSchema string

// SchemaID is the id of the schema, and where editors find it.
const SchemaID = "https://raw.githubusercontent.com/swarmbus/swarmbus/main/swarm/teams/team.schema.json"

// Schema returns the JSON schema of a file with a team.
func Schema() string { return fileSchema }

// Names returns the names of the ready-made teams.
func Names() (names []string) {
	entries, _ := ready.ReadDir("ready") // it is there
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// Ready returns the file of a ready-made team, with the address of the schema for editors.
func Ready(name string) (text string, found bool) {
	if !slices.Contains(Names(), name) {
		return "", false
	}
	file, err := ready.ReadFile(path.Join("ready", name+".yaml"))
	return strings.Replace(string(file), "../team.schema.json", SchemaID, 1), err == nil
}
