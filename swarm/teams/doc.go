// Package teams describes a team of agents in a file, and builds it.
//
//	team, err := teams.Load("review") // or teams.Load("team.yaml")
//	all, _, err := providers.Models(team, providers.Options{})
//	o, err := team.Build(teams.Parts{Models: func(name string) models.Model { return all[name] }})
//	s, err := swarm.New(o)
//
// A [Team] has agents with their models, and how they decide: strategy, threshold,
// conflicts, budget, deadline. [Load] returns one of the ready-made teams ([Names]) or that
// of a file, and [Team.Build] the options of a swarm.
//
// # Files
//
// A file is YAML with the keys of [Team]. Its JSON schema is [Schema]; an editor uses it if
// the file begins with
//
//	# yaml-language-server: $schema=…/team.schema.json
//
// Keys that a team does not have are errors, and so are empty values, anchors, aliases, merge
// keys and tags. An [Error] has file, line and column, and suggests the key or the name that
// was probably meant.
//
// # Secrets
//
// A file has no keys, tokens or passwords. It names the environment variables that have
// them, and is refused if anything in it looks like a secret, comments included; the error
// does not show it. ${VAR} stands for an environment variable only in base URLs,
// directories and the file of a memory, so that a file of somebody else cannot send the content of a variable to a
// model.
//
// # Weight
//
// This package links no adapters of models. Package providers, which does, makes the models
// that a team names. Package swarm/console/open starts its servers and opens its memory.
package teams
