package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// A Key identifies one recorded call: of a model, of a tool, of anything that
// is expensive or nondeterministic.
type Key struct {
	Thread  string `json:"thread"`
	Agent   string `json:"agent"`
	Turn    int    `json:"turn"`
	Call    int    `json:"call"`    // within the turn
	Request string `json:"request"` // a hash of everything that the result depends on: see [HashRequest]
}

// HashRequest returns the hash of a request, for [Key].Request.
func HashRequest(request []byte) string {
	sum := sha256.Sum256(request)
	return hex.EncodeToString(sum[:])
}

func (k Key) String() string {
	return fmt.Sprintf("call %d of turn %d of %s in %s (request %.12s)", k.Call, k.Turn, k.Agent, k.Thread, k.Request)
}

// place returns the key without the request.
func (k Key) place() Key {
	k.Request = ""
	return k
}

// A MissError is returned for a call that was not recorded.
type MissError struct {
	Key   Key
	Other string // the request recorded in its place; "" if none
}

func (e *MissError) Error() string {
	if e.Other != "" {
		return fmt.Sprintf("journal: %v is not recorded: the request was another, %.12s", e.Key, e.Other)
	}
	return fmt.Sprintf("journal: %v is not recorded", e.Key)
}

// Results are the recorded results of a journal. They make no calls.
type Results struct {
	from Reader

	mu     sync.Mutex // protects the fields below
	at     map[Key]uint64
	places map[Key]string // request by place
}

// ReadResults returns the results in a journal. A key recorded twice is an
// error.
func ReadResults(from Reader) (*Results, error) {
	r := &Results{from: from, at: map[Key]uint64{}, places: map[Key]string{}}
	snapshot, err := from.Snapshot()
	if err != nil {
		return nil, err
	}
	for record, err := range from.Read(snapshot.Through) {
		switch {
		case err != nil:
			return nil, err
		case record.Type != TypeResult:
			continue
		}
		key, err := record.Key()
		if err != nil {
			return nil, err
		}
		if first, twice := r.at[key]; twice {
			return nil, fmt.Errorf("journal: records %d and %d are both %v", first, record.Seq, key)
		}
		r.enter(key, record.Seq)
	}
	return r, nil
}

// Key returns the key of a result's record.
func (r *Record) Key() (k Key, err error) {
	if r.Type != TypeResult {
		return k, &RecordError{"type", fmt.Sprint(r.Type), "not that of a result"}
	}
	if err := json.Unmarshal(r.Head, &k); err != nil {
		return k, fmt.Errorf("journal: record %d: %w", r.Seq, err)
	}
	return k, nil
}

func (r *Results) enter(k Key, seq uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at[k], r.places[k.place()] = seq, k.Request
}

// Get returns the recorded result, or a [*MissError].
func (r *Results) Get(k Key) ([]byte, error) {
	r.mu.Lock()
	seq, ok := r.at[k]
	other := r.places[k.place()]
	r.mu.Unlock()
	if !ok {
		return nil, &MissError{k, other}
	}
	for record, err := range r.from.Read(seq - 1) {
		return record.Body, err
	}
	return nil, &MissError{Key: k}
}

// Len returns the number of results.
func (r *Results) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.at)
}

// Do implements [Caller] by Get, and never makes the call.
func (r *Results) Do(_ context.Context, k Key, _ func(context.Context) ([]byte, error)) ([]byte, error) {
	return r.Get(k)
}

// A Caller makes calls whose results are recorded, or replays them: a
// [*Recorder] or [*Results].
type Caller interface {
	// Do returns the result of a call. It may be called concurrently.
	Do(ctx context.Context, k Key, call func(context.Context) ([]byte, error)) ([]byte, error)
}

var _, _ Caller = (*Recorder)(nil), (*Results)(nil)

// A Recorder makes each call once, however often the program is started:
// recorded calls are not made again.
type Recorder struct {
	store   Store
	results *Results

	mu      sync.Mutex // protects the field below
	running map[Key]*sync.Mutex
}

// NewRecorder returns a recorder that knows the results in a journal and
// appends to it.
func NewRecorder(s Store) (*Recorder, error) {
	results, err := ReadResults(s)
	if err != nil {
		return nil, err
	}
	return &Recorder{store: s, results: results, running: map[Key]*sync.Mutex{}}, nil
}

// Do returns the recorded result, or makes the call and returns its result once
// the journal has acknowledged it. An error of the call is returned but not
// recorded: to have failures replayed, return them as results. Concurrent calls
// with the same key are made once.
func (r *Recorder) Do(ctx context.Context, k Key, call func(context.Context) ([]byte, error)) ([]byte, error) {
	turn := r.turn(k)
	turn.Lock()
	defer turn.Unlock()
	result, err := r.results.Get(k)
	if miss := (*MissError)(nil); !errors.As(err, &miss) {
		return result, err
	}
	if result, err = call(ctx); err != nil {
		return nil, err
	}
	head, err := json.Marshal(k)
	if err != nil {
		return nil, err
	}
	seq, err := r.store.Append(Record{Type: TypeResult, Head: head, Body: result})
	if err != nil {
		return nil, err
	}
	r.results.enter(k, seq)
	r.mu.Lock()
	delete(r.running, k)
	r.mu.Unlock()
	return result, nil
}

func (r *Recorder) turn(k Key) *sync.Mutex {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.running[k]
	if m == nil {
		m = new(sync.Mutex)
		r.running[k] = m
	}
	return m
}

// Results returns the recorded results.
func (r *Recorder) Results() *Results { return r.results }
