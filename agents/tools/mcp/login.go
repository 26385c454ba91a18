package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/auth/extauth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/swarmbus/swarmbus/internal/ownerfile"
)

// A Login is how we get an access token for a server with a URL, by OAuth 2.1. Nil and the zero
// value: as a client that registers itself, for a person who logs in with a browser.
type Login struct {
	Client string `json:"client,omitempty"` // a registered client, or the https URL of a client ID metadata document
	Secret string `json:"secret,omitempty"` // the name of the variable with the client's secret
	Alone  bool   `json:"alone,omitempty"`  // the client logs in for itself (client credentials), and nobody is asked
}

// loginTime is how long a person has for a login.
const loginTime = 5 * time.Minute

// validate returns the field that breaks a rule, and the rule.
func (l *Login) validate() (field, problem string) {
	switch {
	case l == nil:
	case l.Alone && (l.Client == "" || l.Secret == ""):
		return "login.alone", "a client that logs in alone has an id and a secret"
	case l.Client == "" && l.Secret != "":
		return "login.secret", "only a client with an id has a secret"
	}
	return "", ""
}

// A door is the [auth.OAuthHandler] of a server. One login is made at a time, and its token is
// kept in a file, if there is a directory for it.
type door struct {
	spec   Spec
	secret string
	show   func(address string) // nil: nobody can be asked
	client *http.Client
	asking atomic.Bool // a login is being made
	turn   turnstile
	by     auth.OAuthHandler // nil before the first login; held by turn
	token  token
}

func newDoor(s Spec, env map[string]string, o *Options) *door {
	d := &door{spec: s, turn: make(turnstile, 1), client: &http.Client{
		Transport: &bounded{http.DefaultTransport.(*http.Transport).Clone(), nil}, CheckRedirect: sameHost, Timeout: 30 * time.Second,
	}}
	d.token.client = d.client
	if s.Login != nil {
		d.secret = env[s.Login.Secret]
	}
	if o == nil {
		return d
	}
	d.show = o.Login
	if id := s.URL; o.Logins != "" && (s.Login == nil || !s.Login.Alone) {
		if s.Login != nil {
			id += " " + s.Login.Client
		}
		sum := sha256.Sum256([]byte(id))
		d.token.path = filepath.Join(o.Logins, hex.EncodeToString(sum[:12])+".json")
	}
	return d
}

// TokenSource implements [auth.OAuthHandler].
func (d *door) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	if err := d.turn.enter(ctx); err != nil {
		return nil, err
	}
	defer d.turn.leave()
	return d.source(ctx)
}

func (d *door) source(ctx context.Context) (oauth2.TokenSource, error) {
	if d.by != nil {
		return d.by.TokenSource(ctx)
	}
	if d.token.read() {
		return &d.token, nil
	}
	return nil, nil // as the SDK wants it: no token yet
}

// Authorize implements [auth.OAuthHandler].
func (d *door) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	if err := d.turn.enter(ctx); err != nil {
		_ = resp.Body.Close()
		return err
	}
	defer d.turn.leave()
	if resp.StatusCode == http.StatusUnauthorized && d.another(ctx, req.Header.Get("Authorization")) {
		return resp.Body.Close() // somebody has logged in meanwhile
	}
	if d.by == nil {
		by, err := d.handler()
		if err != nil {
			_ = resp.Body.Close()
			return err
		}
		d.by = by
	}
	if d.spec.Login != nil && d.spec.Login.Alone {
		ctx = context.WithoutCancel(ctx) // the SDK refreshes such tokens in the context of the first call
	}
	d.asking.Store(true)
	defer d.asking.Store(false)
	return d.by.Authorize(ctx, req, resp)
}

// within returns a context that ends after a time, in which no login is being made.
func (d *door) within(ctx context.Context, limit time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		for ctx.Err() == nil {
			asked := d.asking.Load()
			select {
			case <-ctx.Done():
			case <-time.After(limit):
				if !asked && !d.asking.Load() {
					cancel(fmt.Errorf("no answer within %v", limit))
				}
			}
		}
	})
	return ctx, func() {
		cancel(nil)
		watching.Wait()
	}
}

// another reports whether there is a token other than the one that was refused.
func (d *door) another(ctx context.Context, refused string) bool {
	s, err := d.source(ctx)
	if err != nil || s == nil {
		return false
	}
	t, err := s.Token()
	return err == nil && "Bearer "+t.AccessToken != refused
}

