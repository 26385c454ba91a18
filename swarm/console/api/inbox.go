package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// An Item is a question that waits for a person, or was answered.
type Item struct {
	ID    string    `json:"id"`
	Type  string    `json:"type" enum:"question,tool"`
	Solve string    `json:"solve"`
	Run   string    `json:"run"`
	Task  string    `json:"task"`
	Asks  string    `json:"asks" doc:"Who asks: an agent, or system for a conflict"`
	Seq   uint64    `json:"seq"`
	Since time.Time `json:"since"`
	Open  bool      `json:"open"`

	Priority int `json:"priority,omitempty" doc:"Above 0 what a worker calls urgent, below what can wait"`

	Reason  string   `json:"reason"`
	Context string   `json:"context,omitempty"`
	Options []Option `json:"options" doc:"Proposals that an answer may vote for"`
	Tool    *Call    `json:"tool,omitempty"`

	Expires *time.Time     `json:"expires,omitempty" doc:"When it is denied if nobody has answered"`
	Words   string         `json:"words,omitempty" doc:"The whole question as it is to be shown"`
	Schema  map[string]any `json:"schema,omitempty" doc:"JSON schema of an answer: an object of texts"`

	Answer *Answered `json:"answer,omitempty"`
}

// An Option is a proposal that an answer may vote for.
type Option struct {
	Proposal string   `json:"proposal"`
	Letter   string   `json:"letter"`
	Content  string   `json:"content"`
	Support  float64  `json:"support"`
	For      []string `json:"for" doc:"Voters"`
	Against  []string `json:"against"`
}

// A Call is the call of a tool that needs a permission.
type Call struct {
	ID      string          `json:"id,omitempty" doc:"Commits to the call: solve, agent, turn, tool, arguments, definition and rule. An answer counts for it and for nothing else"`
	Agent   string          `json:"agent"`
	Tool    string          `json:"tool"`
	Args    json.RawMessage `json:"args"`
	Why     string          `json:"why"`
	Detail  string          `json:"detail" doc:"All of the call, made from the bytes that the tool gets; to be shown instead of args"`
	Shown   string          `json:"shown,omitempty" doc:"SHA-256 of detail, with which an answer may say what was read"`
	Changed bool            `json:"changed" doc:"The tool is not what it was when it was allowed"`
	Solve   bool            `json:"solve" doc:"It can be allowed for the whole solve: one of verdicts"`
	Verdict []string        `json:"verdicts,omitempty" doc:"Those that it takes"`
}

// Answered is an answer that was given.
type Answered struct {
	By      string    `json:"by"`
	From    string    `json:"from,omitempty" enum:"person,agent,program" doc:"Of the call of a tool: what by is, by its token. Not there: a person, as the answer says"`
	Time    time.Time `json:"time"`
	Text    string    `json:"text,omitempty"`
	Vote    string    `json:"vote,omitempty" doc:"Proposal"`
	Stance  string    `json:"stance,omitempty"`
	Verdict string    `json:"verdict,omitempty" doc:"Of the call of a tool"`
	Args    string    `json:"args,omitempty" doc:"Of the verdict edit"`
	Seq     uint64    `json:"seq,omitempty"`
}

// An Answer answers a question: a text, a vote, or both.
type Answer struct {
	Text   string `json:"text,omitempty" maxLength:"65536"`
	Vote   string `json:"vote,omitempty" maxLength:"256" doc:"Id of a proposal"`
	Stance string `json:"stance,omitempty" enum:"agree,disagree,abstain" doc:"Default: agree"`
	By     string `json:"by,omitempty" maxLength:"64" doc:"Name of the person; must not be that of an agent"`
}

// A Verdict answers a question about the call of a tool.
type Verdict struct {
	Verdict string `json:"verdict" enum:"once,solve,deny,edit,respond,revoke" doc:"edit: with other args; respond: reason is the result; revoke: takes solve back"`
	Reason  string `json:"reason,omitempty" maxLength:"4096" doc:"Required to deny and to respond; the agent sees it"`
	Args    string `json:"args,omitempty" maxLength:"262144" doc:"With edit: all arguments, as JSON in a text: the bytes that the tool gets"`
	Shown   string `json:"shown,omitempty" maxLength:"64" doc:"That of the call that was read: refused if it reads otherwise"`
	By      string `json:"by,omitempty" maxLength:"64" doc:"Name of the person; must not be that of an agent"`
}

// A Reply is an answer in the form of [Item.Schema], as other protocols send it.
type Reply struct {
	Answer  string `json:"answer"`
	Vote    string `json:"vote"`
	Stance  string `json:"stance"`
	Verdict string `json:"verdict"`
	Reason  string `json:"reason"`
	Args    string `json:"args"`
}

// Reply gives an answer to the question with that id, and returns the question with the answer that
// counts: if it had one, that is the first, and nothing else happens.
func (b *Backend) Reply(ctx context.Context, id string, r Reply) (Item, error) {
	item, err := b.Inbox.Item(ctx, id)
	switch {
	case err != nil || item.Answer != nil:
		return item, err
	case item.Tool != nil:
		if !slices.Contains(item.Tool.Verdict, r.Verdict) {
			return item, NewError(http.StatusUnprocessableEntity, fmt.Sprintf("%.20q is no verdict: %s", r.Verdict, strings.Join(item.Tool.Verdict, ", ")))
		}
		item, err = b.Inbox.Decide(ctx, id, Verdict{Verdict: r.Verdict, Reason: r.Reason, Args: r.Args})
	default:
		item, err = b.Inbox.Answer(ctx, id, Answer{Text: r.Answer, Vote: r.Vote, Stance: r.Stance})
	}
	if first := (*Error)(nil); errors.As(err, &first) && first.Status == http.StatusConflict && first.Answered != nil {
		return b.Inbox.Item(ctx, id)
	}
	return item, err
}
