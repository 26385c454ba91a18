package natstest_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"

	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
)

// An authority signs certificates.
type authority struct {
	dir  string
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func (a *authority) file(t *testing.T, name, kind string, der []byte) string {
	t.Helper()
	file := filepath.Join(a.dir, name)
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// issue writes a certificate and its key to files, and returns their names.
func (a *authority) issue(t *testing.T, name string) (cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	if a.cert == nil {
		c.IsCA, c.BasicConstraintsValid, c.KeyUsage = true, true, x509.KeyUsageCertSign
		a.cert, a.key = c, k
	}
	der, err := x509.CreateCertificate(rand.Reader, c, a.cert, &k.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return a.file(t, name+".pem", "CERTIFICATE", der), a.file(t, name+".key", "EC PRIVATE KEY", secret)
}

func TestProcessesAndServersKnowEachOtherByCertificates(t *testing.T) {
	t.Parallel()
	a := &authority{dir: t.TempDir()}
	ca, _ := a.issue(t, "ca")
	cert, key := a.issue(t, "server")
	server := natstest.Start(t, natstest.Options{Config: fmt.Sprintf("tls { cert_file: %q, key_file: %q, ca_file: %q, verify: true }", cert, key, ca)})[0]
	url := strings.Replace(server.URL(), "nats://", "tls://", 1)
	text, err := os.ReadFile(ca)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	own, err := tls.LoadX509KeyPair(a.issue(t, "client"))
	if err != nil {
		t.Fatal(err)
	}
	l := join(t, natsbus.Options{URL: url, TLS: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS12}})
	must(t, agent(t, l, "a"), found("t", "x"))
	for name, c := range map[string]struct {
		config *tls.Config
		want   string
	}{
		"a server that nobody vouches for": {nil, "certificate signed by unknown authority"},
		"no certificate":                   {&tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, "tls"}, // how the connection ends varies
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		l, err := natsbus.Join(ctx, natsbus.Options{URL: url, TLS: c.config})
		cancel()
		if err == nil {
			l.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// An account of NATS: what it signs its users with.
type account struct {
	dir string
	key nkeys.KeyPair
}

// operated returns the configuration of servers with an operator, and the account of a log.
func operated(t *testing.T) (config string, a *account) {
	return operatedWith(t, jwt.JetStreamLimits{DiskStorage: -1, MemoryStorage: -1, Streams: -1, Consumer: -1})
}

// operatedWith is operated with limits of the account.
func operatedWith(t *testing.T, limits jwt.JetStreamLimits) (config string, a *account) {
	t.Helper()
	pair := func(k nkeys.KeyPair, err error) (nkeys.KeyPair, string) {
		if err != nil {
			t.Fatal(err)
		}
		public, err := k.PublicKey()
		if err != nil {
			t.Fatal(err)
		}
		return k, public
	}
	operator, operatorID := pair(nkeys.CreateOperator())
	key, id := pair(nkeys.CreateAccount())
	_, system := pair(nkeys.CreateAccount())
	encode := func(c interface {
		Encode(k nkeys.KeyPair) (string, error)
	},
	) string {
		text, err := c.Encode(operator)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	self, ours := jwt.NewOperatorClaims(operatorID), jwt.NewAccountClaims(id)
	self.SystemAccount = system
	ours.Limits.JetStreamLimits = limits
	return fmt.Sprintf("operator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload { %s: %s, %s: %s }",
		encode(self), system, id, encode(ours), system, encode(jwt.NewAccountClaims(system))), &account{t.TempDir(), key}
}

// user returns the file with the credentials of a user that may publish to subjects.
func (a *account) user(t *testing.T, name string, may ...string) string {
	t.Helper()
	k, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	id, err := k.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	c := jwt.NewUserClaims(id)
	c.Pub.Allow.Add(may...)
	token, err := c.Encode(a.key)
	if err != nil {
		t.Fatal(err)
	}
	seed, err := k.Seed()
	if err != nil {
		t.Fatal(err)
	}
	text, err := jwt.FormatUserConfig(token, seed)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(a.dir, name)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// agentMay are the subjects to which the process of an agent publishes, as docs/scale.md
// says.
func agentMay(id string) []string {
	return []string{"swarmbus.log.*.*." + id, "swarmbus.derived.>", "$JS.API.>", "_INBOX.>"}
}

func TestServersLetAnAgentSpeakForItselfOnly(t *testing.T) {
	t.Parallel()
	config, accounts := operated(t)
	url := natstest.Start(t, natstest.Options{Config: config})[0].URL()
	all := join(t, natsbus.Options{URL: url, Creds: accounts.user(t, "operator.creds", ">")})
	var warned strings.Builder
	said := make(chan string, 16)
	l := join(t, natsbus.Options{
		URL: url, Creds: accounts.user(t, "ann.creds", agentMay("ann")...),
		Tell: natsbus.Tell{Warn: func(problem string) {
			select {
			case said <- problem:
			default:
			}
		}},
	})
	last := must(t, agent(t, l, "ann"), found("t", "her own"))
	if _, err := agent(t, l, "bob").Publish(soon(t), found("t", "not hers")); !errors.Is(err, natsbus.ErrDenied) {
		t.Errorf("got %v, want ErrDenied", err)
	}
	for len(said) > 0 {
		warned.WriteString(<-said)
	}
	if subject := natsbus.Subject("swarmbus", "t", "discovery", "bob"); !strings.Contains(warned.String(), subject) {
		t.Errorf("warned of %q, want %s", warned.String(), subject)
	}
	reach(t, all.Bus(), last.Seq)
	if got := lines(t, all.Bus()); len(got) != 1 || !strings.Contains(got[0], "her own") {
		t.Errorf("%v", got)
	}
	for name, o := range map[string]natsbus.Options{
		"nobody":            {URL: url},
		"of another server": {URL: url, Creds: func() string { _, other := operated(t); return other.user(t, "other.creds", ">") }()},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		l, err := natsbus.Join(ctx, o)
		cancel()
		if err == nil {
			l.Close()
		}
		if err == nil || !strings.Contains(strings.ToLower(err.Error()), "authorization violation") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
