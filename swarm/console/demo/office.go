package demo

import (
	_ "embed"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/office"
)

//go:embed office.yaml
var roster []byte

// Office returns the office of the demo.
func Office() *host.Office {
	return &host.Office{Name: "office", Sync: journal.SyncInterval, Make: func(store journal.Store, keys *events.Keys) (*rooms.Options, error) {
		o, err := office.Parse("office.yaml", roster)
		if err != nil {
			return nil, err
		}
		return o.Build(office.Parts{Store: store, Keys: keys})
	}}
}

// messages are the user's messages in the rooms of the demo, one with each task.
var messages = []struct{ room, text, priority string }{
	{"ops", "@Reed, are the backups whole?", ""},
	{"design", "FYI: the teal of mail is teal.", "background"},
	{"ops", "@Veda, what would an S3 copy cost?", "normal"},
	{"front", "Does anybody object to the maintenance on Sunday?", ""},
	{"design", "@Rune, which colour has a room that is urgent?", "normal"},
	{"ops", "Note: the drill is on Thursday.", "background"},
}
