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

// Key is the key that servers take. No other is taken.
const Key = "sk-test-0123456789abcdef"

// Name is the model that servers have. No other is found.
const Name = "large"

// A Reply is what a server answers to one request.
type Reply struct {
	Text   string
	Calls  []models.Call
	Finish models.Finish // "": calls if there are some, else stop
	Usage  models.Usage

	Fault      Fault
	Status     int    // that it is refused with; 0: it is not
	RetryAfter string // the header, with a status
}

// A Fault is how an answer goes wrong.
type Fault int

// The faults.
const (
	Whole         Fault = iota // not at all
	Stalls                     // it stops in the middle, and the connection stays
	Drops                      // the connection breaks in the middle
	CutOff                     // the response ends in the middle, as if it were whole
	Malformed                  // a part of it is no JSON
	HalfCall                   // it ends in the middle of a call's arguments, as if they were whole
	FailsInside                // an error comes in the middle
	CountsNothing              // it has no usage
)

// A Dialect is a protocol.
type Dialect interface {
	// Read reads a request and refuses what the provider refuses, with a [*Refusal].
	Read(r *http.Request) (*models.Request, error)
	// Refuse writes what the provider says in place of an answer.
	Refuse(w http.ResponseWriter, status int, message string)
	// Events are the events of an answer: those in which it is said, then those
	// that end it. Each is whole, with its empty line.
	Events(r *Reply) (said, end []string)
	// Broken is an event that is no JSON, and Failed one with an error.
	Broken() string
	Failed() string
}

// A Refusal is why a request is refused.
type Refusal struct {
	Status  int
	Message string
}

func (r *Refusal) Error() string { return fmt.Sprintf("%d: %s", r.Status, r.Message) }

func refuse(status int, format string, args ...any) error {
	return &Refusal{status, fmt.Sprintf(format, args...)}
}

// A Server speaks a protocol on a port of its own.
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

// NewServer starts a server that answers what reply says: it is called for each
// request that the provider would take, at once, with their number from 1. Close
// it.
func NewServer(d Dialect, reply func(n int, r *models.Request) Reply) *Server {
	s := &Server{dialect: d, reply: reply}
	s.server = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.server.URL
	return s
}

// Handler is what a [Server] answers with, for a server of one's own.
func Handler(d Dialect, reply func(n int, r *models.Request) Reply) http.Handler {
	return http.HandlerFunc((&Server{dialect: d, reply: reply}).serve)
}

// Close ends the server and what it is still answering.
func (s *Server) Close() {
	s.server.CloseClientConnections()
	s.server.Close()
}

// Requests returns the requests that were taken, in the order in which they came.
func (s *Server) Requests() []*models.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*models.Request(nil), s.requests...)
}

// Refused returns why requests were refused that the provider would not take.
func (s *Server) Refused() []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]error(nil), s.refused...)
}

// Times returns when requests came, also those that were refused.
func (s *Server) Times() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]time.Time(nil), s.at...)
}

// Spent returns what the provider would charge for: all that it answered, also
// what the client did not wait for.
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
		refusal := &Refusal{Status: http.StatusBadRequest, Message: err.Error()}
		errors.As(err, &refusal)
		s.dialect.Refuse(w, refusal.Status, refusal.Message)
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

// pieces cuts what is sent into parts of a few bytes.
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

// parts cuts a text into what a stream has of it at once.
func parts(text string) (all []string) {
	runes := []rune(text)
	for i := 0; len(runes) > 0; i++ {
		n := min(len(runes), []int{1, 9, 4, 17}[i%4])
		all, runes = append(all, string(runes[:n])), runes[n:]
	}
	return all
}

// isName reports whether tools and schemas may have that name.
func isName(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}
