package natsbus

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// checkServers warns of servers that acknowledge what a loss of power can take back, or
// refuses them. Those that have the stream are known by it, so that other servers do not
// pass for them.
func (o *Options) checkServers(ctx context.Context, stream *jetstream.StreamInfo) error {
	if stream.Config.Storage == jetstream.MemoryStorage {
		return o.complain(&ConfigError{"storage", "memory", "file", "acknowledged signals are lost when the servers restart"})
	}
	if len(o.Storage.Monitor) == 0 {
		return o.complain(&ConfigError{
			"jetstream sync_interval", "unknown", "always",
			"by default servers acknowledge before fsync, and no monitoring port that could tell is in Storage.Monitor",
		})
	}
	for _, url := range o.Storage.Monitor {
		told, err := monitored(ctx, url)
		if err != nil {
			return o.complain(&ConfigError{"jetstream sync_interval", "unknown", "always", "Storage.Monitor: " + err.Error()})
		}
		if told.Config.Always {
			continue
		}
		err = o.complain(&ConfigError{
			"jetstream sync_interval", told.Config.Interval.String() + " at " + Redacted(url), "always",
			"signals are acknowledged before fsync, and a loss of power loses them: set jetstream { sync_interval: always }",
		})
		if err != nil {
			return err
		}
	}
	return o.checkMonitored(ctx, stream)
}

// checkMonitored checks that the servers of the monitoring ports are those of the stream.
func (o *Options) checkMonitored(ctx context.Context, stream *jetstream.StreamInfo) error {
	want, until := max(stream.Config.Replicas, 1), time.Now().Add(request) // which a replica may take to make a new stream
	for pauses := pause(); ; {
		have := map[string]bool{} // ids of servers
		for _, url := range o.Storage.Monitor {
			if told, err := monitored(ctx, url); err == nil && told.has(stream) {
				have[told.ID] = true
			}
		}
		if len(have) >= want {
			return nil
		}
		if time.Now().After(until) {
			return o.complain(&ConfigError{
				"number of servers that have this stream " + stream.Config.Name + " and are in Storage.Monitor", fmt.Sprint(len(have)), fmt.Sprint(want),
				"it is unknown when the others sync: name the monitoring port of each server of the log",
			})
		}
		select {
		case <-time.After(pauses.Next()):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// A monitoredServer is what a server's monitoring port tells of it.
type monitoredServer struct {
	ID     string `json:"server_id"`
	Config struct {
		Always   bool          `json:"sync_always"`
		Interval time.Duration `json:"sync_interval"`
	} `json:"config"`
	Accounts []struct {
		Streams []monitoredStream `json:"stream_detail"`
	} `json:"account_details"`
}

type monitoredStream struct {
	Name    string    `json:"name"`
	Created time.Time `json:"created"`
}

// monitored asks a server's monitoring port.
func monitored(ctx context.Context, url string) (told monitoredServer, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(url, "/")+"/jsz?streams=true", nil)
	if err != nil {
		return told, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil && strings.Contains(err.Error(), "malformed HTTP") { // and quotes all that a port of clients says of its server
		return told, fmt.Errorf("%s does not speak HTTP, so it is not the monitoring port of a NATS server (nats-server -m)", Redacted(url))
	}
	if err != nil {
		return told, err
	}
	defer func() { _ = answer.Body.Close() }()
	if err := json.NewDecoder(answer.Body).Decode(&told); err != nil {
		return told, fmt.Errorf("%s/jsz: %w", Redacted(url), err)
	}
	return told, nil
}

// has reports whether the server has a stream: that one, not another with its name.
func (s *monitoredServer) has(stream *jetstream.StreamInfo) bool {
	for _, account := range s.Accounts {
		if slices.ContainsFunc(account.Streams, func(m monitoredStream) bool {
			return m.Name == stream.Config.Name && m.Created.Equal(stream.Created)
		}) {
			return true
		}
	}
	return false
}
