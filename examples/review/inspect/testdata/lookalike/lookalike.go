// Package lookalike is full of code that looks wrong and is not. No inspector
// may find anything in it.
package lookalike

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ErrGone is compared by its own Is method only.
var ErrGone = errors.New("lookalike: gone")

// Table is filled by init and never changed again.
var table map[string]int

func init() { table = map[string]int{"one": 1} }

// Lookup returns the number of a word.
func Lookup(word string) int { return table[word] }

// MustLookup is Lookup for words known to be there; it panics for others.
func MustLookup(word string) int {
	if n, ok := table[word]; ok {
		return n
	}
	panic("lookalike: no such word: " + word)
}

// Shadow calls a function that only looks like the predeclared one.
func Shadow() string {
	panic := func(s string) string { return s }
	return panic("calm")
}

// Rethrow hands on a panic that is not its own.
func Rethrow(f func()) {
	defer func() {
		if r := recover(); r != nil {
			panic(r)
		}
	}()
	f()
}

// Failure is an error with a code.
type Failure struct{ Code int }

func (f *Failure) Error() string { return fmt.Sprint("code ", f.Code) }

// Is compares by ==, which is where that belongs.
func (f *Failure) Is(target error) bool { return target == ErrGone }

// Read compares with io.EOF, which readers return bare.
func Read(r io.Reader) (string, error) {
	var text bytes.Buffer
	for buf := make([]byte, 8); ; {
		n, err := r.Read(buf)
		text.Write(buf[:n])
		fmt.Fprintf(&text, "")
		if err == io.EOF {
			return text.String(), nil
		}
		if err != nil {
			return "", fmt.Errorf("read: %w", err)
		}
	}
}

// Version runs a program that no variable chooses.
func Version(ctx context.Context, name string) ([]byte, error) {
	return exec.CommandContext(ctx, "git", "show", name).Output()
}

// A Queue hands out what was put in.
type Queue struct {
	mu    sync.Mutex
	items chan string
	done  chan struct{}
	wg    sync.WaitGroup
}

// NewQueue starts a queue; Close it.
func NewQueue() *Queue {
	q := &Queue{items: make(chan string, 8), done: make(chan struct{})}
	q.wg.Add(1)
	go q.loop()
	return q
}

func (q *Queue) loop() {
	defer q.wg.Done()
	<-q.done
}

// Offer puts s in if there is room. Its lock is held across a send that cannot
// block.
func (q *Queue) Offer(s string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case q.items <- s:
		return true
	default:
		return false
	}
}

// Take waits for an item until ctx ends. Its goroutine sends to a buffered
// channel and so ends whether or not someone reads.
func (q *Queue) Take(ctx context.Context) (string, error) {
	got := make(chan string, 1)
	go func() { got <- <-q.items }()
	select {
	case s := <-got:
		return s, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Ping asks f and hears what it says, or gives up waiting for it but hears it
// in the end.
func (q *Queue) Ping(ctx context.Context, f func() string) string {
	answer := make(chan string)
	go func() { answer <- f() }()
	select {
	case s := <-answer:
		return s
	case <-ctx.Done():
	}
	return <-answer
}

// Drain takes one item if there is any, and tells seen after its lock is
// released.
func (q *Queue) Drain(seen func(string)) {
	item := ""
	q.mu.Lock()
	select {
	case item = <-q.items:
	default:
	}
	q.mu.Unlock()
	seen(item)
	_, _ = strconv.Atoi(item)
}

// Close ends the queue and waits for its goroutine. What it calls with the lock
// held runs elsewhere.
func (q *Queue) Close(after func()) {
	q.lockAll()
	q.wg.Go(after)
	q.mu.Unlock()
	close(q.done)
	q.wg.Wait()
}

func (q *Queue) lockAll() { q.mu.Lock() }

// After waits with a timer and a context, not with a sleep.
func After(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// Shout formats an error's text, which is no decision.
func Shout(err error) string { return strings.ToUpper(err.Error()) }

// SetLoud sets a switch: a lone bool reads well.
func (q *Queue) SetLoud(loud bool) {
	if loud {
		q.Offer("loud")
	}
}

type shape interface{ area() float64 }

type square float64

func (s square) area() float64 { return float64(s * s) }

// Area reaches a method through an interface alone.
func Area(side float64) float64 {
	var s shape = square(side)
	return s.area()
}

// Set is a generic type with a method.
type Set[T comparable] map[T]bool

// Has says whether v is in the set.
func (s Set[T]) Has(v T) bool { return s[v] }
