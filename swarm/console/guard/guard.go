package guard

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// Options of a [Guard]. Hosts and the key are required.
type Options struct {
	Key    Key
	Tokens Tokens   // beside that of the key, with their roles
	Hosts  []string // that requests may name: with a port, or with any
	Site   Site
	Log    *slog.Logger     // has a line for each token that is refused; nil: none
	Clock  func() time.Time // nil means time.Now
}

// A Guard decides about requests. It may be used concurrently. Make one with [New].
type Guard struct {
	o      Options
	tries  *tries
	unread sync.Once // that the file of tokens cannot be read is logged once
}

// New returns a guard.
func New(o Options) *Guard {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return &Guard{o: o, tries: newTries()}
}

// Link returns the address of the console with the token in the fragment, which a browser
// does not send.
func (g *Guard) Link(base string) string { return base + "/#token=" + g.o.Key.Token() }

// validity is how long a session is valid.
const validity = 30 * 24 * time.Hour

// policy lets a page of the console load its own files, and nothing inline.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Wrap returns a handler that passes on the requests that the guard admits.
func (g *Guard) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if g.o.Site.scheme(r) == "https" {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		switch {
		case !g.o.Site.names(g.o.Hosts, r.Host):
			refuse(w, http.StatusMisdirectedRequest, "this server has another name")
		case !g.own(r):
			refuse(w, http.StatusForbidden, "the request comes from a page of another server")
		case !strings.HasPrefix(r.URL.Path, api.Root+"/"):
			next.ServeHTTP(w, r)
		default:
			h.Set("Cache-Control", "no-store")
			g.guard(w, r, next)
		}
	})
}

// own reports whether a request comes from a page of the server, or from no page.
func (g *Guard) own(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && !strings.HasPrefix(r.URL.Path, api.Root+"/")
	}
	origin := r.Header.Get("Origin")
	return origin == "" || g.o.Site.own(r, origin)
}

// guard admits requests of sessions to the API.
func (g *Guard) guard(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if r.URL.Path == api.Prefix+"/session" && r.Method != http.MethodGet {
		g.session(w, r)
		return
	}
	who, user, byCookie, ok := g.user(r)
	person, known := g.o.Site.Identity.of(r)
	if known = known && !ok; known { // a page sends what a proxy says of who asks with each request, as it does a cookie
		who, user, byCookie, ok = person, "person "+person.Name, true, true
	}
	switch {
	case !ok && r.Header.Get("Authorization") != "" && !g.tries.may(addressOf(r), g.o.Clock()):
		tooMany(w)
	case !ok:
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuse(w, http.StatusUnauthorized, g.unknown(r))
	case byCookie && changes(r) && r.Header.Get("Origin") == "" && r.Header.Get("Sec-Fetch-Site") != "same-origin":
		refuse(w, http.StatusForbidden, "the request does not say that it comes from a page of this server")
	case known && !who.Role.May(api.RoleReader):
		refuse(w, http.StatusForbidden, fmt.Sprintf("%q has no role here: the operator of the server gives one to a group or a person", who.Name))
	case !who.Role.May(api.RoleReader): // what more it takes, [api.Backend.Guarded] says
		refuse(w, http.StatusForbidden, fmt.Sprintf("the token %q has the role %q, which there is not: make another one with swarmbus token new", who.Name, who.Role))
	default:
		ctx, end := r.Context(), func() {}
		if !known {
			ctx, end = g.while(ctx, who)
		}
		defer end()
		next.ServeHTTP(w, r.WithContext(api.By(context.WithValue(ctx, userKey{}, user), who)))
	}
}

// recheck is how long a stream may go on after its token was revoked.
const recheck = 5 * time.Second

// while returns a context that ends soon after the token with which somebody asks is revoked.
func (g *Guard) while(ctx context.Context, who api.Who) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancel(ctx)
	if who.Name == "" {
		return ctx, end
	}
	go func() {
		tick := time.NewTicker(recheck)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if !g.o.Tokens.has(who) {
					end()
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, end
}

// wrong counts a wrong token, and notes who sent it, but not the token.
func (g *Guard) wrong(r *http.Request) {
	g.tries.wrong(addressOf(r), g.o.Clock())
	if _, err := g.o.Tokens.All(); err != nil {
		g.unread.Do(func() { g.o.Log.Error("tokens cannot be read", "error", err) })
	}
	g.o.Log.Warn("token refused", "client", addressOf(r), "method", r.Method, "path", text.Cut(r.URL.Path, 200))
}

// unknown says why a request is from nobody, and what to do.
func (g *Guard) unknown(r *http.Request) string {
	if r.Header.Get("Authorization") == "" {
		if _, _, ok := g.opened(r); ok {
			return "the token of this session was revoked" + g.o.Tokens.unread() + ": ask for another one (swarmbus token new), or open the link that swarmbus serve printed"
		}
		return "no token: send Authorization: Bearer TOKEN, or open the link that swarmbus serve printed; a session ends with its token, and after 30 days"
	}
	g.wrong(r)
	return "the token is wrong, or was revoked" + g.o.Tokens.unread() + ": ask for another one (swarmbus token new), or open the link that swarmbus serve printed"
}

// Counts passes requests of agents that have tokens of their own, and counts those that next refuses for
// their token as it counts those to the API.
func (g *Guard) Counts(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&counted{ResponseWriter: w, guard: g, r: r}, r)
	})
}

