package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/swarmbus/swarmbus/swarm/console"
)

// Run serves until ctx ends or a team cannot work, and then closes the server. Its error is why it
// could not go on.
func (s *Server) Run(ctx context.Context) error {
	goes, stop := context.WithCancel(ctx)
	defer stop()
	s.o.Log.Info("server started", "address", s.o.At.Base(), "listens", s.o.At.Addr().String(), "version", s.o.Version)
	opened := make(chan error, 1)
	go func() { opened <- s.opened(goes, stop) }()
	err := s.serve(goes)
	stop()
	if failed := <-opened; !errors.Is(failed, context.Canceled) {
		err = errors.Join(err, failed)
	}
	err = errors.Join(err, s.Close(ctx))
	if err != nil {
		s.o.Log.Error("server ended", "error", err)
	} else {
		s.o.Log.Info("server stopped")
	}
	return err
}

// opened waits until the journals have been read, and stops the server if a team cannot work. A server of
// the Model Context Protocol alone says it to who calls the team.
func (s *Server) opened(ctx context.Context, stop func()) error {
	if s.o.OnlyMCP {
		return nil
	}
	if err := s.host.Wait(ctx); err != nil {
		stop()
		return err
	}
	if s.o.Opened != nil {
		_ = s.o.Opened(ctx, s.backend()) // the server goes on without
	}
	return nil
}

// patience is how long requests have to end.
const patience = 5 * time.Second

// serve serves until ctx ends, ends the requests that wait, and lets the others end.
func (s *Server) serve(ctx context.Context) error {
	server := console.Server(s.handler)
	served := make(chan error, 1)
	go func() { served <- server.Serve(s.o.At) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	s.leaves.Store(true)
	s.o.Log.Info("server stops")
	s.hang()
	bye, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if server.Shutdown(bye) != nil {
		_ = server.Close() // a client does not let go
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Stdio serves one client of the Model Context Protocol until it closes in, or ctx ends, and then
// closes the server.
func (s *Server) Stdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	err := s.mcp.Stdio(ctx, in, out)
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		err = nil // whoever interrupts it ends it so
	}
	return errors.Join(err, s.Close(ctx))
}
