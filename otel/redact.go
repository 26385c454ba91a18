package otel

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/signals"
)

// redacted takes the place of a secret.
const redacted = "[redacted]"

// secretNames match what secrets are called, as the end of a name: api_key,
// AWS_SECRET_ACCESS_KEY, sessionToken.
const secretNames = `(?:password|passwd|passphrase|pwd|secret|token|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key|credentials?|authorization|cookie)`

var (
	// named matches what stands before a secret: its name, in quotes or not,
	// and a sign; or the scheme of an authorization.
	named = regexp.MustCompile(`(?i)` + secretNames + `\\*["']?\s*(?:[:=]+>?)\s*(?:(?:basic|bearer|digest|token)\s+)?|\bbearer\s+`)

	// field matches the path of a value that is a secret by its name.
	field = regexp.MustCompile(`(?i)` + secretNames + `(?:\.|$)`)

	// shaped matches what looks like a secret or a person's by itself: private
	// keys, keys and tokens by their usual beginnings, user and password in an
	// address, anything of 32 characters and more with a digit in it, and mail
	// addresses.
	shaped = []*regexp.Regexp{
		regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|$)`),
		regexp.MustCompile(`(?:\b|_)(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abeoprs]|AKIA|ASIA|AIza|eyJ)[-_A-Za-z0-9.]{12,}`),
		regexp.MustCompile(`://[^/\s:@]*:[^/\s]+@`),
		regexp.MustCompile(`[A-Za-z0-9_+/-]*[0-9][A-Za-z0-9_+/-]{31,}={0,2}|[A-Za-z0-9_+/-]{31,}[0-9][A-Za-z0-9_+/-]*={0,2}`),
		regexp.MustCompile(`[\w.+-]+@[\w-]+\.[\w.-]+`),
	}
)

// Redact returns the text without what looks like a secret, for
// [Options.Content]. It takes out:
//
//   - the whole text, where a part of the field's path ends like password,
//     passphrase, secret, token, apiKey, accessKey, privateKey, credentials,
//     authorization or cookie;
//   - in any text what follows such a name and ":" or "=": in quotes, also
//     escaped ones at any depth, up to the quote that closes them; otherwise up
//     to a space, quote, comma, semicolon or "&"; with Bearer, Basic, Digest or
//     Token before it or not; a list or an object up to its end;
//   - what follows "Bearer";
//   - private keys in PEM; words that begin like the keys of well-known services
//     (sk-, ghp_, AKIA, eyJ and others); user and password of a URL; 32 and more
//     letters and digits without a break, with a digit among them; mail addresses.
//
// It finds these forms and promises no more than that.
func Redact(_ signals.Kind, path, text string) string {
	if field.MatchString(path) && text != "" {
		return redacted
	}
	var found [][2]int
	// From behind each name on, so that a name in a secret's place does not
	// hide the secret behind it.
	for _, at := range named.FindAllStringIndex(text, -1) {
		found = append(found, value(text, at[1]))
	}
	for _, form := range shaped {
		for _, at := range form.FindAllStringIndex(text, -1) {
			found = append(found, [2]int{at[0], at[1]})
		}
	}
	return without(text, found)
}

// value returns where the value is that begins at from, without its quotes.
func value(text string, from int) [2]int {
	quote := from
	for quote < len(text) && text[quote] == '\\' {
		quote++
	}
	if quote == len(text) || !strings.ContainsRune(`"'`, rune(text[quote])) {
		if from < len(text) && strings.ContainsRune("[{", rune(text[from])) {
			return [2]int{from, group(text, from)}
		}
		if end := strings.IndexAny(text[from:], " \t\r\n\"',;&"); end >= 0 {
			return [2]int{from, from + end}
		}
		return [2]int{from, len(text)}
	}
	end := closing(text, quote, quote-from)
	return [2]int{quote + 1, end - backslashes(text[quote+1:end])}
}

// closing returns where the quote is that closes the one at open, which has so
// many backslashes before it. It has as many; a quote inside of it has more.
// If nothing closes it, that is the end of the text.
func closing(text string, open, depth int) int {
	slashes := 0
	for i := open + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			slashes++
			continue
		case text[i] == text[open] && slashes <= depth:
			return i
		}
		slashes = 0
	}
	return len(text)
}

// backslashes counts those that the text ends with.
func backslashes(text string) int { return len(text) - len(strings.TrimRight(text, "\\")) }

// group returns where the list or object ends that begins at from: with the
// text, if nothing closes it.
func group(text string, from int) int {
	depth := 0
	for i := from; i < len(text); i++ {
		switch text[i] {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\'':
			i = closing(text, i, backslashes(text[from:i]))
		}
	}
	return len(text)
}

// without returns the text with each run of the ranges replaced.
func without(text string, found [][2]int) string {
	slices.SortFunc(found, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], b[1]-a[1]) })
	var out strings.Builder
	end := 0
	for _, at := range found {
		if at[0] >= at[1] || at[1] <= end {
			continue
		}
		if at[0] >= end {
			out.WriteString(text[end:at[0]])
			out.WriteString(redacted)
		}
		end = at[1]
	}
	out.WriteString(text[end:])
	return out.String()
}