// counted is the answer to a request whose token may be wrong.
type counted struct {
	http.ResponseWriter
	guard   *Guard
	r       *http.Request
	instead bool // of the answer, that there were too many
}

// WriteHeader implements [http.ResponseWriter].
func (c *counted) WriteHeader(status int) {
	switch {
	case status != http.StatusUnauthorized || c.r.Header.Get("Authorization") == "":
		c.ResponseWriter.WriteHeader(status)
	case !c.guard.tries.may(addressOf(c.r), c.guard.o.Clock()):
		c.instead = true
		tooMany(c.ResponseWriter)
	default:
		c.guard.wrong(c.r)
		c.ResponseWriter.WriteHeader(status)
	}
}

// Write implements [http.ResponseWriter].
func (c *counted) Write(p []byte) (int, error) {
	if c.instead {
		return len(p), nil
	}
	return c.ResponseWriter.Write(p)
}

// Unwrap is for [http.ResponseController].
func (c *counted) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// changes reports whether a request may change state.
func changes(r *http.Request) bool {
	return r.Method != http.MethodGet && r.Method != http.MethodHead
}

// personOf returns the user that a named token counts for, in whatever sessions; "": it has no name.
func personOf(who api.Who) string {
	if who.Name == "" {
		return ""
	}
	return "token " + who.Name
}

// user returns who sends a request, the user that it counts for, and whether only a cookie
// identifies them.
func (g *Guard) user(r *http.Request) (who api.Who, user string, byCookie, ok bool) {
	if token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); found {
		who, _, ok = g.who(token)
		return who, cmp.Or(personOf(who), "token "+addressOf(r)), false, ok
	}
	session, hash, ok := g.opened(r)
	if who.Role = api.RoleOperator; ok && len(hash) > 0 {
		var of Token
		of, ok = g.o.Tokens.again(hash)
		who = of.who()
	}
	return who, cmp.Or(personOf(who), "session "+session), true, ok
}

// opened returns the session that the cookie of a request is of, and the hash of its token if that is not the key's.
func (g *Guard) opened(r *http.Request) (session string, hash []byte, ok bool) {
	named, _ := g.o.Site.cookie(r)
	c, err := r.Cookie(named)
	if err != nil {
		return "", nil, false
	}
	return g.o.Key.opens(c.Name, c.Value, g.o.Clock())
}

// who returns who has a token, and its hash if it is not that of the key.
func (g *Guard) who(token string) (who api.Who, hash []byte, ok bool) {
	if g.o.Key.is(token) {
		return api.Who{Role: api.RoleOperator}, nil, true
	}
	of, ok := g.o.Tokens.of(token)
	return of.who(), of.Hash, ok
}

// session exchanges a token for a cookie, or ends a session.
func (g *Guard) session(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodDelete:
		g.set(w, r, "", -1)
	case http.MethodPost:
		var in api.Token
		body := json.NewDecoder(http.MaxBytesReader(w, r.Body, 4<<10))
		body.DisallowUnknownFields()
		if err := body.Decode(&in); err != nil {
			refuse(w, http.StatusUnprocessableEntity, "the body is not {\"token\": …}")
			return
		}
		_, hash, right := g.who(in.Token)
		switch now := g.o.Clock(); {
		case right: // of 256 random bits, which no number of guesses finds: it is never locked out
			of, _ := g.o.Site.cookie(r)
			g.set(w, r, g.o.Key.session(of, now.Add(validity), hash), int(validity/time.Second))
		case !g.tries.may(addressOf(r), now):
			tooMany(w)
			return
		default:
			g.wrong(r)
			refuse(w, http.StatusUnauthorized, "the token is wrong, or was revoked"+g.o.Tokens.unread()+": open the link that swarmbus serve printed")
			return
		}
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		refuse(w, http.StatusMethodNotAllowed, "POST a token, or DELETE the session")
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (g *Guard) set(w http.ResponseWriter, r *http.Request, value string, age int) {
	name, secure := g.o.Site.cookie(r)
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: g.o.Site.Path(), MaxAge: age, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: secure,
	})
}

type userKey struct{}

// User returns the user of a request that was admitted.
func User(r *http.Request) string {
	user, _ := r.Context().Value(userKey{}).(string)
	return user
}

func addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

func tooMany(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "60")
	refuse(w, http.StatusTooManyRequests, "too many wrong tokens: wait a minute")
}

func refuse(w http.ResponseWriter, status int, detail string) {
	api.Refuse(w, api.NewError(status, detail))
}
