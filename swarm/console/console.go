package console

import (
	"cmp"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/console/guard"
	"github.com/swarmbus/swarmbus/swarm/console/internal/agui"
)

// Options of a console. All are required but Base and Version.
type Options struct {
	Backend *api.Backend
	Hub     *feed.Hub
	Guard   *guard.Guard
	Files   fs.FS  // of the page
	Base    string // path of the page, with a slash at its end; "" means "/"
	Version string
}

// longest is how long an answer that is not the feed may take to write.
const longest = time.Minute

// New returns the handler of a console.
func New(o Options) http.Handler {
	routes := http.NewServeMux()
	if of := api.Register(routes, o.Version, o.Backend); o.Base != "" {
		of.Servers[0].URL = cmp.Or(strings.TrimSuffix(o.Base, "/"), "/")
	}
	mux := http.NewServeMux()
	mux.Handle("GET "+api.Prefix+"/feed", o.Hub.Events(guard.User))
	mux.Handle("GET "+api.Prefix+"/feed/socket", o.Hub.Socket(guard.User))
	mux.Handle(api.Root+"/agui/", problems((&agui.Server{Backend: o.Backend, Hub: o.Hub, User: guard.User}).Handler()))
	mux.Handle(api.Root+"/", within(longest, problems(routes)))
	mux.Handle("/", within(longest, newPage(o.Files, cmp.Or(o.Base, "/"))))
	return versioned(o.Guard.Wrap(mux))
}

// versioned has the routes under their paths from before there was a version, too.
func versioned(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rest, of := strings.CutPrefix(r.URL.Path, api.Root+"/")
		if of && !strings.HasPrefix(rest, "v1/") && !strings.HasPrefix(rest, "agui/") {
			to := *r.URL
			to.Path = api.Prefix + "/" + rest
			if raw, escaped := strings.CutPrefix(to.RawPath, api.Root+"/"); escaped {
				to.RawPath = api.Prefix + "/" + raw
			}
			r = r.WithContext(r.Context())
			r.URL = &to
		}
		next.ServeHTTP(w, r)
	})
}

// problems answers requests without a route for their path or method with a problem, as the routes do.
func problems(routes *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, pattern := routes.Handler(r)
		if pattern != "" {
			routes.ServeHTTP(w, r)
			return
		}
		none := unwritten{w.Header(), http.StatusNotFound}
		h.ServeHTTP(&none, r) // says which of both, and which methods there are
		api.Refuse(w, api.NewError(none.status, fmt.Sprintf("the API has no %s %s", r.Method, r.URL.Path)))
	})
}

// unwritten is an answer that keeps only header and status.
type unwritten struct {
	header http.Header
	status int
}

func (u *unwritten) Header() http.Header { return u.header }

func (u *unwritten) Write(text []byte) (int, error) { return len(text), nil }

func (u *unwritten) WriteHeader(status int) { u.status = status }

// within ends answers that take too long to write.
func within(d time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(d)) // a recorder of tests has none
		next.ServeHTTP(w, r)
	})
}

// slowest is how long a request may take to arrive, with its body.
const slowest = 5 * time.Second

// Server returns a server with limits for slow clients. Answers may take longer than requests:
// net/http has no deadline for a connection from which all of a request has been read.
func Server(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: slowest, ReadTimeout: slowest, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
	}
}
