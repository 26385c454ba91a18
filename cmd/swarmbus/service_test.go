package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/client"
)

// Whoever reads the log of a service learns what happens to it, and cannot use it.
func TestTheLogHasALineForWhatHappensAndNoToken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secret := filepath.Join(dir, "token")
	link, end := demoServed(t, filepath.Join(dir, "journals"), "--log-format", "json", "--token-file", secret)
	if strings.Contains(link, "token=") {
		t.Errorf("the link has the token: %s", link)
	}
	text, err := os.ReadFile(secret)
	if info, failed := os.Stat(secret); err != nil || failed != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the file of the token: %v, %v, %v", info, err, failed)
	}
	token := strings.TrimSpace(string(text))
	c, err := client.New(link, token)
	if err != nil {
		t.Fatal(err)
	}
	one, err := c.Start(t.Context(), api.NewSolve{Team: "platform", Task: ordersTask})
	for err == nil && one.State == api.Running {
		if err = c.Changed(t.Context(), one); err == nil {
			var now api.SolveDetail
			now, err = c.Get(t.Context(), one.ID, 0)
			one = now.Solve
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(link, "/")+"/api/solves", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer wrong-as-can-be")
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = got.Body.Close()
	said, found := end(), map[string]int{}
	for line := range strings.Lines(said) {
		var record struct {
			Level, Msg, Solve, Client string
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Errorf("a line that is no JSON: %s", line)
		}
		if record.Solve == one.ID || record.Solve == "" {
			found[record.Level+" "+record.Msg+" "+record.Client]++
		}
	}
	want := map[string]int{
		"INFO server started ": 1, "INFO server stops ": 1, "INFO server stopped ": 1, "INFO solve began ": 1, "INFO solve stopped ": 1, "WARN token refused 127.0.0.1": 1,
	}
	for line, n := range want {
		if found[line] != n {
			t.Errorf("%d lines %q, want %d, in\n%s", found[line], line, n, said)
		}
	}
	for _, word := range []string{token, "wrong-as-can-be", one.Answer} {
		if strings.Contains(said, word) {
			t.Errorf("the log has %q", word)
		}
	}
}

func TestACertificateThatCannotBeReadAgainStays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := &certificate{cert: filepath.Join(dir, "cert.pem"), key: filepath.Join(dir, "key.pem")}
	write := func(cert, key string) {
		for path, text := range map[string]string{c.cert: cert, c.key: key} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	serial := func() string {
		pair, err := c.get(new(tls.ClientHelloInfo))
		if err != nil {
			t.Fatal(err)
		}
		return pair.Leaf.SerialNumber.String()
	}
	write(selfSigned(t, 1))
	if err := c.read(); err != nil || serial() != "1" {
		t.Fatalf("read: %v, number %s", err, serial())
	}
	write("", "")
	if err := c.read(); err == nil || serial() != "1" {
		t.Errorf("an empty file: %v, number %s", err, serial())
	}
	write(selfSigned(t, 2))
	if err := c.read(); err != nil || serial() != "2" {
		t.Errorf("a new one: %v, number %s", err, serial())
	}
}

// A service manager starts the server with a socket that it listens at, and is told when it is ready
// and that it stops.
func TestAServerIsAServiceOfSystemd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	told, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "unixgram", filepath.Join(dir, "notify"))
	if err != nil {
		t.Skip("there is no such socket:", err)
	}
	defer told.Close() //nolint:errcheck // of a test
	socket, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close() //nolint:errcheck // of a test
	file, err := socket.(*net.UnixListener).File()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `LISTEN_PID=$$ LISTEN_FDS=1 exec swarmbus serve --demo --dir "$0" --token-file "$0/token"`, filepath.Join(dir, "journals"))
	cmd.Env = append(os.Environ(), "NOTIFY_SOCKET="+filepath.Join(dir, "notify"))
	cmd.ExtraFiles, cmd.Stderr = []*os.File{file}, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hears := func() string {
		text := make([]byte, 256)
		n, _, err := told.ReadFrom(text)
		if err != nil {
			t.Fatal(err)
		}
		return string(text[:n])
	}
	if got := hears(); got != "READY=1" {
		t.Errorf("it said %q", got)
	}
	to := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(dir, "socket"))
	}}
	timetest.Until(t, "the server is ready", func() bool {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/readyz", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		got, err := to.RoundTrip(r)
		return err == nil && got.Body.Close() == nil && got.StatusCode == http.StatusOK
	})
	to.CloseIdleConnections()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if got := hears(); got != "STOPPING=1" {
		t.Errorf("it said %q", got)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestTheLogHasNoFormOrLevelOfAnotherName(t *testing.T) {
	t.Parallel()
	for _, f := range []serviceFlags{{format: "xml", level: "info"}, {format: "json", level: "loud"}} {
		if _, err := f.log(os.Stderr); err == nil {
			t.Errorf("%+v is taken", f)
		}
	}
	if log, err := (&serviceFlags{format: "json", level: "warn"}).log(os.Stderr); err != nil || log.Enabled(t.Context(), slog.LevelInfo) {
		t.Errorf("a log of warnings: %v", err)
	}
}

// selfSigned returns a certificate with a number, and its key.
func selfSigned(t *testing.T, number int64) (cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(number)}
	text, err := x509.CreateCertificate(rand.Reader, of, of, secret.Public(), secret)
	if err != nil {
		t.Fatal(err)
	}
	secretText, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: text})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secretText}))
}
