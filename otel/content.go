package otel

import (
	"encoding/json"
	"regexp"
	"unicode/utf8"

	"github.com/swarmbus/swarmbus/signals"
)

// maxContent is how much of one text is recorded, in bytes.
const maxContent = 4096

// capture returns what of a signal's content may be recorded.
func (o *Observer) capture(s signals.Any) string {
	text, err := json.Marshal(s.Body())
	if err != nil {
		return ""
	}
	return clip(o.content(s.Kind(), string(text)))
}

func clip(text string) string {
	if len(text) <= maxContent {
		return text
	}
	end := maxContent
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// secret matches what looks like a secret or a person's: keys and tokens by
// their usual beginnings, anything long without a break that has a digit in
// it, passwords in addresses, and mail addresses.
var secret = regexp.MustCompile(`(?i)` +
	`\b(?:sk|pk|ghp|gho|xox[abp]|AKIA|AIza|eyJ)[-_A-Za-z0-9.]{12,}` +
	`|\bbearer\s+\S+` +
	`|(?:password|passwd|secret|token|api[-_]?key)["']?\s*[:=]\s*["']?[^\s"',;]+` +
	`|://[^/\s:@]+:[^/\s@]+@` +
	`|\b[A-Za-z0-9_+/-]*[0-9][A-Za-z0-9_+/-]{31,}={0,2}` +
	`|\b[\w.+-]+@[\w-]+\.[\w.-]+`)

// Redact returns the text without what looks like keys, tokens, passwords and
// mail addresses, for [Options.Content]. It finds the usual forms and promises
// no more than that.
func Redact(_ signals.Kind, text string) string {
	return secret.ReplaceAllString(text, "[redacted]")
}