func (d *door) handler() (auth.OAuthHandler, error) {
	l := d.spec.Login
	var known *oauthex.ClientCredentials
	if l != nil && l.Client != "" {
		known = &oauthex.ClientCredentials{ClientID: l.Client}
		if d.secret != "" {
			known.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: d.secret}
		}
		if l.Alone {
			return extauth.NewClientCredentialsHandler(&extauth.ClientCredentialsHandlerConfig{Credentials: known, HTTPClient: d.client})
		}
	}
	if d.show == nil {
		return nil, errors.New("a person has to log in, and nobody can be asked here (swarmbus doctor asks, and keeps the token)")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	back := &landing{show: d.show, at: listener.Addr().String()}
	_ = listener.Close() // the address is the same for the next login, too
	c := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: "http://" + back.at + "/", Client: d.client, RequestRefreshToken: true, AcceptUnadvertisedIss: true,
		AuthorizationCodeFetcher: back.fetch, NewTokenSource: d.token.begin,
	}
	switch {
	case known == nil || strings.HasPrefix(known.ClientID, "https://"):
		if known != nil {
			c.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: known.ClientID}
		}
		c.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "swarmbus", RedirectURIs: []string{c.RedirectURL}, GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		}}
	default:
		c.PreregisteredClient = known
	}
	return auth.NewAuthorizationCodeHandler(c)
}

// A landing is where a browser comes back to after a login.
type landing struct {
	show func(address string)
	at   string
}

// fetch shows the address of a login, and waits for the browser with its code. A request with
// another state is of somebody else, and ends nothing.
func (l *landing) fetch(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	address, err := url.Parse(args.URL)
	if err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", l.at)
	if err != nil {
		return nil, fmt.Errorf("a browser cannot come back from a login: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, loginTime, fmt.Errorf("nobody has logged in within %v", loginTime))
	defer cancel()
	came := make(chan url.Values, 1)
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("state") != address.Query().Get("state") {
			http.Error(w, "This is not the login that was asked for.", http.StatusBadRequest)
			return
		}
		select {
		case came <- q:
		default: // it was here before
		}
		_, _ = w.Write([]byte("You can close this page and go on with swarmbus.\n"))
	})}
	var served sync.WaitGroup
	served.Go(func() { _ = server.Serve(listener) })
	defer served.Wait()
	defer server.Shutdown(context.WithoutCancel(ctx)) //nolint:errcheck // it waits for the answer to the browser
	l.show(args.URL)
	select {
	case q := <-came:
		if refused := q.Get("error"); refused != "" {
			return nil, fmt.Errorf("the login was refused: %s", strings.TrimSpace(refused+" "+q.Get("error_description")))
		}
		return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// A token is that of a login, with what refreshes it, in a file that only its owner reads.
type token struct {
	path   string // "": in memory alone
	client *http.Client

	mu  sync.Mutex // protects the field below
	has held
}

type held struct {
	Config oauth2.Config `json:"config"`
	Token  *oauth2.Token `json:"token"`
}

// begin takes the token of a login.
func (k *token) begin(_ context.Context, c *oauth2.Config, t *oauth2.Token) (oauth2.TokenSource, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.has = held{*c, t}
	return k, k.writeLocked()
}

// Token implements [oauth2.TokenSource]. Another process may have refreshed the token.
func (k *token) Token() (*oauth2.Token, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.has.Token.Valid() || k.readLocked() && k.has.Token.Valid() {
		return k.has.Token, nil
	}
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, k.client)
	t, err := k.has.Config.TokenSource(ctx, k.has.Token).Token()
	if err != nil {
		return nil, err
	}
	k.has.Token = t
	return t, k.writeLocked()
}

func (k *token) read() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.readLocked()
}

// readLocked reports whether there is a token; a file that cannot be read has none, and the next login replaces it.
func (k *token) readLocked() bool {
	if k.path == "" {
		return k.has.Token != nil
	}
	data, err := os.ReadFile(k.path)
	var has held
	if err != nil || json.Unmarshal(data, &has) != nil || has.Token == nil {
		return k.has.Token != nil
	}
	k.has = has
	return true
}

func (k *token) writeLocked() error {
	if k.path == "" {
		return nil
	}
	data, err := json.Marshal(k.has)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(k.path), 0o700); err != nil {
		return err
	}
	return ownerfile.Replace(k.path, data)
}
