// Package risky does what a library should not.
package risky

import (
	"context"
	"crypto/tls"
	"log"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
	"unsafe"
)

var (
	mode    string
	mu      sync.Mutex
	guarded int
)

// SetMode changes how everyone's calls behave.
func SetMode(m string) { mode = m }

// Bump changes a global with a lock held.
func Bump() {
	mu.Lock()
	defer mu.Unlock()
	guarded++
}

// Parse ends the process if it cannot.
func Parse(s string) (string, error) {
	if s == "" {
		log.Fatal("empty")
	}
	return s + mode, nil
}

// Half panics on odd numbers.
func Half(n int) int {
	if n%2 != 0 {
		panic("odd")
	}
	return n / 2
}

// Third should say what it does on numbers that three does not divide.
func Third(n int) (int, error) {
	if rest := n % 3; rest != 0 {
		panic("not divisible")
	}
	return n / 3, nil
}

// Bits looks into memory.
func Bits(f float64) uint64 { return *(*uint64)(unsafe.Pointer(&f)) }

// Run runs anything.
func Run(program string) error { return exec.Command(program).Run() }

// Shell runs a line that someone else may have written.
func Shell(line string) error { return exec.Command("/bin/sh", "-c", line).Run() }

// Client trusts everyone.
func Client() *http.Client {
	config := &tls.Config{InsecureSkipVerify: true}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: config}}
}

// Open lets everyone write.
func Open(name string) error { return os.Chmod(name, 0o666) }

// Fetch waits for ever.
func Fetch(url string) (*http.Response, error) { return http.Get(url) }

// Wait cannot be stopped.
func Wait() { time.Sleep(time.Minute) }

// Start starts a context that its caller cannot cancel.
func Start() (context.Context, context.CancelFunc) {
	go strings.ToUpper(mode)
	return context.WithCancel(context.Background())
}
