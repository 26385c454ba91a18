package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/pflag"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/console/server"
)

// serviceFlags are those of a command that runs as a service.
type serviceFlags struct {
	format, level, token string
}

func (f *serviceFlags) define(flags *pflag.FlagSet) {
	flags.StringVar(&f.format, "log-format", "text", "form of the log on standard error: text or json")
	flags.StringVar(&f.level, "log-level", "info", "least level of its lines: debug, info, warn or error")
	flags.StringVar(&f.token, "token-file", "", "write the token to this file, which only the user can read, and print the link without it")
}

// log returns the log of a service, which is written to w.
func (f *serviceFlags) log(w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if level.UnmarshalText([]byte(f.level)) != nil {
		return nil, cli.Usage(fmt.Errorf("--log-level %q is not debug, info, warn or error", f.level))
	}
	switch o := (&slog.HandlerOptions{Level: level}); f.format {
	case "text":
		return slog.New(slog.NewTextHandler(w, o)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, o)), nil
	}
	return nil, cli.Usage(fmt.Errorf("--log-format %q is not text or json", f.format))
}

// lines is a writer of what has no form of its own, for a log: a record has what is written at once.
type lines struct{ log *slog.Logger }

// Write implements [io.Writer].
func (l lines) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		l.log.Info(text.Printable(strings.TrimRight(line, "\r\n")))
	}
	return len(p), nil
}

// link returns the address to print, and writes the token to the file that was asked for.
func (f *serviceFlags) link(s *server.Server) (string, error) {
	if f.token == "" {
		return s.Link(), nil
	}
	base, _, _ := strings.Cut(s.Link(), "#")
	if err := os.Remove(f.token); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	if err := os.WriteFile(f.token, []byte(s.Token()+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	return base, nil
}

// A certificate is that of a file, as it was when it was read last.
type certificate struct {
	cert, key string
	now       atomic.Pointer[tls.Certificate]
}

// read reads the file, if there is one, again. After an error the certificate is what it was.
func (c *certificate) read() error {
	if c.cert == "" {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err == nil {
		c.now.Store(&pair)
	}
	return err
}

func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.now.Load(), nil }

// reloads reads the certificate again at each SIGHUP, until ctx ends.
func (c *certificate) reloads(ctx context.Context, log *slog.Logger) {
	hang := make(chan os.Signal, 1)
	signal.Notify(hang, hangup)
	defer signal.Stop(hang)
	for {
		select {
		case <-ctx.Done():
			return
		case <-hang:
		}
		switch err := c.read(); {
		case err != nil:
			log.Error("certificate not read again: the old one stays", "error", err)
		default:
			log.Info("certificate read again")
		}
	}
}

// activated returns the socket that systemd hands to the process; nil: it hands none.
func activated() (net.Listener, error) {
	all, err := activation.Listeners()
	if len(all) > 1 || err != nil {
		return nil, errors.Join(fmt.Errorf("systemd hands over %d sockets, and not one", len(all)), err)
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all[0], nil
}

// tells tells systemd, if it started the process, that the server is ready, that it works, as often as
// it wants to know, and that it stops.
func tells(ctx context.Context, s *server.Server) {
	say := func(state string) { _, _ = daemon.SdNotify(false, state) } // nobody may listen
	say(daemon.SdNotifyReady)
	defer say(daemon.SdNotifyStopping)
	every, err := daemon.SdWatchdogEnabled(false)
	if err != nil || every <= 0 {
		<-ctx.Done()
		return
	}
	ticks := time.NewTicker(every / 2)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			if s.Works() {
				say(daemon.SdNotifyWatchdog)
			}
		}
	}
}
