package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/natsflags"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/console/open"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/office"
	"github.com/swarmbus/swarmbus/swarm/rooms/terminal"
	"github.com/swarmbus/swarmbus/swarm/teams/providers"
)

// officeFlags are the flags of the command rooms.
type officeFlags struct {
	run, keys, room string
	nats            natsflags.Flags
}

func newRooms() *cobra.Command {
	var flags officeFlags
	cmd := &cobra.Command{
		Use:   "rooms FILE",
		Short: "Talk with standing agents in rooms",
		Long: `Rooms runs the agents of a roster file in their rooms, and lets you read, write and
switch rooms. It continues where it ended before, as --run has the log.

With --nats the log is on NATS servers, and several processes with the same file, the same
--keys and the same --stream share the rooms: one of them runs the agents, the others
follow, and one goes on where it stopped when it is gone. A process with another roster than
the one that runs the agents is refused.

` + terminal.Help,
		Args: single("a roster file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.nats.Check(cmd.Flags()); err != nil {
				return err
			}
			if flags.nats.URL != "" {
				return flags.share(cmd, args[0])
			}
			return flags.talk(cmd.Context(), args[0], cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&flags.run, "run", "", "the run that has the log (default: named after the file)")
	cmd.Flags().StringVar(&flags.keys, "keys", "", "directory of the keys that events are signed with (default: beside the log)")
	cmd.Flags().StringVar(&flags.room, "room", "", "the room to begin in (default: the first of the file)")
	flags.nats.Stream = "office"
	flags.nats.Define(cmd.Flags())
	flags.nats.DefineSnapshots(cmd.Flags())
	return cmd
}

// single returns an error unless there is one argument.
func single(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return cli.Usage(fmt.Errorf("%s is required, and nothing else", what))
		}
		return nil
	}
}

// place completes the flags, and returns the path of the run.
func (f *officeFlags) place(o *office.Office, file string) (path string, err error) {
	f.run = cmp.Or(f.run, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
	path, err = runs.Path(f.run)
	f.keys = cmp.Or(f.keys, strings.TrimSuffix(path, runs.Suffix)+".keys")
	if f.room == "" {
		f.room = o.Agents[0].Rooms[0]
	}
	return path, err
}

// talk runs the office of a file until the input ends.
func (f officeFlags) talk(ctx context.Context, file string, in io.Reader, out io.Writer) (err error) {
	o, err := office.Load(file)
	if err != nil {
		return err
	}
	path, err := f.place(o, file)
	if err != nil {
		return err
	}
	called, end, err := open.Options{}.Servers(ctx, o.Calls())
	defer func() { err = errors.Join(err, end()) }()
	if err != nil {
		return err
	}
	parts := office.Parts{Keys: &events.Keys{Dir: f.keys}, Model: providers.Model, Tools: called}
	if err := f.check(o, parts, path); err != nil {
		return err
	}
	if _, err := runs.Make(f.run); err != nil {
		return err
	}
	store, err := journal.Open(path, waits(path, out))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	parts.Store = store
	options, err := o.Build(parts)
	if err != nil {
		return err
	}
	r, err := rooms.New(ctx, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close(context.WithoutCancel(ctx))) }()
	if _, err := r.Snapshot(ctx, f.room); err != nil {
		return cli.Usage(err)
	}
	return session(ctx, r, f.session(r, o, out, in), in)
}

// session returns the session of the user.
func (f officeFlags) session(r terminal.Router, o *office.Office, out io.Writer, in io.Reader) *terminal.Session {
	s := terminal.New(r, out, f.room)
	s.Chair, s.Echo = o.Chair, isTerminal(in)
	return s
}

