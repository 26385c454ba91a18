package modelstest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/agents/models"
)

// Key is the only key that servers accept.
const Key = "sk-test-0123456789abcdef"

// Name is the only model that servers have.
const Name = "large"

// A Reply is a server's answer to one request.
type Reply struct {
	Text   string
	Calls  []models.Call
	Finish models.Finish // "": calls if there are any, else stop
	Usage  models.Usage
	// interleaved announces all calls before the arguments of any, which then come in
	// turns, where the protocol allows it.
	interleaved bool

	Fault      Fault
	Status     int    // to refuse the request with; 0: do not
	RetryAfter string // the header, if there is a status

	hold func() // how long an answer stalls; nil: as long as the client waits
}

// A Fault is a way in which an answer goes wrong.
type Fault int

// The faults.
const (
	Whole         Fault = iota // no fault
	Stalls                     // the answer stops in the middle, with the connection open
	Drops                      // the connection breaks in the middle
	CutOff                     // the response ends in the middle, as if it were complete
	Malformed                  // a part is not JSON
	HalfCall                   // the answer ends in the middle of a call's arguments, as if they were complete
	FailsInside                // an error occurs in the middle
	CountsNothing              // the answer has no usage
)

// A Dialect is a protocol.
type Dialect interface {
	// Read reads a request and refuses what the provider refuses, with a *refusal.
	Read(r *http.Request) (*models.Request, error)
	// Refuse writes the provider's error response.
	Refuse(w http.ResponseWriter, status int, message string)
	// Events returns the events of an answer: those with its content, then
	// those that end it. Each is complete, with its empty line.
	Events(r *Reply) (said, end []string)
	// Broken returns an event that is not JSON, and Failed one with an error.
	Broken() string
	Failed() string
}

// A refusal is the reason why a request is refused.
type refusal struct {
	Status  int
	Message string
}

func (r *refusal) Error() string { return fmt.Sprintf("%d: %s", r.Status, r.Message) }

func refuse(status int, format string, args ...any) error {
	return &refusal{status, fmt.Sprintf(format, args...)}
}

// A Server implements a protocol on a port of its own.
type Server struct {
	URL string

	dialect Dialect
	reply   func(n int, r *models.Request) Reply
	server  *httptest.Server

	mu       sync.Mutex // protects the fields below
	requests []*models.Request
	refused  []error
	at       []time.Time
	spent    models.Usage
}

// NewServer starts a server that answers with the results of reply, which is
// called concurrently for each request that the provider would accept, with the
// request's number from 1. The caller must close the server.
func NewServer(d Dialect, reply func(n int, r *models.Request) Reply) *Server {
	s := &Server{dialect: d, reply: reply}
	s.server = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.server.URL
	return s
}

// Handler returns the handler of a [Server], for use in another server.
func Handler(d Dialect, reply func(n int, r *models.Request) Reply) http.Handler {
	return http.HandlerFunc((&Server{dialect: d, reply: reply}).serve)
}

// Close ends the server and its running answers.
func (s *Server) Close() {
	s.server.CloseClientConnections()
	s.server.Close()
}

// Requests returns the accepted requests, in order of arrival.
func (s *Server) Requests() []*models.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*models.Request(nil), s.requests...)
}

// Refused returns the reasons for which requests were refused as invalid.
func (s *Server) Refused() []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]error(nil), s.refused...)
}

// Times returns the arrival times of all requests, including refused ones.
func (s *Server) Times() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]time.Time(nil), s.at...)
}

// Spent returns the usage that the provider would charge for: all answers,
// including those that the client did not wait for.
func (s *Server) Spent() models.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spent
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	read, err := s.dialect.Read(r)
	s.mu.Lock()
	s.at = append(s.at, time.Now())
	if err != nil {
		s.refused = append(s.refused, err)
	} else {
		s.requests = append(s.requests, read)
	}
	n := len(s.requests)
	s.mu.Unlock()
	if err != nil {
		why := &refusal{Status: http.StatusBadRequest, Message: err.Error()}
		errors.As(err, &why)
		s.dialect.Refuse(w, why.Status, why.Message)
		return
	}
	reply := s.reply(n, read)
	if reply.Status != 0 {
		if reply.RetryAfter != "" {
			w.Header().Set("Retry-After", reply.RetryAfter)
		}
		// Some servers send the key back.
		s.dialect.Refuse(w, reply.Status, "no, "+r.Header.Get("Authorization")+r.Header.Get("X-Api-Key"))
		return
	}
	s.mu.Lock()
	s.spent = s.spent.Plus(reply.Usage)
	s.mu.Unlock()
	s.stream(w, r, &reply)
}

// stream sends an answer in odd pieces.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, reply *Reply) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	out := &pieces{w: w}
	out.comment()
	cut := *reply
	if cut.Fault == HalfCall {
		cut.Calls = append([]models.Call(nil), cut.Calls...)
		last := &cut.Calls[len(cut.Calls)-1]
		last.Args = last.Args[:len(last.Args)/2]
	}
	if cut.Finish == "" {
		cut.Finish = models.FinishStop
		if len(cut.Calls) > 0 {
			cut.Finish = models.FinishCalls
		}
	}
	said, end := s.dialect.Events(&cut)
	half := said[:(len(said)+1)/2]
	switch reply.Fault {
	case Stalls:
		out.send(half...)
		if reply.hold != nil {
			reply.hold()
			return
		}
		<-r.Context().Done()
	case Drops:
		out.send(half...)
		out.send(said[len(half)-1][:7])
		panic(http.ErrAbortHandler) // without the end of the body
	case CutOff:
		out.send(said...)
	case Malformed:
		out.send(half...)
		out.send(s.dialect.Broken())
		out.send(said[len(half):]...)
		out.send(end...)
	case FailsInside:
		out.send(half...)
		out.comment()
		out.send(s.dialect.Failed())
	default:
		out.send(said...)
		out.send(end...)
	}
}

// pieces splits the output into parts of a few bytes.
type pieces struct {
	w    http.ResponseWriter
	sent int
}

func (p *pieces) comment() { p.write(": keep-alive\n\n") }

func (p *pieces) send(events ...string) {
	for i, e := range events {
		if i%3 == 1 {
			p.comment()
		}
		p.write(e)
	}
}

func (p *pieces) write(text string) {
	for text != "" {
		p.sent++
		n := min(len(text), []int{1, 61, 7, 97, 3, 41}[p.sent%6])
		_, _ = io.WriteString(p.w, text[:n])
		if p.sent%3 == 0 {
			p.w.(http.Flusher).Flush()
		}
		text = text[n:]
	}
	p.w.(http.Flusher).Flush()
}

// parts splits a text into the pieces of a stream.
func parts(text string) (all []string) {
	runes := []rune(text)
	for i := 0; len(runes) > 0; i++ {
		n := min(len(runes), []int{1, 9, 4, 17}[i%4])
		all, runes = append(all, string(runes[:n])), runes[n:]
	}
	return all
}

// isName reports whether s is a valid name for tools and schemas.
func isName(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}
