package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

func startServer(o server.Options) (*server.Server, *nats.Conn, error) {
	o.DontListen, o.NoLog, o.NoSigs = true, true, true
	// A reader that the machine kept waiting is not to be cut off, which would
	// leave the run without its last signals for ever.
	o.MaxPending, o.WriteDeadline = 1<<40, time.Hour
	s, err := server.NewServer(&o)
	if err != nil {
		return nil, nil, err
	}
	s.Start()
	if !s.ReadyForConnections(5 * time.Second) {
		return nil, nil, fmt.Errorf("NATS server did not start")
	}
	c, err := nats.Connect("", nats.InProcessServer(s))
	return s, c, err
}

// natsReaders counts what each subscription got.
type natsReaders struct{ wg sync.WaitGroup }

func (r *natsReaders) subscribe(s *server.Server, subject string) (*nats.Conn, *nats.Subscription, error) {
	c, err := nats.Connect("", nats.InProcessServer(s))
	if err != nil {
		return nil, nil, err
	}
	sub, err := c.Subscribe(subject, func(*nats.Msg) { r.wg.Done() })
	if err != nil {
		return nil, nil, err
	}
	return c, sub, sub.SetPendingLimits(-1, -1)
}

func startNATS(readers int) (func(int), func(), error) {
	s, c, err := startServer(server.Options{})
	if err != nil {
		return nil, nil, err
	}
	r, data := &natsReaders{}, []byte(newEvent().Payload.Finding)
	conns := []*nats.Conn{c}
	for range readers {
		conn, _, err := r.subscribe(s, "discovery")
		if err != nil {
			return nil, nil, err
		}
		_ = conn.Flush()
		conns = append(conns, conn)
	}
	return func(n int) {
		r.wg.Add(n * readers)
		for range n {
			if err := c.Publish("discovery", data); err != nil {
				panic(err)
			}
		}
		_ = c.Flush()
		r.wg.Wait()
	}, func() { stopNATS(s, conns) }, nil
}

func stopNATS(s *server.Server, conns []*nats.Conn) {
	for _, c := range conns {
		c.Close()
	}
	s.Shutdown()
	s.WaitForShutdown()
}
