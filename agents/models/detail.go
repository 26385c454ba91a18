package models

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"github.com/swarmbus/swarmbus/internal/text"
)

// Detail prepares a text for [Error].Detail: it removes the secrets and cuts the
// text. Adapters pass their keys, because some servers send them back. A secret of
// eight bytes or more is also found as URLs escape it, in base64, inside of something
// longer too, and in hexadecimal digits.
func Detail(s string, secrets ...string) string {
	for _, secret := range secrets {
		if secret == "" {
			continue
		}
		if s = strings.ReplaceAll(s, secret, hidden); len(secret) >= encodedFrom {
			s = forms(secret).ReplaceAllLiteralString(s, hidden)
		}
	}
	return text.Cut(s, 500)
}

const (
	hidden      = "[secret]"
	encodedFrom = 8 // bytes: the encodings of shorter secrets are in other texts
)

// forms matches the encodings of a secret.
func forms(secret string) *regexp.Regexp {
	var escaped strings.Builder // any of its bytes may be
	for i := range len(secret) {
		fmt.Fprintf(&escaped, "(?:%s|%%(?i:%02x))", regexp.QuoteMeta(secret[i:i+1]), secret[i])
	}
	all := []string{escaped.String(), "(?i:" + hex.EncodeToString([]byte(secret)) + ")"}
	for before := range 3 {
		all = append(all, inBase64(secret, before))
	}
	return regexp.MustCompile(strings.Join(all, "|"))
}

// inBase64 matches a secret in base64 behind so many bytes of something else, without
// the digits that have bits of that, or of what comes after it.
func inBase64(secret string, before int) string {
	digits := base64.RawStdEncoding.EncodeToString(append(make([]byte, before), secret...))
	digits = digits[(8*before+5)/6:]
	if (before+len(secret))%3 != 0 {
		digits = digits[:len(digits)-1]
	}
	digits = strings.NewReplacer("+", "[-+]", "/", "[_/]").Replace(digits)
	return digits + "[A-Za-z0-9+/_-]?=*"
}
