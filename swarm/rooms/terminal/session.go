// Package terminal shows rooms as text and reads commands as lines.
//
//	s := terminal.New(router, os.Stdout, "ops")
//	go s.Show(ctx)
//	for scanner.Scan() {
//		more, err := s.Do(ctx, scanner.Text())
//		…
//	}
//
// A line is a message to the current room; one that begins with "/" is a command: see
// [Help].
package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"sync"

	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

// Help lists the commands.
const Help = `  TEXT                 say something in the current room
  /urgent TEXT         … with a priority; also /normal and /background
  /decide QUESTION     have the members of the room decide, if the office has a chair
  /rooms               the rooms, the most urgent first, with what is unread
  /room NAME           go to a room, which shows what is unread there
  /who                 the members of the room, what waits for them, and what is next
  /show §N             all of a section: what a tool returned, what mail says
  /join AGENT          make an agent a member of the room; also /leave and /restart
  /wait                wait until nobody has anything to answer
  /heads               the newest id of each room, to compare with later
  /quit                leave; the agents' turns that are running are taken again later`

// A Router has the methods of a [rooms.Router], or of one in another process, that a session needs.
type Router interface {
	Say(ctx context.Context, room string, m rooms.Message) (rooms.Receipt, error)
	Read(ctx context.Context, room string, through uint64) error
	Join(ctx context.Context, agent, room string) error
	Leave(ctx context.Context, agent, room string) error
	Restart(ctx context.Context, agent string) error
	Events(ctx context.Context, from rooms.From) iter.Seq2[events.Event, error]
	Rooms(ctx context.Context) ([]rooms.Snapshot, error)
	Snapshot(ctx context.Context, room string) (rooms.Snapshot, error)
	Section(ctx context.Context, room string, ix int) (events.Event, error)
	Idle(ctx context.Context) error
}

// A Session is one user at a terminal. Do and Show may run at the same time.
type Session struct {
	// Set these before the session begins.
	Chair string // the agent that has members decide; "": none
	Echo  bool   // the terminal shows the lines that the user types, so each ends what was on the last line

	router Router

	mu    sync.Mutex // protects the fields below
	out   io.Writer
	room  string
	line  line
	later map[string][]events.Event // unread events of the other rooms
	heads map[string]string         // the newest event that Show has read, by room
	seen  uint64                    // position of the newest event shown
	news  chan struct{}             // closed when Show has read more
	err   error                     // of Show
}

// New returns a session in a room.
func New(r Router, out io.Writer, room string) *Session {
	return &Session{router: r, out: out, room: room, later: map[string][]events.Event{}, heads: map[string]string{}, news: make(chan struct{})}
}

// Show prints a greeting, and the events of the current room that the user has not read, and keeps those
// of others until the user goes there, until ctx ends or the feed does.
func (s *Session) Show(ctx context.Context) error {
	all, err := s.router.Rooms(ctx)
	if err != nil {
		return s.end(err)
	}
	s.print(fmt.Sprintf("--- %s (rooms: %d; /rooms lists them, /help the commands)", s.current(), len(all)))
	readTo := map[string]uint64{}
	for _, r := range all {
		readTo[r.Room] = r.ReadTo
	}
	for at := uint64(0); ; {
		at, err = s.follow(ctx, at, readTo)
		if !errors.Is(err, rooms.ErrLagged) { // if the output was slow, go on from where it was
			return s.end(err)
		}
	}
}

// follow reads events after a position until the feed ends, and returns the position that it
// has come to.
func (s *Session) follow(ctx context.Context, at uint64, readTo map[string]uint64) (uint64, error) {
	for e, err := range s.router.Events(ctx, rooms.From{After: at, Live: true}) {
		if err != nil {
			return at, err
		}
		at = max(at, e.Seq) // fragments and passes have no position
		s.read(e, e.Live() || e.Seq > readTo[e.Room])
	}
	return at, nil
}

func (s *Session) end(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
	s.newsLocked()
	return err
}

func (s *Session) read(e events.Event, isNew bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !e.Live() {
		s.heads[e.Room] = e.ID
	}
	switch {
	case !isNew:
	case e.Room == s.room:
		s.printLocked(e)
	case !e.Live():
		s.later[e.Room] = append(s.later[e.Room], e)
	}
	s.newsLocked()
}

func (s *Session) newsLocked() {
	close(s.news)
	s.news = make(chan struct{})
}

func (s *Session) printLocked(e events.Event) {
	s.seen = max(s.seen, e.Seq)
	if d, ok := e.Body.(events.Dialogue); ok && !d.Done {
		s.write(s.line.add(e.From, d))
		return
	}
	if text := Text(e); text != "" {
		s.write(s.line.end(e, text) + "\n")
	}
}

func (s *Session) say(text string) { s.write(s.line.cut() + text + "\n") }

func (s *Session) write(text string) {
	if _, err := io.WriteString(s.out, text); err != nil && s.err == nil {
		s.err = err
	}
}

