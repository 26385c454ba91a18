package agui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
)

// A Server serves runs. All fields are required. Its methods may be called concurrently.
type Server struct {
	Backend *api.Backend
	Hub     *feed.Hub
	User    feed.User // the user of a request, for the limit of connections
}

// Limits of a request and of a write.
const (
	largest = 1 << 20 // bytes of an input
	slowest = 10 * time.Second
)

// An input is what a client sends to run: the members of a RunAgentInput that are read.
type input struct {
	ThreadID string    `json:"threadId"`
	RunID    string    `json:"runId"`
	Protocol string    `json:"protocolVersion"`
	Messages []message `json:"messages"`
	Context  []struct {
		Description string `json:"description"`
		Value       string `json:"value"`
	} `json:"context"`
	Resume []resume `json:"resume"`
}

// A message is one of an input.
type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// Handler returns the handler of both routes. The caller restricts access to it.
func (s *Server) Handler() *http.ServeMux {
	mux := http.NewServeMux()
	serve := api.OfAgents(http.HandlerFunc(s.serve))
	mux.Handle("POST "+api.Root+"/agui/teams/{team}", serve)
	mux.Handle("POST "+api.Root+"/agui/solves/{id}", serve)
	return mux
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	c, err := s.Hub.Join(s.User(r), "sse", time.Now())
	if err != nil {
		api.Refuse(w, api.NewError(http.StatusTooManyRequests, err.Error()))
		return
	}
	defer s.Hub.Leave(c)
	in, err := read(w, r)
	if err != nil {
		api.Refuse(w, err)
		return
	}
	one, err := s.begin(r, in)
	if err != nil {
		api.Refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	s.Hub.Subscribe(c, api.Subscription{Solves: []string{one.id}, Types: []string{api.FrameSignal, api.FrameSaying}}, nil)
	to := &stream{w: w, c: http.NewResponseController(w)}
	ended := s.show(r.Context(), c, one, NewFold(in.ThreadID, in.RunID, one.after), to)
	if !ended && one.own && (r.Context().Err() != nil || to.err != nil) {
		api.Leave(r.Context(), s.Backend.Solves, one.id)
	}
}

func read(w http.ResponseWriter, r *http.Request) (in input, err error) {
	switch err := json.NewDecoder(http.MaxBytesReader(w, r.Body, largest)).Decode(&in); {
	case err != nil:
		return in, invalid("the body is no RunAgentInput: %v", err)
	case in.ThreadID == "" || in.RunID == "" || len(in.ThreadID) > 256 || len(in.RunID) > 256:
		return in, invalid("threadId and runId have to have 1 to 256 bytes")
	case in.Protocol != "" && !strings.HasPrefix(in.Protocol, "1.") && !strings.HasPrefix(in.Protocol, "0."):
		return in, invalid("protocolVersion %.20q: this server speaks AG-UI %s", in.Protocol, protocol)
	}
	return in, nil
}

func invalid(format string, args ...any) error {
	return api.NewError(http.StatusUnprocessableEntity, fmt.Sprintf(format, args...))
}

// A run is the solve that is shown.
type run struct {
	id    string
	after uint64 // position up to which the client has seen the log
	own   bool   // the request has started it
	left  bool   // the client does not answer
}

// begin starts, resumes or shows the solve that the input asks for.
func (s *Server) begin(r *http.Request, in input) (run, error) {
	if len(in.Resume) > 0 {
		return s.resume(r.Context(), in.Resume)
	}
	if id := r.PathValue("id"); id != "" {
		_, err := s.Backend.Solves.Get(r.Context(), id, 0)
		return run{id: id}, err
	}
	task, err := in.task()
	if err != nil {
		return run{}, err
	}
	about := make([]string, 0, len(in.Context))
	for _, each := range in.Context {
		about = append(about, each.Description+": "+each.Value)
	}
	one, err := s.Backend.Solves.Start(r.Context(), api.NewSolve{Team: r.PathValue("team"), Task: task, Context: strings.Join(about, "\n")})
	return run{id: one.ID, own: true}, err
}

// task returns the text of the newest user message.
func (in *input) task() (text string, err error) {
	for _, m := range slices.Backward(in.Messages) {
		if m.Role != "user" {
			continue
		}
		if json.Unmarshal(m.Content, &text) == nil {
			return text, nil
		}
		var parts []struct{ Type, Text string }
		if json.Unmarshal(m.Content, &parts) != nil {
			return "", invalid("messages: the content of the newest user message is neither a text nor a list of parts")
		}
		for _, p := range parts {
			if p.Type != "text" {
				return "", invalid("messages: a task is text, and the newest user message has a part of type %.20q", p.Type)
			}
			text += p.Text
		}
		return text, nil
	}
	return "", invalid("messages: there is no user message to take as the task")
}

// resume answers the questions of a solve.
func (s *Server) resume(ctx context.Context, all []resume) (one run, err error) {
	one.left = true
	for _, entry := range all {
		item, err := s.Backend.Inbox.Item(ctx, entry.ID)
		if err != nil {
			return one, err
		}
		if one.id == "" {
			d, err := s.Backend.Solves.Get(ctx, item.Solve, item.Seq)
			if err != nil {
				return one, err
			}
			one.id, one.after = item.Solve, d.Seq
		}
		if item.Solve != one.id {
			return one, invalid("resume: %q and %q are of two solves", all[0].ID, entry.ID)
		}
		if entry.Status == "cancelled" {
			continue
		}
		of, err := entry.response()
		if err == nil {
			_, err = s.Backend.Reply(ctx, item.ID, of)
		}
		if err != nil {
			return one, err
		}
		one.left = false
	}
	return one, nil
}

// show sends the events of a run, and reports whether it has ended.
func (s *Server) show(ctx context.Context, c *feed.Client, one run, f *fold, to *stream) bool {
	to.send(f.start())
	if one.left {
		to.send(f.leave())
		return true
	}
	for frame := range s.Hub.Frames(ctx, c) {
		if frame.Type == api.FrameSignal || frame.Type == api.FrameSaying {
			to.send(f.Frame(frame))
		} else {
			d, err := s.Backend.Solves.Get(ctx, one.id, f.Seq())
			if err != nil {
				to.send(f.fail("error", err.Error()))
				return false
			}
			to.send(f.Detail(d))
			to.alive()
		}
		ended, err := s.end(ctx, one, f, to)
		switch {
		case err != nil:
			to.send(f.fail("error", err.Error()))
			return false
		case ended || to.err != nil:
			return ended
		}
	}
	if ctx.Err() == nil {
		to.send(f.fail("stopped", "the server stops: the solve goes on when it starts again"))
	}
	return false
}

// end ends the run if the solve has stopped. A solve that waits without a question continues
// in a moment.
func (s *Server) end(ctx context.Context, one run, f *fold, to *stream) (ended bool, err error) {
	if f.running() {
		return false, nil
	}
	d, err := s.Backend.Solves.Get(ctx, one.id, f.Seq())
	if err != nil || d.State == api.Running {
		return false, err
	}
	items, err := s.Backend.Inbox.Items(ctx, false)
	items = slices.DeleteFunc(items, func(i api.Item) bool { return i.Solve != one.id })
	if err != nil || d.State == api.Waiting && len(items) == 0 {
		return false, err
	}
	to.send(f.End(d, items))
	return to.err == nil, nil
}

// A stream writes server-sent events.
type stream struct {
	w    http.ResponseWriter
	c    *http.ResponseController
	text bytes.Buffer
	err  error // the first one; nothing is written after it
}

func (s *stream) send(all []Event) {
	s.text.Reset()
	out := json.NewEncoder(&s.text) // ends lines, and escapes what means something in HTML
	for _, e := range all {
		s.text.WriteString("data: ")
		if err := out.Encode(e); err != nil {
			s.err = errors.Join(s.err, err)
		}
		s.text.WriteByte('\n')
	}
	s.flush()
}

// alive writes a comment, which shows that the client is there.
func (s *stream) alive() {
	s.text.Reset()
	s.text.WriteString(": alive\n\n")
	s.flush()
}

func (s *stream) flush() {
	if s.err != nil || s.text.Len() == 0 {
		return
	}
	_ = s.c.SetWriteDeadline(time.Now().Add(slowest)) // a recorder of tests has none
	if _, s.err = s.w.Write(s.text.Bytes()); s.err == nil {
		s.err = s.c.Flush()
	}
}