// check refuses an office that cannot start before there is a journal of it.
func (f officeFlags) check(o *office.Office, parts office.Parts, path string) error {
	options, err := o.Build(parts)
	if err == nil {
		err = options.Validate()
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err == nil {
		return nil // the journal may have other rooms
	}
	return f.exists(options)
}

// exists refuses a room that the options do not have.
func (f officeFlags) exists(options *rooms.Options) error {
	all := options.Rooms
	for _, s := range options.Agents {
		all = append(all, s.Rooms...)
	}
	if !slices.Contains(all, f.room) {
		return cli.Usage(fmt.Errorf("--room: %w: no room %q%s", rooms.ErrNone, f.room, text.Suggest(f.room, all)))
	}
	return nil
}

// isTerminal reports whether in is one, which shows what the user types.
func isTerminal(in io.Reader) bool {
	f, ok := in.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// session reads lines until there are no more, while agents have their turns.
func session(ctx context.Context, r interface{ Run(context.Context) error }, s *terminal.Session, in io.Reader) error {
	ctx, cancel := context.WithCancelCause(ctx)
	ran, shown := make(chan error, 1), make(chan error, 1)
	go func() {
		err := r.Run(ctx)
		cancel(err)
		ran <- err
	}()
	go func() { shown <- s.Show(ctx) }()
	err := obey(ctx, s, in)
	cancel(errQuit)
	for _, ended := range []error{<-ran, <-shown} {
		if err == nil && !errors.Is(ended, errQuit) {
			err = ended
		}
	}
	return err
}

// errQuit ends a session that the user left.
var errQuit = errors.New("the user left")

// obey does what the lines say. Reading cannot be interrupted, so a goroutine that waits
// for a line may outlive it.
func obey(ctx context.Context, s *terminal.Session, in io.Reader) error {
	lines, failed := make(chan string), make(chan error, 1)
	go func() {
		reader := bufio.NewReader(in)
		for {
			line, err := readLine(reader)
			if err != nil {
				failed <- err
				return
			}
			select {
			case lines <- line:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case err := <-failed:
			if !errors.Is(err, io.EOF) {
				return err
			}
			if !s.Echo { // what a pipe has said is answered first
				_, err = s.Do(ctx, "/wait")
				return err
			}
			return nil
		case line := <-lines:
			if more, err := s.Do(ctx, line); err != nil || !more {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// readLine returns the next line, of one that is too long for a message only so much that the
// router refuses it.
func readLine(from *bufio.Reader) (string, error) {
	const most = 2 * events.MessageBytes
	var line []byte
	for {
		part, err := from.ReadSlice('\n')
		line = append(line, part[:min(len(part), most-len(line))]...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil, errors.Is(err, io.EOF) && len(line) > 0:
			return strings.TrimRight(string(line), "\r\n"), nil
		default:
			return "", err
		}
	}
}

func newRoom() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "room",
		Short: "Show the rooms of a run",
	}
	parent(cmd)
	var run string
	var as cli.List
	listing := func(of func(io.Writer, *cli.List, *journal.View) error) func(*cobra.Command, []string) error {
		return func(cmd *cobra.Command, _ []string) error {
			if err := as.Check(); err != nil {
				return err
			}
			v, err := view(run)
			if err != nil {
				return err
			}
			return of(cmd.OutOrStdout(), &as, v)
		}
	}
	every := &cobra.Command{
		Use:   "list",
		Short: "List the rooms of a run",
		Args:  cli.NoArgs,
		RunE:  listing(listRooms),
	}
	mail := &cobra.Command{
		Use:   "mail",
		Short: "List the ledger of mailbox messages of a run",
		Long: `Mail lists what agents sent to agents in other rooms: the number that a mailbox event has as
mailbox_id, the room and section in which it arrived, and the receiver's turn that heard it.`,
		Args: cli.NoArgs,
		RunE: listing(listMail),
	}
	show := newRoomShow(&run)
	for _, c := range []*cobra.Command{show, every, mail} {
		c.Flags().StringVar(&run, "run", "office", "the run that has the log")
	}
	as.Define(every.Flags())
	as.Define(mail.Flags())
	cmd.AddCommand(show, every, mail)
	return cmd
}

func newRoomShow(run *string) *cobra.Command {
	var as cli.List
	cmd := &cobra.Command{
		Use:   "show ROOM [§N]",
		Short: "Print a room, or one of its sections",
		Long: `Show prints the events of a room, or all of one section: what a tool returned, or what
a message says that came by mail.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return cli.Usage(errors.New("a room is required, and a section at most"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := view(*run)
			if err != nil {
				return err
			}
			if len(args) == 2 {
				return showSection(cmd.OutOrStdout(), v, args[0], args[1])
			}
			return showRoom(cmd.OutOrStdout(), &as, v, args[0])
		},
	}
	as.Report(cmd.Flags())
	return cmd
}

func listRooms(w io.Writer, as *cli.List, v *journal.View) error {
	state, err := rooms.Load(v)
	if err != nil {
		return err
	}
	type listed struct {
		Room   string `json:"room"`
		Events int    `json:"events"`
	}
	counts := map[string]int{}
	for e, err := range rooms.Log(v, 0) {
		if err != nil {
			return err
		}
		counts[e.Room]++
	}
	var all []listed
	t := cli.Table{Titles: []string{"room", "events"}}
	for r := range state.Rooms() {
		all = append(all, listed{r.Name, counts[r.Name]})
		t.Row(r.Name, strconv.Itoa(counts[r.Name]))
	}
	return cli.PrintList(w, as, all, &t)
}

func listMail(w io.Writer, as *cli.List, v *journal.View) error {
	state, err := rooms.Load(v)
	if err != nil {
		return err
	}
	t := cli.Table{Titles: []string{"mail", "from", "to", "room", "heard"}}
	for _, m := range state.Ledger() {
		heard := "waits"
		if m.Turn > 0 {
			heard = fmt.Sprintf("turn %d", m.Turn)
		}
		t.Row(strconv.Itoa(m.ID), m.From, m.To, fmt.Sprintf("%s §%d", m.Room, m.Ix), heard)
	}
	return cli.PrintList(w, as, state.Ledger(), &t)
}

func showRoom(w io.Writer, as *cli.List, v *journal.View, room string) error {
	found := false
	for e, err := range rooms.Log(v, 0) {
		if err != nil {
			return err
		}
		if e.Room != room || room == "" {
			continue
		}
		found = true
		if as.JSON {
			if err := cli.Encode(w, []events.Event{e}); err != nil {
				return err
			}
			continue
		}
		if text := terminal.Text(e); text != "" {
			if _, err := fmt.Fprintln(w, text); err != nil {
				return err
			}
		}
	}
	if !found {
		return fmt.Errorf("%w: no room %q", rooms.ErrNone, room)
	}
	return nil
}

func showSection(w io.Writer, v *journal.View, room, section string) error {
	ix, err := strconv.Atoi(strings.TrimPrefix(section, "§"))
	if err != nil {
		return cli.Usage(fmt.Errorf("%q is not a section, such as §3", section))
	}
	state, err := rooms.Load(v)
	if err != nil {
		return err
	}
	e, err := rooms.Section(v, state, room, ix)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, terminal.Whole(e))
	return err
}

// pins are what a user knows of a log from elsewhere.
type pins struct {
	heads   []string // ROOM=ID
	process string
}

func (p pins) parse() (events.Pins, error) {
	all := events.Pins{Heads: map[string]string{}, Process: p.process}
	for _, head := range p.heads {
		room, id, ok := strings.Cut(head, "=")
		if !ok || id == "" {
			return all, cli.Usage(fmt.Errorf("--head %q is not ROOM=ID", head))
		}
		if other, twice := all.Heads[room]; twice && other != id {
			return all, cli.Usage(fmt.Errorf("--head of room %q is given twice, as %s and as %s", room, other, id))
		}
		all.Heads[room] = id
	}
	return all, nil
}

// exportSidecars writes the sections of all rooms of a run as Markdown.
func exportSidecars(w io.Writer, v *journal.View) error {
	state, err := rooms.Load(v)
	if err != nil {
		return err
	}
	for r := range state.Rooms() {
		if _, err := fmt.Fprintf(w, "# %s\n\n", r.Name); err != nil {
			return err
		}
		if err := rooms.Sidecar(w, v, state, r.Name); err != nil {
			return err
		}
	}
	return nil
}
