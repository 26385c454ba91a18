package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines/routers"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/console/open"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/office"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
	"github.com/swarmbus/swarmbus/swarm/teams/providers"
)

// share runs the office of a file together with other processes, until the input ends.
func (f officeFlags) share(cmd *cobra.Command, file string) (err error) {
	if f.run != "" {
		return cli.Usage(errors.New("--run cannot be combined with --nats: the log has the rooms"))
	}
	ctx := cmd.Context()
	o, err := office.Load(file)
	if err != nil {
		return err
	}
	if _, err := f.place(o, file); err != nil {
		return err
	}
	called, end, err := open.Options{}.Servers(ctx, o.Calls())
	defer func() { err = errors.Join(err, end()) }()
	if err != nil {
		return err
	}
	parts := office.Parts{Keys: &events.Keys{Dir: f.keys}, Model: providers.Model, Tools: called, Result: routers.ResultBytes}
	options, err := o.Build(parts)
	if err == nil {
		err = errors.Join(options.Validate(), f.exists(options))
	}
	if err != nil {
		return err
	}
	r, err := f.joinRooms(ctx, cmd.ErrOrStderr(), o, parts)
	if err != nil {
		return err
	}
	defer r.log.Close()
	in := cmd.InOrStdin()
	return session(ctx, r.rooms, f.session(r.rooms, o, cmd.OutOrStdout(), in), in)
}

// sharedRooms are rooms with their log.
type sharedRooms struct {
	rooms   *routers.Rooms
	log     *natsbus.Log
	records *machines.Records
}

// joinRooms joins the log of an office, which the caller closes.
func (f officeFlags) joinRooms(ctx context.Context, w io.Writer, o *office.Office, parts office.Parts) (r *sharedRooms, err error) {
	codec, err := routers.Codec()
	if err != nil {
		return nil, err
	}
	records := machines.Numbered(roomlog.Kinds()...)
	options := natsbus.Options{Codec: codec, Reserved: routers.Reserved(), Digest: records.Fold, Use: "rooms"}
	log, err := f.nats.Join(ctx, w, options)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			log.Close()
		}
	}()
	results, err := log.Results(ctx)
	if err != nil {
		return nil, err
	}
	parts.Results = results
	all, err := routers.Open(&routers.Options{
		Log: log, Records: records, Codec: codec,
		Make: func(store journal.Store) (*rooms.Options, error) {
			mine := parts
			mine.Store = store
			return o.Build(mine)
		},
		Tell:      func(drives bool, why error) { tellDriver(w, f.nats.About(), drives, why) },
		Snapshots: f.nats.Snapshots,
		Roster:    rosterOf(o),
	})
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(w, f.nats.About(), "this process follows the rooms until no other one runs them")
	return &sharedRooms{all, log, records}, haveKey(all, parts.Keys)
}

// rosterOf returns a hash of what the processes of an office must have in common: all but the
// models and servers, whose addresses belong to the machine.
func rosterOf(o *office.Office) string {
	mine := *o
	mine.Models, mine.Servers = nil, nil
	text, _ := json.Marshal(mine) // was read from a file
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// tellDriver says whether this process has the router.
func tellDriver(w io.Writer, about string, drives bool, why error) {
	switch {
	case drives && why != nil:
		fmt.Fprintln(w, about, text.Printable(why.Error()))
	case drives:
		fmt.Fprintln(w, about, "this process runs the rooms")
	case errors.Is(why, natsbus.ErrLost):
		fmt.Fprintln(w, about, "this process follows the rooms: another one may run them by now")
	}
}

// haveKey refuses a process that could not go on with the rooms, as it lacks their keys.
func haveKey(r *routers.Rooms, keys *events.Keys) error {
	public, err := r.Key(events.FromRouter)
	if err == nil && public != "" {
		_, err = keys.Get(events.FromRouter, public)
	}
	if err != nil {
		return fmt.Errorf("%w: each process that shares the rooms needs the keys with which they began: --keys, or keys of the office of serve", err)
	}
	return nil
}
