package guard

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/internal/names"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// An Identity says in which headers an authenticating proxy says who asks. They are believed of the
// proxies of a [Site] alone. Nil: a proxy says nothing of it.
type Identity struct {
	User   string                `json:"user"`   // the header with the person's name
	Groups string                `json:"groups"` // that with the names of the person's groups, with commas between; "": none
	Roles  map[api.Role][]string `json:"roles"`  // groups that have a role, "user:NAME", or "*" for everybody; the greatest counts
}

// header is what the name of a header may be.
var header = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)

// Validate returns a [*signals.FieldError] for a header that can be none, or a role that is none.
func (i *Identity) Validate() error {
	if !header.MatchString(i.User) {
		return &signals.FieldError{Field: "identity.user", Value: text.Cut(i.User, 80), Problem: "not the name of a header, such as X-Forwarded-User"}
	}
	if i.Groups != "" && !header.MatchString(i.Groups) {
		return &signals.FieldError{Field: "identity.groups", Value: text.Cut(i.Groups, 80), Problem: "not the name of a header, such as X-Forwarded-Groups"}
	}
	for role := range i.Roles {
		if !slices.Contains(api.Roles(), role) {
			return &signals.FieldError{Field: "identity.roles", Value: text.Cut(string(role), 80), Problem: "not a role" + text.Suggest(role, api.Roles())}
		}
	}
	if len(i.Roles) == 0 {
		return &signals.FieldError{Field: "identity.roles", Value: "", Problem: `nobody has a role: reader: ["*"] lets everybody read`}
	}
	return nil
}

// relayedKey is the key, in the context of a request, of whether a trusted proxy sends it.
type relayedKey struct{}

func relayed(ctx context.Context, yes bool) context.Context {
	return context.WithValue(ctx, relayedKey{}, yes)
}

// person is what the name of a person may be: one that looks like no other when it is read.
var person = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9 ._@+-]{0,62}[A-Za-z0-9])?$`)

// of returns who sends a request, as a proxy says. A header that is there twice may be the client's.
func (i *Identity) of(r *http.Request) (who api.Who, ok bool) {
	if yes, _ := r.Context().Value(relayedKey{}).(bool); i == nil || !yes {
		return who, false
	}
	user := r.Header.Values(i.User)
	if len(user) != 1 || !person.MatchString(user[0]) || slices.ContainsFunc(reserved, func(of string) bool { return names.Alike(of, user[0]) }) {
		return who, false
	}
	in := []string{"*", "user:" + user[0]}
	if all := r.Header.Values(i.Groups); i.Groups != "" && len(all) == 1 {
		for group := range strings.SplitSeq(all[0], ",") {
			if group = strings.TrimSpace(group); group != "*" && !strings.HasPrefix(group, "user:") {
				in = append(in, group)
			}
		}
	}
	who.Name = user[0]
	for _, role := range api.Roles() {
		if slices.ContainsFunc(i.Roles[role], func(of string) bool { return slices.Contains(in, of) }) {
			who.Role = role
		}
	}
	return who, true
}