// print prints something that is not an event.
func (s *Session) print(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.say(text)
}

// Do executes a line, and reports whether the session continues. A mistake of the user is
// printed, and is not an error.
func (s *Session) Do(ctx context.Context, line string) (more bool, err error) {
	s.typed()
	command, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	switch {
	case command == "":
		return true, nil
	case command == "/quit":
		return false, s.mark(ctx)
	case !strings.HasPrefix(command, "/"):
		command, rest = "", strings.TrimSpace(line)
	}
	err = s.do(ctx, command, rest)
	if err != nil && ctx.Err() == nil && !errors.Is(err, rooms.ErrClosed) {
		s.print("  ? " + text.Printable(err.Error()))
		return true, nil
	}
	return err == nil, err
}

// typed notes that the user has ended a line.
func (s *Session) typed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Echo {
		s.line.cut()
	}
}

func (s *Session) do(ctx context.Context, command, rest string) error {
	switch command {
	case "":
		return s.message(ctx, rest, 0)
	case "/urgent", "/normal", "/background":
		p, err := schedule.ParsePriority(command[1:])
		return errors.Join(err, s.message(ctx, rest, p))
	case "/decide":
		return s.decide(ctx, rest)
	case "/room":
		return s.enter(ctx, rest)
	case "/rooms":
		return s.list(ctx)
	case "/who":
		return s.who(ctx)
	case "/show":
		return s.section(ctx, rest)
	case "/join":
		return s.router.Join(ctx, rest, s.current())
	case "/leave":
		return s.router.Leave(ctx, rest, s.current())
	case "/restart":
		return s.router.Restart(ctx, rest)
	case "/wait":
		return s.wait(ctx)
	case "/heads":
		return s.printHeads(ctx)
	case "/help":
		s.print(Help)
		return nil
	}
	return fmt.Errorf("unknown command %q; /help lists them", command)
}

func (s *Session) current() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.room
}

func (s *Session) message(ctx context.Context, text string, p schedule.Priority) error {
	_, err := s.router.Say(ctx, s.current(), rooms.Message{Content: text, Priority: p})
	return err
}

func (s *Session) decide(ctx context.Context, question string) error {
	if s.Chair == "" {
		return errors.New("the office has no chair, who would have the members decide")
	}
	_, err := s.router.Say(ctx, s.current(), rooms.Message{Content: "decide: " + question, To: []string{s.Chair}})
	return err
}

// enter goes to a room and shows what is unread there.
func (s *Session) enter(ctx context.Context, room string) error {
	switch _, err := s.router.Snapshot(ctx, room); {
	case errors.Is(err, rooms.ErrNone):
		return fmt.Errorf("no room %q; /rooms lists them", room)
	case err != nil:
		return err
	}
	if err := s.mark(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	s.room = room
	s.say("--- " + room)
	for _, e := range s.later[room] {
		s.printLocked(e)
	}
	delete(s.later, room)
	s.mu.Unlock()
	return s.mark(ctx)
}

// mark records that the user has read the events shown of the current room.
func (s *Session) mark(ctx context.Context) error {
	s.mu.Lock()
	room, seen := s.room, s.seen
	s.mu.Unlock()
	snapshot, err := s.router.Snapshot(ctx, room)
	if err != nil || snapshot.Unread.Total() == 0 {
		return err
	}
	return s.router.Read(ctx, room, seen)
}

func (s *Session) list(ctx context.Context) error {
	if err := s.mark(ctx); err != nil {
		return err
	}
	all, err := s.router.Rooms(ctx)
	if err == nil {
		s.print(list(all, s.current()))
	}
	return err
}

func (s *Session) who(ctx context.Context) error {
	snapshot, err := s.router.Snapshot(ctx, s.current())
	if err == nil {
		s.print(who(snapshot))
	}
	return err
}

func (s *Session) section(ctx context.Context, text string) error {
	ix, err := strconv.Atoi(strings.TrimPrefix(text, "§"))
	if err != nil {
		return fmt.Errorf("%q is not a section: /show §3", text)
	}
	e, err := s.router.Section(ctx, s.current(), ix)
	if err == nil {
		s.print(Whole(e))
	}
	return err
}

func (s *Session) printHeads(ctx context.Context) error {
	all, err := s.router.Rooms(ctx)
	for _, r := range all {
		s.print(r.Room + "=" + r.Head)
	}
	return err
}

// wait waits until no agent has anything to answer and Show has read all events.
func (s *Session) wait(ctx context.Context) error {
	if err := s.router.Idle(ctx); err != nil {
		return err
	}
	all, err := s.router.Rooms(ctx)
	if err != nil {
		return err
	}
	for {
		s.mu.Lock()
		news, behind, err := s.news, false, s.err
		for _, r := range all {
			behind = behind || s.heads[r.Room] != r.Head
		}
		s.mu.Unlock()
		if !behind || err != nil {
			return err
		}
		select {
		case <-news:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
