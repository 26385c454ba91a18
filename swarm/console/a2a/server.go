package a2a

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2asrv"

	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// protocol is its version.
const protocol = "0.3.0"

// olderCardPath is where clients of A2A before 0.3 look for a card.
const olderCardPath = "/.well-known/agent.json"

// CardPath is where clients look for the card of the only agent of a server.
const CardPath = a2asrv.WellKnownAgentCardPath

// Prefix begins the path of every agent.
const Prefix = api.Root + "/a2a/"

// Options of a [Server]. The backend is required; the zero value of any other field has the
// meaning given.
type Options struct {
	Backend *api.Backend // Solves and Inbox are called
	Version string
	// Base returns the address at which the client of a request finds the server, for cards. Nil: http and
	// the host that the request names.
	Base    func(*http.Request) string
	Message int // bytes of a request; 0 means 1 MiB
	Streams int // requests at once; 0 means 64
	Tasks   int // that run at once, of all teams; 0 means 4
	// Refused is called with the address of a client beyond these limits, and the limit; once
	// a minute at most, and concurrently. Nil: it is not called.
	Refused func(client, limit string)
}

// A Server answers clients. Make one with [New].
type Server struct {
	o     Options
	teams map[string]api.Team
	under chan struct{} // one for each request
	told  atomic.Int64  // when Refused was called, in seconds

	begins chan struct{} // held by who starts a task
}

// New returns a server. It asks the backend for its teams, which do not change.
func New(ctx context.Context, o Options) (*Server, error) {
	o.Message, o.Streams, o.Tasks = cmp.Or(o.Message, 1<<20), cmp.Or(o.Streams, 64), cmp.Or(o.Tasks, 4)
	if o.Base == nil {
		o.Base = func(r *http.Request) string { return "http://" + r.Host }
	}
	s := &Server{o: o, teams: map[string]api.Team{}, under: make(chan struct{}, o.Streams), begins: make(chan struct{}, 1)}
	all, err := o.Backend.Solves.Teams(ctx)
	for _, t := range all {
		s.teams[t.Name] = t
	}
	return s, err
}

// Handler returns the handler of all agents. Who may reach it is the caller's business: the
// address in a card is that by which it was asked for.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for name, team := range s.teams {
		calls := a2asrv.NewJSONRPCHandler(&agent{s: s, team: team})
		mux.Handle("POST "+Prefix+name, s.bounded(api.OfAgents(calls)))
		for _, path := range []string{CardPath, olderCardPath} {
			mux.HandleFunc("GET "+Prefix+name+path, func(w http.ResponseWriter, r *http.Request) { s.show(w, r, team) })
		}
	}
	return mux
}

// Card answers with the card of the only team, for everybody: it does not name the agents of the
// team. If there are several, there is none.
func (s *Server) Card(w http.ResponseWriter, r *http.Request) {
	for _, team := range s.teams {
		if len(s.teams) == 1 {
			team.Agents = nil
			s.show(w, r, team)
			return
		}
	}
	api.Refuse(w, api.NewError(http.StatusNotFound, "each of several teams has a card of its own, at "+Prefix+"TEAM"+CardPath))
}

func (s *Server) show(w http.ResponseWriter, r *http.Request, team api.Team) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(s.card(team, s.o.Base(r))) // a client that has gone does not need it
}

// card describes a team.
func (s *Server) card(t api.Team, base string) *a2a.AgentCard {
	text := []string{"text/plain", "application/json"}
	about, agents := cmp.Or(t.Description, "A team of agents that decides"), ""
	if len(t.Agents) > 0 {
		agents = " (" + strings.Join(t.Agents, ", ") + ")"
	}
	return &a2a.AgentCard{
		Name: t.Name, Description: about, Version: cmp.Or(s.o.Version, "devel"), ProtocolVersion: protocol,
		URL: base + Prefix + t.Name, PreferredTransport: a2a.TransportProtocolJSONRPC,
		Capabilities: a2a.AgentCapabilities{Streaming: true}, DefaultInputModes: text, DefaultOutputModes: text,
		SecuritySchemes: a2a.NamedSecuritySchemes{"token": a2a.HTTPAuthSecurityScheme{Scheme: "Bearer"}},
		Security:        []a2a.SecurityRequirements{{"token": a2a.SecuritySchemeScopes{}}},
		Skills: []a2a.AgentSkill{{
			ID: "decide", Name: "Decide", Tags: []string{"decision", "consensus", "second opinion"},
			Description: strings.TrimSuffix(about, ".") + ". Its agents" + agents + " discuss a task and vote; the answer comes with its reasons and its dissent.",
		}},
	}
}

// bounded refuses what is beyond the limits, and clients of other versions.
func (s *Server) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case s.under <- struct{}{}:
			defer func() { <-s.under }()
		default:
			s.refuse(w, r, -32000, fmt.Sprintf("more than %d requests at once", cap(s.under)))
			return
		}
		text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(s.o.Message)))
		if err != nil {
			s.refuse(w, r, noCall, fmt.Sprintf("the request cannot be read, or has more than %d bytes", s.o.Message))
			return
		}
		call, code, err := callOf(text)
		if err != nil {
			refuse(w, call.id, code, err.Error())
			return
		}
		asked := r.Header.Get("A2A-Version")
		if asked != "" && asked != "0.3" && !strings.HasPrefix(asked, "0.3.") || !strings.Contains(call.method, "/") {
			refuse(w, call.id, versionNotSupported, fmt.Sprintf("A2A %.20s and the method %.40q: this agent speaks A2A %s", cmp.Or(asked, "without a version"), call.method, protocol))
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(text))
		ctx := context.WithValue(r.Context(), clientKey{}, r.RemoteAddr)
		next.ServeHTTP(&impatient{w, http.NewResponseController(w)}, r.WithContext(ctx))
	})
}

// refuse refuses a client that is beyond a limit, and tells who it is.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, code int, limit string) {
	refuse(w, nil, code, limit)
	s.tell(r.RemoteAddr, limit)
}

// A clientKey is the key of a client's address in the context of its request.
type clientKey struct{}

// tell names a client that is beyond a limit, once a minute at most.
func (s *Server) tell(client, limit string) {
	now, last := time.Now().Unix(), s.told.Load()
	if s.o.Refused != nil && now-last >= 60 && s.told.CompareAndSwap(last, now) {
		s.o.Refused(client, limit)
	}
}

// versionNotSupported is the code of A2A 1.0 for a version that an agent does not speak.
const versionNotSupported = -32009

func refuse(w http.ResponseWriter, id json.RawMessage, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": message}})
}

// impatient is a writer whose writes take at most ten seconds each.
type impatient struct {
	http.ResponseWriter
	c *http.ResponseController
}

// Write implements [io.Writer].
func (w *impatient) Write(p []byte) (int, error) {
	_ = w.c.SetWriteDeadline(time.Now().Add(10 * time.Second)) // a recorder of tests has none
	return w.ResponseWriter.Write(p)
}

// Flush implements [http.Flusher].
func (w *impatient) Flush() { _ = w.c.Flush() } // the next write has the error, too
