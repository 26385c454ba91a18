package otel

import (
	"regexp"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/signals"
)

// redacted replaces a secret.
const redacted = "[redacted]"

// secretNames matches the end of the name of a secret: api_key,
// AWS_SECRET_ACCESS_KEY, sessionToken, "secret key".
const secretNames = `(?:password|passwd|passphrase|pwd|secret|token|(?:api|access|private|secret|signing|encryption|master)[-_ ]?key|credentials?|authorization|cookie)`

// space and start match white space and the beginning of a word, also where the
// text was escaped: in JSON in a text a line break is a backslash and an n.
const (
	space = `(?:\s|\\+[nrt])`
	start = `(?:\b|\\[nrt])`
)

// services matches the beginning of the keys of well-known services.
const services = `(?:` + start + `|_)(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abeoprs]|AKIA|ASIA|AIza|eyJ)[-_A-Za-z0-9.]`

var (
	// named matches what precedes a secret: its name, in quotes or not, and a
	// sign or a verb; or the scheme of an authorization.
	named = regexp.MustCompile(`(?i)` + secretNames + `\\*[*_"'\x60]*` +
		`(?:` + space + `*[:=]+>?[*_\x60]*` + space + `*|` + space + `+(?:is|was)\b` + space + `*:?` + space + `*)` +
		`(?:(?:basic|bearer|digest|token)` + space + `+)?|` + start + `bearer(?:` + space + `*:` + space + `*|` + space + `+)`)

	// field matches the path of a value that is a secret by its name.
	field = regexp.MustCompile(`(?i)` + secretNames + `(?:\.|$)`)

	// shaped matches secrets and personal data by their own form.
	shaped = []*regexp.Regexp{
		regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)`),
		regexp.MustCompile(services + `{12,}`),
		regexp.MustCompile(`:(?:\\*/){2}[^/\s"':]*:[^\s"']+@`),
		regexp.MustCompile(`[\w.+-]+@[\w-]+\.[\w.-]+`),
		// The beginning of any of these, where the rest was cut off.
		regexp.MustCompile(`(?:[^\s"',;…]*(?:[0-9@]|://)[^\s"',;…]*|[\w+/-]{16,}|` + services + `*)…`),
	}

	// long matches tokens, if there is a digit among the characters.
	long = regexp.MustCompile(`[A-Za-z0-9_+/-]{32,}={0,2}`)
)

// Redact returns the text without what looks like a secret, for
// [Options.Content]. It replaces:
//
//   - the whole text, if a part of the field's path ends with password, passwd,
//     passphrase, pwd, secret, token, credentials, authorization, cookie, or with
//     api, access, private, secret, signing, encryption or master and key;
//   - in any text, what follows such a name and ":", "=", "is" or "was": in quotes,
//     also escaped ones at any depth, up to the closing quote; otherwise up to a
//     space, quote, comma, semicolon or "&"; after Bearer, Basic, Digest or Token,
//     if one of them follows; a list or an object as a whole;
//   - what follows "Bearer" or "Bearer:";
//   - private keys in PEM; words that begin like the keys of well-known services
//     (sk-, ghp_, AKIA, eyJ and others); user and password of a URL; 32 or more
//     characters of base64, base64url or hex in a row, with a digit among them, and
//     so long paths and names with a digit, too; mail addresses;
//   - a word that ends with "…", as texts end that were cut, if it may be the
//     beginning of one of these: with a digit, "@" or "://" in it, or with 16 or
//     more characters.
//
// It finds them also where the text was quoted or put into JSON, so that a line
// break is a backslash and an n. It finds these forms and no others: not a secret
// that nothing announces ("try hunter2"), or that is announced in other words ("the
// password for the database, which Bob set, is hunter2"; "my passwords are a and
// b"; "password hunter2") or in another language; not the second word of a secret
// without quotes, the second pair of a cookie or the lines of a YAML block; not a
// short token of an unknown service; not names, telephone numbers and addresses of
// people. What must not be seen must not be recorded.
func Redact(_ signals.Kind, path, text string) string {
	if field.MatchString(path) && text != "" {
		return redacted
	}
	var found [][2]int
	for _, at := range named.FindAllStringIndex(text, -1) {
		found = append(found, value(text, at[1]))
	}
	for _, form := range shaped {
		for _, at := range form.FindAllStringIndex(text, -1) {
			found = append(found, [2]int{at[0], at[1]})
		}
	}
	for _, at := range long.FindAllStringIndex(text, -1) {
		if strings.ContainsAny(text[at[0]:at[1]], "0123456789") {
			found = append(found, [2]int{at[0], at[1]})
		}
	}
	return without(text, found)
}

// value returns the range of the value that begins at from, without its quotes.
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

// closing returns the position of the quote that closes the one at open, which
// has depth backslashes before it: the closing quote has as many, and a quote
// inside has more. If there is none, it returns the end of the text.
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

// backslashes returns the number of backslashes at the end of the text.
func backslashes(text string) int { return len(text) - len(strings.TrimRight(text, "\\")) }

// group returns the end of the list or object that begins at from, or the end of
// the text if nothing closes it.
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
	slices.SortFunc(found, func(a, b [2]int) int { return a[0] - b[0] })
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
