package rooms_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/swarm/rooms"
)

// two is an office in which Reed, of one room, posts a message and Via is in another.
func two(t *testing.T, said string) (*house, *journal.Memory) {
	store := new(journal.Memory)
	return open(t, rooms.Options{Store: store, Agents: []rooms.Standing{
		{Agent: says("Reed", said), Rooms: []string{"ops"}}, {Agent: says("Via", "Noted."), Rooms: []string{"front"}},
	}}), store
}

func TestAMentionOfAnAgentInAnotherRoomIsPostedAndMailed(t *testing.T) {
	t.Parallel()
	h, store := two(t, "@via, order it.")
	h.say("ops", "Go")
	h.idle()
	diff(t, []string{"dialogue Reed normal 1 to : @via, order it."}, lines(of(logged(t, store, "ops"), "dialogue")))
	diff(t, []string{"mailbox Reed normal 1 §1 mail 1 to Via: @via, order it.", "dialogue Via normal 1 to : Noted."},
		lines(of(logged(t, store, "front"), "mailbox", "dialogue")))
	verified(t, store)
}

func TestTheUsersMentionOfAnAgentElsewhereIsMailed(t *testing.T) {
	t.Parallel()
	h, store := two(t, "<PASS>")
	got := h.say("ops", "@Via hello")
	h.idle()
	diff(t, []string{"Via"}, got.Queued)
	diff(t, []string{"user user urgent 0 to : @Via hello (default: user)"}, lines(of(logged(t, store, "ops"), "user", "pass")))
	diff(t, []string{"mailbox user urgent 0 §1 mail 1 to Via: @Via hello", "dialogue Via normal 1 to : Noted."},
		lines(of(logged(t, store, "front"), "mailbox", "dialogue")))
	verified(t, store)
	if _, err := rooms.Load(store); err != nil {
		t.Error(err)
	}
}

func TestAMentionOfAnUnknownNameIsReportedInTheRoom(t *testing.T) {
	t.Parallel()
	h, store := two(t, "@Nobody, mail reed@example.org about @types/node; @all, `@code`.")
	h.say("ops", "@Noone hello")
	h.idle()
	diff(t, []string{
		"user user urgent 0 to Reed: @Noone hello (default: user)", "system router background 0 refused: not queued for Noone: no such agent",
		"system router background 0 refused: not queued for Nobody: no such agent",
		"dialogue Reed normal 1 to : @Nobody, mail reed@example.org about @types/node; @all, `@code`.",
	}, lines(of(logged(t, store, "ops"), "user", "system", "dialogue"))[2:])
	verified(t, store)
}
