package otel

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/swarmbus/swarmbus/signals"
)

// maxIDs is how many ids of proposals are remembered.
const maxIDs = 1 << 12

// identifier matches what programs make up as an id. Everything else may be
// what an agent says.
var identifier = regexp.MustCompile(`^[\pL\pN_][\pL\pN_.:/#+-]{0,63}$`)

// ids are proposals' ids as they are recorded where content is not. The zero
// value is ready.
type ids struct {
	mu     sync.RWMutex            // protects the fields below
	shown  *recent[string, string] // by id
	hidden *recent[string, string] // those of them that are recorded as something else
}

// show returns an identifier as it is, and of any other text a digest.
func (all *ids) show(id string) string {
	all.mu.RLock()
	if all.shown != nil {
		if as, known := all.shown.entries[id]; known {
			all.mu.RUnlock()
			return as
		}
	}
	all.mu.RUnlock()
	as := id
	if !identifier.MatchString(id) || Redact("", "", id) != id {
		sum := sha256.Sum256([]byte(id))
		as = "id-" + hex.EncodeToString(sum[:6])
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.shown == nil {
		all.shown, all.hidden = newRecent[string, string](maxIDs), newRecent[string, string](maxIDs)
	}
	all.shown.add(id, as)
	if as != id {
		all.hidden.add(id, as)
	}
	return as
}

// quote returns a text of the system's with the ids in it as they are
// recorded, also where it has them in quotes.
func (all *ids) quote(text string) string {
	all.mu.RLock()
	defer all.mu.RUnlock()
	if all.hidden == nil || len(all.hidden.entries) == 0 {
		return text
	}
	var longest []string
	for id := range all.hidden.entries {
		longest = append(longest, id)
	}
	// A longer one first: it may hold a shorter one.
	slices.SortFunc(longest, func(a, b string) int { return len(b) - len(a) })
	for _, id := range longest {
		as := all.hidden.entries[id]
		text = strings.ReplaceAll(text, strconv.Quote(id), strconv.Quote(as))
		text = strings.ReplaceAll(text, id, as)
	}
	return text
}

// id returns a proposal's id as it may be recorded: agents choose it.
func (o *Observer) id(id string) string {
	if o.content != nil {
		return clip(o.content(signals.KindProposal, "proposalId", id))
	}
	return o.ids.show(id)
}

// idsOf is id of several, as many as one attribute lists.
func (o *Observer) idsOf(all []string) []string {
	shown := make([]string, 0, min(len(all), maxMentions))
	for _, id := range all[:cap(shown)] {
		shown = append(shown, o.id(id))
	}
	return shown
}

// system returns a text that the system made of names and numbers, and of ids
// that this observer has seen.
func (o *Observer) system(text string) string {
	if o.content != nil {
		return clip(o.content("", "reason", text))
	}
	return clip(o.ids.quote(text))
}
