package natstest_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
)

// Accounts of hosted servers want it, as a rule.
func TestAnAccountThatWantsEveryStreamBoundedHasALog(t *testing.T) {
	t.Parallel()
	config, a := operatedWith(t, jwt.JetStreamLimits{DiskStorage: -1, MemoryStorage: -1, Streams: -1, Consumer: -1, MaxBytesRequired: true})
	url, creds := natstest.Start(t, natstest.Options{Config: config})[0].URL(), a.user(t, "driver")
	_, err := natsbus.Join(soon(t), natsbus.Options{URL: url, Creds: creds})
	if wrong := (*natsbus.ConfigError)(nil); !errors.As(err, &wrong) || wrong.Setting != "max_bytes" || !strings.Contains(err.Error(), "Storage.MaxBytes") {
		t.Fatalf("without a bound: %v", err)
	}
	l := join(t, natsbus.Options{URL: url, Creds: creds, Storage: natsbus.Storage{MaxBytes: 20 << 20}, Over: func(string) bool { return true }})
	must(t, agent(t, l, "a"), found("t", "x"))
	results, err := l.Results(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := results.Do(soon(t), journal.Key{Agent: "a"}, func(context.Context) ([]byte, error) { return []byte("made"), nil }); err != nil {
		t.Error(err)
	}
	lease, err := l.Lease(soon(t), "t")
	if err != nil {
		t.Fatal(err)
	}
	lease.Release()
	if err := l.Snapshot(soon(t)); err != nil {
		t.Error(err)
	}
}

func TestAnAccountWithoutJetStreamIsNamed(t *testing.T) {
	t.Parallel()
	config, a := operatedWith(t, jwt.JetStreamLimits{})
	url := natstest.Start(t, natstest.Options{Config: config})[0].URL()
	warned := make(chan string, 9)
	ctx, cancel := context.WithCancel(soon(t))
	ended := make(chan error, 1)
	go func() {
		_, err := natsbus.Join(ctx, natsbus.Options{URL: url, Creds: a.user(t, "driver"), Tell: natsbus.Tell{Warn: func(problem string) { warned <- problem }}})
		ended <- err
	}()
	if problem := <-warned; !strings.Contains(problem, "not enabled for the account") {
		t.Errorf("warned of %q", problem)
	}
	cancel()
	<-ended
	if len(warned) > 0 {
		t.Errorf("and again: %s", <-warned)
	}
}

func TestServersMayWantTheHandshakeFirst(t *testing.T) {
	t.Parallel()
	a := &authority{dir: t.TempDir()}
	ca, _ := a.issue(t, "ca")
	cert, key := a.issue(t, "server")
	text, err := os.ReadFile(ca)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	for _, first := range []bool{false, true} {
		server := natstest.Start(t, natstest.Options{Config: fmt.Sprintf("tls { cert_file: %q, key_file: %q, handshake_first: %t }", cert, key, first)})[0]
		l := join(t, natsbus.Options{URL: strings.Replace(server.URL(), "nats://", "tls://", 1), TLS: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}})
		must(t, agent(t, l, "a"), found("t", "x"))
	}
}

func TestTheSeedOfAnNkeyIsALogin(t *testing.T) {
	t.Parallel()
	k, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	public, err := k.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := k.Seed()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "user.nk")
	if err := os.WriteFile(file, seed, 0o600); err != nil {
		t.Fatal(err)
	}
	url := natstest.Start(t, natstest.Options{Config: fmt.Sprintf("authorization { users: [{ nkey: %s }] }", public)})[0].URL()
	must(t, agent(t, join(t, natsbus.Options{URL: url, Creds: file}), "a"), found("t", "x"))
	if err := os.WriteFile(file, []byte("neither"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := natsbus.Join(soon(t), natsbus.Options{URL: url, Creds: file}); !errors.Is(err, natsbus.ErrOption) {
		t.Errorf("another file: %v", err)
	}
}
