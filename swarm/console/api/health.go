package api

import "time"

// Health is the state of the server.
type Health struct {
	OK      bool      `json:"ok"`
	Version string    `json:"version"`
	Demo    bool      `json:"demo"`
	Boot    string    `json:"boot" doc:"Changes when the server starts again"`
	Started time.Time `json:"started"`
	Now     time.Time `json:"now"`
	Jaeger  string    `json:"jaeger,omitempty"`

	Logs    []LogHealth `json:"logs"`
	Feed    FeedHealth  `json:"feed"`
	Memory  uint64      `json:"memory" doc:"Bytes of the heap"`
	Threads int         `json:"goroutines"`
}

// LogHealth is the bus and the journal of a run.
type LogHealth struct {
	Run       string   `json:"run"`
	Seq       uint64   `json:"seq" doc:"Of the newest signal that is shown"`
	Problem   string   `json:"problem,omitempty"`
	Published uint64   `json:"published" doc:"Signals since the server started"`
	Held      int      `json:"held"`
	Account   Account  `json:"account" doc:"Deliveries since the server started; of an office, the messages and mail that wait for agents"`
	Readers   []Reader `json:"readers"`

	Stream *StreamHealth `json:"stream,omitempty" doc:"Of a log on NATS servers"`
}

// StreamHealth is how this process and a log on servers are doing.
type StreamHealth struct {
	Name      string            `json:"name"`
	Connected bool              `json:"connected" doc:"There is a connection, and the log's servers answer"`
	Since     time.Time         `json:"since" doc:"From when it is connected, or not"`
	Problem   string            `json:"problem,omitempty" doc:"Why it is not connected"`
	Behind    *uint64           `json:"behind,omitempty" doc:"Messages of the stream that this process has not read yet; absent if the servers do not answer"`
	Dead      map[string]uint64 `json:"dead" doc:"Messages that are not in the log, by reason"`
	Retried   uint64            `json:"retried" doc:"Messages that were sent again"`
	Alarms    uint64            `json:"alarms" doc:"Differences from what other processes derived"`
	Compared  uint64            `json:"compared" doc:"Messages of other processes that were derived alike"`
}

// An Account counts the results of all deliveries: intended is the sum of the others.
type Account struct {
	Intended  uint64 `json:"intended"`
	Delivered uint64 `json:"delivered"`
	Filtered  uint64 `json:"filtered"`
	Pending   uint64 `json:"pending"`
	Dead      uint64 `json:"dead"`
	Balanced  bool   `json:"balanced"`
}

// A Reader is a subscription or a handler of a bus.
type Reader struct {
	Name    string  `json:"name"`
	Site    string  `json:"site" doc:"Where in the program it was made: package directory, file and line"`
	Pending uint64  `json:"pending"`
	Lag     string  `json:"lag,omitempty"`
	Slow    bool    `json:"slow"`
	Account Account `json:"account"`
}

// FeedHealth is the state of the feed's clients.
type FeedHealth struct {
	Clients []FeedClient `json:"clients"`
	Frames  uint64       `json:"frames" doc:"Sent so far"`
	Resyncs uint64       `json:"resyncs" doc:"How often a client was too slow"`
}

// A FeedClient is a reader of the feed.
type FeedClient struct {
	ID      string    `json:"id"`
	Type    string    `json:"type" enum:"sse,websocket"`
	Since   time.Time `json:"since"`
	Queue   int       `json:"queue" doc:"Frames that wait"`
	Sent    uint64    `json:"sent"`
	Resyncs uint64    `json:"resyncs"`
	Slow    bool      `json:"slow"`
	Filter  string    `json:"filter" doc:"In words"`
}

// A Session is the owner of a cookie.
type Session struct {
	Demo    bool   `json:"demo"`
	Version string `json:"version"`
	Boot    string `json:"boot"`
	User    string `json:"user" doc:"The name under which answers are given"`

	Reading []Reading `json:"reading,omitempty" doc:"Runs whose journals are still being read since the start: lists lack some of their solves"`
}

// Reading is how much of a journal has been read.
type Reading struct {
	Run   string  `json:"run"`
	Type  string  `json:"type" enum:"solves,rooms" doc:"What is missing until it has been read: older solves, or all rooms"`
	Share float64 `json:"share" doc:"0 to 1"`
}

// A Token is exchanged for a session.
type Token struct {
	Token string `json:"token" maxLength:"256"`
}
