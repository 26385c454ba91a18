package teams

import (
	"bytes"
	"regexp"

	"github.com/swarmbus/swarmbus/internal/yamlfile"
)

// secrets are the forms of keys, tokens and passwords that begin in a known way.
var secrets = regexp.MustCompile(`(?:` +
	`\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}` + // OpenAI, Anthropic, OpenRouter, Stripe
	`|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}` +
	`|\bxox[abeprs]-[A-Za-z0-9-]{10,}|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[A-Za-z0-9_-]{30,}` +
	`|\b(?:hf|npm|gsk|xai|pplx|r8)[_-][A-Za-z0-9]{20,}|\bya29\.[A-Za-z0-9_-]{20,}` +
	`|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}` + // JSON web tokens
	`|-----BEGIN [A-Z ]*PRIVATE KEY` +
	`|(?i:\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/-]{16,}` +
	`|://[^/\s@]+@` + // user names and passwords in URLs
	`)`)

// runs are the long words in which a key of any other form would be.
var runs = regexp.MustCompile(`[A-Za-z0-9]{20,}`)

// findSecrets adds a fault for each thing in the text that looks like a secret, without
// showing it.
func findSecrets(f *yamlfile.File, text []byte) {
	found := secrets.FindAllIndex(text, -1)
	for _, at := range runs.FindAllIndex(text, -1) {
		if looksRandom(text[at[0]:at[1]]) && !bytes.HasSuffix(text[:at[0]], []byte("sha256:")) {
			found = append(found, at)
		}
	}
	for _, at := range found {
		before := text[:at[0]]
		f.AddAt(1+bytes.Count(before, []byte("\n")), at[0]-bytes.LastIndexByte(before, '\n'), "this looks like a key or a secret, which a team must not have: name the environment variable that has it")
	}
}

// looksRandom reports whether a word is hexadecimal of at least 128 bits, or has capitals, small
// letters and digits in turn.
func looksRandom(word []byte) bool {
	capitals, small, digits, turns, hex := 0, 0, 0, 0, 0
	for i, c := range word {
		isDigit := c >= '0' && c <= '9'
		switch {
		case isDigit:
			digits++
		case c >= 'a' && c <= 'z':
			small++
		default:
			capitals++
		}
		if isDigit || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' {
			hex++
		}
		if i > 0 && isDigit != (word[i-1] >= '0' && word[i-1] <= '9') {
			turns++
		}
	}
	return hex == len(word) && len(word) >= 32 && digits < len(word) || capitals > 0 && small > 0 && turns >= 3
}
