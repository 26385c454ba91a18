package browser_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/internal/timetest"
)

// A proxy is one of others, and how it is started with a configuration as docs/proxy.md has it.
type proxy struct {
	program string
	whole   func(dir, config, addr string) string // the file of the configuration
	args    func(file string) []string
}

var proxies = map[string]proxy{
	"nginx": {
		"/usr/sbin/nginx",
		func(dir, config, addr string) string {
			paths := ""
			for _, name := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
				paths += name + "_temp_path " + filepath.Join(dir, name) + ";\n"
			}
			config = strings.Replace(config, "listen 443 ssl http2", "listen "+addr+" ssl http2", 1)
			return "daemon off; pid " + filepath.Join(dir, "pid") + "; error_log stderr;\nevents {}\nhttp { access_log off;\n" + paths + config + "}\n"
		},
		func(file string) []string { return []string{"-c", file} },
	},
	"caddy": {
		"caddy",
		func(_, config, addr string) string {
			_, port, _ := net.SplitHostPort(addr)
			return "{\nadmin off\nauto_https off\n}\n" + strings.Replace(config, "localhost {", "https://localhost:"+port+" {", 1)
		},
		func(file string) []string { return []string{"run", "--adapter", "caddyfile", "--config", file} },
	},
}

// The configurations of docs/proxy.md lead a browser to a console that is at a path of another
// server, with TLS: its page, its session, its API and its feed.
func TestTheConsoleIsBehindProxies(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "proxy.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range proxies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(of.program); err != nil || without != "" {
				t.Skip("there is no " + name + ", or no browser: .ci/proxies and .ci/chromium install them")
			}
			block := regexp.MustCompile("(?s)```" + name + "\n(.*?)```").FindSubmatch(doc)
			if block == nil {
				t.Fatal("docs/proxy.md has no configuration of it")
			}
			dir, addr, behind := t.TempDir(), free(t), free(t)
			certify(t, dir)
			config := strings.NewReplacer("/etc/ssl", dir, "console.example.org", "localhost", "127.0.0.1:7333", behind).Replace(string(block[1]))
			file := filepath.Join(dir, "config")
			if err := os.WriteFile(file, []byte(of.whole(dir, config, addr)), 0o600); err != nil {
				t.Fatal(err)
			}
			settings := filepath.Join(dir, "serve.yaml")
			if err := os.WriteFile(settings, []byte("trusted: [127.0.0.1/32, ::1/128]\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			_, port, _ := net.SplitHostPort(addr)
			base := "https://localhost:" + port + "/swarm/"
			s := serve(t, "--demo", "--pace", "60ms", "--dir", filepath.Join(dir, "journals"), "--config", settings, "--addr", behind, "--public-url", base)
			if !strings.HasPrefix(s.link.String(), base+"#token=") {
				t.Errorf("the link is %s", s.link.Redacted())
			}
			start(t, addr, dir, of.program, of.args(file)...)

			p := open(t, s)
			p.see(".foot", "Live")
			p.see("tr.r", "round")
			eval[any](p, `document.querySelector("nav.nav a[href$=rooms]").click(); 0`)
			p.wait(`location.pathname === "/swarm/rooms"`)
			p.visit(base + "inbox") // a new page of the same session
			p.wait(`document.querySelector("nav.nav")`)
			p.see(".foot", "Live")
			if card := eval[string](p, `fetch("/swarm/api/a2a/platform/.well-known/agent-card.json").then((r) => r.json()).then((c) => c.url)`); card != base+"api/a2a/platform" {
				t.Errorf("the card has the address %s", card)
			}
			if user := eval[string](p, `fetch("/swarm/api/health").then((r) => r.json()).then((h) => h.feed.clients.map((c) => c.type).join())`); !strings.Contains(user, "websocket") {
				t.Errorf("the feed is read by %q", user)
			}
			if status := eval[int](p, `fetch("/swarm/nothing").then((r) => r.status)`); status != 404 {
				t.Errorf("a path that is not there: %d", status)
			}
		})
	}
}

// free returns an address that nobody listens at.
func free(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // nobody has connected
	return l.Addr().String()
}

// start starts a proxy, and ends it with the test.
func start(t *testing.T, addr, dir, program string, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Stderr = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir), testWriter{t}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	timetest.Until(t, program+" listens", func() bool {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
		return err == nil && c.Close() == nil
	})
}

// certify writes a certificate of localhost and its key.
func certify(t *testing.T, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, NotAfter: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}
	cert, err := x509.CreateCertificate(rand.Reader, of, of, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"console.pem": {Type: "CERTIFICATE", Bytes: cert}, "console.key": {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
