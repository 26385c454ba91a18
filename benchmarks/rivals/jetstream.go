package main

import (
	"os"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

func startJetStream(readers int) (func(int), func(), error) {
	dir, err := os.MkdirTemp("", "rivals")
	if err != nil {
		return nil, nil, err
	}
	s, c, err := startServer(server.Options{JetStream: true, StoreDir: dir})
	if err != nil {
		return nil, nil, err
	}
	js, err := c.JetStream()
	if err != nil {
		return nil, nil, err
	}
	if _, err := js.AddStream(&nats.StreamConfig{Name: "log", Subjects: []string{"discovery"}, Storage: nats.MemoryStorage, MaxMsgs: 1000}); err != nil {
		return nil, nil, err
	}
	r, data := &natsReaders{}, []byte(newEvent().Payload.Finding)
	for range readers {
		_, err := js.Subscribe("discovery", func(*nats.Msg) { r.wg.Done() }, nats.DeliverNew(), nats.AckNone())
		if err != nil {
			return nil, nil, err
		}
	}
	return func(n int) {
			r.wg.Add(n * readers)
			for range n {
				if _, err := js.Publish("discovery", data); err != nil {
					panic(err)
				}
			}
			r.wg.Wait()
		}, func() {
			stopNATS(s, []*nats.Conn{c})
			_ = os.RemoveAll(dir)
		}, nil
}
