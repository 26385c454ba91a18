package office

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

// A script is an agent without a model.
type script []line

// React follows the first line that matches the turn's message.
func (all script) React(ctx context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
	line, about := all.find(t)
	if line == nil {
		return agents.Emit(agents.Pass("no line of the script is about it"))
	}
	if line.Fail != "" && !failedBefore(t, about) {
		return agents.Fail(errors.New(line.Fail))
	}
	ix, err := line.call(ctx, about)
	if err != nil {
		return agents.Fail(err)
	}
	content := strings.NewReplacer("{message}", words(about), "{section}", fmt.Sprintf("§%d", ix)).Replace(line.Say)
	if err := line.think(ctx, content); err != nil {
		return agents.Fail(err)
	}
	if content == "" {
		return agents.Emit(agents.Pass("the line says nothing"))
	}
	said := rooms.Say{Content: content, To: line.To, Subject: line.Subject}
	said.Priority, _ = line.priority() // checked with the file
	return agents.Emit(signals.New(signals.Header{Confidence: 1}, said))
}

// find returns the first line that matches one of the new signals, and that signal.
func (all script) find(t *agents.Turn) (*line, signals.Any) {
	for i := range all {
		for _, s := range t.New {
			if all[i].matches(words(s)) {
				return &all[i], s
			}
		}
	}
	return nil, nil
}

func (l *line) matches(text string) bool {
	has := wordsOf(text)
	for _, word := range wordsOf(l.When) {
		if !slices.Contains(has, word) {
			return false
		}
	}
	return true
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// words returns the text of a message.
func words(s signals.Any) string {
	switch b := s.Body().(type) {
	case events.User:
		return b.Content
	case events.Dialogue:
		return b.Content
	case events.Mailbox:
		return b.Subject + "\n" + b.Body
	}
	return ""
}

// failedBefore reports whether the agent has failed since a message.
func failedBefore(t *agents.Turn, message signals.Any) bool {
	for _, s := range t.Heard {
		b, ok := s.Body().(events.System)
		if ok && b.What == events.Faulted && b.Agent == t.Agent && s.Head().Seq > message.Head().Seq {
			return true
		}
	}
	return false
}

// call calls the line's tool, and returns the section of the call, or of the mail that the
// line is about; 0: there is neither.
func (l *line) call(ctx context.Context, about signals.Any) (ix int, err error) {
	if l.Call == nil {
		mail, _ := about.Body().(events.Mailbox)
		return mail.Ix, nil
	}
	called, err := rooms.Of(ctx).Call(ctx, rooms.Call{Tool: l.Call.Tool, Args: l.Call.Args, Label: l.Call.Label, Repeats: true}, func(ctx context.Context) (string, error) {
		if err := l.wait(ctx); err != nil {
			return "", err
		}
		return l.Call.run(ctx)
	})
	return called.Ix, err
}

// think shows the line's text word by word, and takes its time, unless its call took it.
func (l *line) think(ctx context.Context, content string) error {
	room := rooms.Of(ctx)
	for word := range strings.SplitAfterSeq(content, " ") {
		if l.saysHere(room) {
			room.Write(word)
		}
	}
	if l.Call != nil {
		return nil
	}
	return l.wait(ctx)
}

// wait takes the line's time.
func (l *line) wait(ctx context.Context) error {
	if l.Takes <= 0 {
		return nil
	}
	select {
	case <-time.After(l.Takes):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// saysHere reports whether the line's message is for the room, and not only mail.
func (l *line) saysHere(room *rooms.Turn) bool {
	return len(l.To) == 0 || slices.ContainsFunc(l.To, func(name string) bool { return slices.Contains(room.Members(), name) })
}

func (c *call) run(context.Context) (string, error) {
	if c.Error != "" {
		return "", errors.New(c.Error)
	}
	return c.Result, nil
}
