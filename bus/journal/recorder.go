package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"unicode/utf8"
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

// check refuses a key that JSON would change, so that it would not be found
// again, or would be another's.
func (k Key) check() error {
	for name, text := range map[string]string{"thread": k.Thread, "agent": k.Agent, "request": k.Request} {
		if !utf8.ValidString(text) {
			return &RecordError{"key's " + name, fmt.Sprintf("%.40q", text), "not UTF-8; HashRequest makes a hash that is"}
		}
	}
	return nil
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

// Results are the recorded results of a journal. They make no calls. Of several
// results of one call, which two recorders at once may have made, the first
// counts.
type Results struct {
	from Reader

	mu     sync.Mutex // protects the fields below
	begun  bool       // the journal has been read
	at     map[Key]uint64
	places map[Key]string // request by place
	read   uint64         // the records up to here are entered, or dropped
}

func newResults(from Reader) *Results {
	return &Results{from: from, at: map[Key]uint64{}, places: map[Key]string{}}
}

// ReadResults returns the results in a journal.
func ReadResults(from Reader) (*Results, error) {
	r := newResults(from)
	if err := r.update(); err != nil {
		return nil, err
	}
	return r, nil
}

// begin reads the journal unless that was done.
func (r *Results) begin() error {
	r.mu.Lock()
	begun := r.begun
	r.mu.Unlock()
	if begun {
		return nil
	}
	return r.update()
}

// update enters the results that were recorded since the last update, by
// whomever, and removes those that were dropped.
func (r *Results) update() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		snapshot, err := r.from.Snapshot()
		if err != nil {
			return err
		}
		maps.DeleteFunc(r.at, func(_ Key, seq uint64) bool { return seq <= snapshot.Through })
		r.read = max(r.read, snapshot.Through)
		err = r.enterLocked()
		if dropped := (*DroppedError)(nil); !errors.As(err, &dropped) {
			r.begun = err == nil
			return err
		}
	}
}

func (r *Results) enterLocked() error {
	for record, err := range r.from.Read(r.read) {
		if err != nil {
			return err
		}
		if record.Type == TypeResult {
			key, err := record.key()
			if err != nil {
				return err
			}
			if _, twice := r.at[key]; !twice {
				r.at[key], r.places[key.place()] = record.Seq, key.Request
			}
		}
		r.read = record.Seq
	}
	return nil
}

// key returns the key of a result's record.
func (r *Record) key() (k Key, err error) {
	if r.Type != TypeResult {
		return k, &RecordError{"type", fmt.Sprint(r.Type), "not that of a result"}
	}
	if err := json.Unmarshal(r.Head, &k); err != nil {
		return k, fmt.Errorf("journal: record %d: %w", r.Seq, err)
	}
	return k, nil
}

// find returns the record of a result; 0: there is none.
func (r *Results) find(k Key) (seq uint64, other string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if other = r.places[k.place()]; other == k.Request {
		other = "" // dropped
	}
	return r.at[k], other
}

// Get returns the recorded result, or a [*MissError], also if the result was
// dropped.
func (r *Results) Get(k Key) ([]byte, error) {
	if err := r.begin(); err != nil {
		return nil, err
	}
	seq, other := r.find(k)
	if seq == 0 {
		return nil, &MissError{k, other}
	}
	for record, err := range r.from.Read(seq - 1) {
		if dropped := (*DroppedError)(nil); errors.As(err, &dropped) {
			break
		}
		return record.Body, err
	}
	return nil, &MissError{Key: k}
}

// Len returns the number of results, as far as the journal can be read.
func (r *Results) Len() int {
	_ = r.begin() // [Results.Get] returns it
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
	running map[Key]*turn
}

// A turn is held by one of the callers of a key.
type turn struct {
	held    chan struct{} // of capacity 1
	callers int
}

// NewRecorder returns a recorder that knows the results in a journal and
// appends to it. It returns the error of a journal that has no snapshot, and reads
// no record: the first call does, and calls meanwhile wait for that. So a program
// with a long journal starts at once.
func NewRecorder(s Store) (*Recorder, error) {
	if _, err := s.Snapshot(); err != nil {
		return nil, err
	}
	return &Recorder{store: s, results: newResults(s), running: map[Key]*turn{}}, nil
}

// Do returns the recorded result, or makes the call and returns its result once
// the journal has acknowledged it. An error of the call is returned but not
// recorded: to have failures replayed, return them as results. Concurrent calls
// with the same key are made once. Another recorder of the same journal may make
// a call at the same time; both then return the result that was recorded first.
// A call whose result was dropped is made again. A key that is not UTF-8 is
// refused with a [*RecordError].
func (r *Recorder) Do(ctx context.Context, k Key, call func(context.Context) ([]byte, error)) ([]byte, error) {
	if err := k.check(); err != nil {
		return nil, err
	}
	done, err := r.takeTurn(ctx, k)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := r.results.update(); err != nil {
		return nil, err
	}
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
	if err := r.results.update(); err != nil {
		return nil, err
	}
	if first, _ := r.results.find(k); first != 0 && first < seq {
		return r.results.Get(k)
	}
	return result, nil
}

// takeTurn waits until no one else makes the call.
func (r *Recorder) takeTurn(ctx context.Context, k Key) (done func(), err error) {
	r.mu.Lock()
	t := r.running[k]
	if t == nil {
		t = &turn{held: make(chan struct{}, 1)}
		r.running[k] = t
	}
	t.callers++
	r.mu.Unlock()
	leave := func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if t.callers--; t.callers == 0 {
			delete(r.running, k)
		}
	}
	select {
	case t.held <- struct{}{}:
		return func() { <-t.held; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, context.Cause(ctx)
	}
}

// Results returns the recorded results.
func (r *Recorder) Results() *Results { return r.results }
