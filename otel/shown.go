package otel

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"sync"

	"github.com/swarmbus/swarmbus/signals"
)

// identifier matches names as programs make them up. Anything else that an agent
// may choose, such as the id of a proposal, is treated as text. So is a name in
// other letters than ASCII: in some scripts a sentence has no spaces.
var identifier = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:/#+-]{0,63}$`)

// isIdentifier reports whether a name may be recorded without content.
func isIdentifier(name string) bool {
	return identifier.MatchString(name) && Redact("", "", name) == name
}

// maxNames is the number of names whose recorded form is remembered.
const maxNames = 1 << 12

// names holds the recorded forms of the latest names. The zero value is ready.
type names struct {
	mu     sync.RWMutex // protects latest
	latest *recent[string, string]
}

// show returns an identifier unchanged, and a digest of any other text.
func (all *names) show(name string) string {
	if as, known := all.find(name); known {
		return as
	}
	as := name
	if !isIdentifier(name) {
		sum := sha256.Sum256([]byte(name))
		as = "id-" + hex.EncodeToString(sum[:6])
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.latest == nil {
		all.latest = newRecent[string, string](maxNames)
	}
	all.latest.add(name, as)
	return as
}

func (all *names) find(name string) (as string, known bool) {
	all.mu.RLock()
	defer all.mu.RUnlock()
	if all.latest == nil {
		return "", false
	}
	as, known = all.latest.entries[name]
	return as, known
}

// name returns the recorded form of a name that an agent may choose. field is
// its name in the header on the wire.
func (o *Observer) name(field, name string) string {
	switch {
	case name == "":
		return ""
	case o.content != nil:
		return clip(o.content("", field, name))
	}
	return o.names.show(name)
}

// proposal returns the recorded form of the id of a proposal.
func (o *Observer) proposal(id string) string {
	if o.content != nil {
		return clip(o.content(signals.KindProposal, "proposalId", id))
	}
	return o.names.show(id)
}

// proposals returns the recorded forms of several ids, as many as one attribute
// lists.
func (o *Observer) proposals(all []string) []string {
	shown := make([]string, 0, min(len(all), maxMentions))
	for _, id := range all[:cap(shown)] {
		shown = append(shown, o.proposal(id))
	}
	return shown
}

// signal returns the recorded form of the id of a signal.
func (o *Observer) signal(id signals.ID) string {
	if id.Minted() {
		return id.String()
	}
	return o.name("id", id.String())
}

// kind returns the recorded form of a kind: kinds are part of span names and
// metric attributes, so what is not an identifier is "other".
func (o *Observer) kind(k signals.Kind) string {
	if !k.BuiltIn() && o.names.show(string(k)) != string(k) {
		return other
	}
	return string(k)
}
