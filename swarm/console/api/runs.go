package api

import (
	"encoding/json"
	"time"
)

// A Run is a journal in the server's directory.
type Run struct {
	Name    string     `json:"name"`
	Type    string     `json:"type" enum:"solves,rooms,other"`
	Team    string     `json:"team,omitempty"`
	Live    bool       `json:"live" doc:"This server writes it"`
	Writer  string     `json:"writer,omitempty" doc:"Another process that writes it"`
	Bytes   int64      `json:"bytes"`
	Changed *time.Time `json:"changed,omitempty"`
	Solves  *int       `json:"solves,omitempty" doc:"Absent from the list: the server has not read the journal"`
	Signals *int       `json:"signals,omitempty"`
	Problem string     `json:"problem,omitempty"`
}

// A ReplayCheck is the result of replaying the log of a run.
type ReplayCheck struct {
	Run        string      `json:"run"`
	Identical  bool        `json:"identical"`
	Signals    int         `json:"signals"`
	Conflicts  int         `json:"conflicts"`
	Decisions  int         `json:"decisions"`
	Outcomes   int         `json:"outcomes"`
	Difference *Difference `json:"difference,omitempty"`
	Problem    string      `json:"problem,omitempty" doc:"Why it cannot be derived"`
	Millis     float64     `json:"millis"`
}

// A Difference is the first position at which two logs, or a log and what is derived
// from it, differ.
type Difference struct {
	Seq    uint64 `json:"seq"`
	Thread string `json:"thread,omitempty"`
	What   string `json:"what"`
	A      string `json:"a" doc:"In the log, or in the first run"`
	B      string `json:"b" doc:"Derived, or in the second run"`
}

// A Verification is the result of checking the hashes of a run.
type Verification struct {
	Run     string        `json:"run"`
	Whole   bool          `json:"whole"`
	First   uint64        `json:"first"`
	Last    uint64        `json:"last"`
	Chain   string        `json:"chain" doc:"The last hash, in hexadecimal"`
	Torn    int64         `json:"torn,omitempty" doc:"Bytes of an incomplete record at the end"`
	Problem string        `json:"problem,omitempty"`
	Rooms   []RoomProof   `json:"rooms"`
	Calls   []CallReceipt `json:"calls,omitempty" doc:"With receipts: each call that a tool got, and what allowed it"`
	Millis  float64       `json:"millis"`
}

// A RoomProof is the result of verifying the events of a room.
type RoomProof struct {
	Room   string `json:"room" doc:"Empty: the keys"`
	Events int    `json:"events"`
	Head   string `json:"head"`
	Fault  string `json:"fault,omitempty"`
}

// A CallReceipt says what was sent to a tool, and what allowed it by the records before it.
type CallReceipt struct {
	Thread   string     `json:"thread"`
	Agent    string     `json:"agent"`
	Turn     int        `json:"turn"`
	Call     int        `json:"call" doc:"Within the turn, from 1"`
	Tool     string     `json:"tool"`
	Sent     string     `json:"sent" doc:"SHA-256 of the arguments, in hexadecimal"`
	Record   uint64     `json:"record" doc:"That says that the call begins"`
	Rule     string     `json:"rule"`
	Question string     `json:"question,omitempty" doc:"Whose answer allows the call; empty: the rule does"`
	By       string     `json:"by,omitempty"`
	Verdict  string     `json:"verdict,omitempty"`
	At       *time.Time `json:"at,omitempty"`
	Shown    string     `json:"shown,omitempty" doc:"SHA-256 of what was shown to whoever answered"`
	How      string     `json:"how,omitempty" doc:"The call ended; empty: no result is on record"`
	Problem  string     `json:"problem,omitempty" doc:"Why the records do not show that it was allowed"`
	Words    string     `json:"words" doc:"All of it on one line"`
}

// A Comparison compares two solves signal by signal.
type Comparison struct {
	A          Side        `json:"a"`
	B          Side        `json:"b"`
	Identical  bool        `json:"identical" doc:"But for ids and times"`
	Common     int         `json:"common" doc:"Signals that are equal, from the beginning"`
	Difference *Difference `json:"difference,omitempty" doc:"The first one"`
	Rows       []DiffRow   `json:"rows" doc:"The signals from the first difference on, at most 200"`
}

// A Side is one side of a comparison.
type Side struct {
	Solve   string  `json:"solve"`
	Task    string  `json:"task"`
	Stop    string  `json:"stop"`
	Answer  string  `json:"answer"`
	Signals int     `json:"signals"`
	Rounds  int     `json:"rounds"`
	Support float64 `json:"support"`
	Cost    Cost    `json:"cost"`
}

// A DiffRow is a signal of each side.
type DiffRow struct {
	A    *Said `json:"a,omitempty"`
	B    *Said `json:"b,omitempty"`
	Same bool  `json:"same"`
}

// Signals are a page of a log.
type Signals struct {
	Run     string            `json:"run"`
	Signals []json.RawMessage `json:"signals" doc:"As signals.Marshal writes them"`
	Next    uint64            `json:"next,omitempty" doc:"Position to go on after; absent: that is all"`
}
