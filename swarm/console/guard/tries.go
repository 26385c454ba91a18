package guard

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	burst     = 10   // wrong tokens of an address at once
	addresses = 4096 // that are remembered
)

// perMinute is how many wrong tokens an address has.
var perMinute = rate.Every(time.Minute / burst)

// tries counts wrong tokens by address.
type tries struct {
	mu  sync.Mutex // protects the field below
	all map[string]*rate.Limiter
}

func newTries() *tries { return &tries{all: map[string]*rate.Limiter{}} }

// may reports whether an address may try.
func (t *tries) may(address string, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.all[address]
	return l == nil || l.TokensAt(now) >= 1
}

// wrong counts a wrong token.
func (t *tries) wrong(address string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.all[address]
	if l == nil {
		if len(t.all) >= addresses {
			t.forget(now)
		}
		l = rate.NewLimiter(perMinute, burst)
		t.all[address] = l
	}
	l.AllowN(now, 1)
}

// forget forgets the addresses that have all their tries again; if there are none, all.
func (t *tries) forget(now time.Time) {
	for address, l := range t.all {
		if l.TokensAt(now) >= burst {
			delete(t.all, address)
		}
	}
	if len(t.all) >= addresses {
		clear(t.all)
	}
}
