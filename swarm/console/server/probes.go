package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// lives answers whether the server works, for who starts it again otherwise. It asks for no token
// and no name, and says nothing of what is served.
func (s *Server) lives(w http.ResponseWriter, _ *http.Request) {
	if !s.Works() {
		api.Refuse(w, api.NewError(http.StatusServiceUnavailable, "a log is not read any further: start the server again"))
		return
	}
	_, _ = io.WriteString(w, "ok\n") // the client may have gone
}

// ready answers whether the server takes work, for who sends requests elsewhere otherwise.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	if err := s.takes(r.Context()); err != nil {
		w.Header().Set("Retry-After", "1")
		api.Refuse(w, api.NewError(http.StatusServiceUnavailable, err.Error()))
		return
	}
	_, _ = io.WriteString(w, "ready\n") // the client may have gone
}

// glance is how long an answer to ready holds: anybody may ask, and it costs a write.
const glance = time.Second

// takes returns why the server takes no work; nil: it does.
func (s *Server) takes(ctx context.Context) error {
	if s.leaves.Load() {
		return errors.New("the server stops")
	}
	s.looks.Lock()
	defer s.looks.Unlock()
	if now := time.Now(); now.Sub(s.seen) >= glance {
		s.seen, s.found = now, s.host.Works(context.WithoutCancel(ctx))
	}
	return s.found
}
