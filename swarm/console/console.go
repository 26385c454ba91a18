package console

import (
	"io/fs"
	"net/http"
	"time"

	"github.com/swarmbus/swarmbus/swarm/console/agui"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/console/guard"
)

// Options of a console. All are required but Version.
type Options struct {
	Backend *api.Backend
	Hub     *feed.Hub
	Guard   *guard.Guard
	Files   fs.FS // of the page
	Version string
}

// longest is how long an answer that is not the feed may take to write.
const longest = time.Minute

// New returns the handler of a console.
func New(o Options) http.Handler {
	routes := http.NewServeMux()
	api.Register(routes, o.Version, o.Backend)
	mux := http.NewServeMux()
	mux.Handle("GET /api/feed", o.Hub.Events(guard.User))
	mux.Handle("GET /api/feed/socket", o.Hub.Socket(guard.User))
	mux.Handle("POST /api/agui/", (&agui.Server{Backend: o.Backend, Hub: o.Hub, User: guard.User}).Handler())
	mux.Handle("/api/", within(longest, routes))
	mux.Handle("/", within(longest, newPage(o.Files)))
	return o.Guard.Wrap(mux)
}

// arriving ends connections whose bodies do not end, whatever becomes of the request.
func arriving(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		of, _ := r.Context().Value(http.ServerContextKey).(*http.Server)
		if of != nil && r.Body != nil && r.Body != http.NoBody {
			// net/http removes the deadline when it has read all of the body.
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(of.ReadHeaderTimeout)) // a recorder of tests has none
		}
		next.ServeHTTP(w, r)
	})
}

// within ends answers that take too long to write.
func within(d time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(d)) // a recorder of tests has none
		next.ServeHTTP(w, r)
	})
}

// Server returns a server with limits for slow clients: the body of a request may take as
// long as its header.
func Server(h http.Handler) *http.Server {
	return &http.Server{
		Handler: arriving(h), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
	}
}
