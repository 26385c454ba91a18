package natsbus

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/internal/text"
)

// ReadKeys reads [Options].Keys from a file that has on each line the name of a source and a public
// key in base64, as swarmbus keys prints them. A name may have several lines, and contain blanks;
// what follows a # is a comment. A file without a key, or with another line, is an error that wraps
// [ErrOption] and names the line.
func ReadKeys(file string) (map[string][]ed25519.PublicKey, error) {
	text, err := text.ReadFile(file, 1<<20)
	if err != nil {
		return nil, err
	}
	all, number := map[string][]ed25519.PublicKey{}, 0
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if number++; len(words) == 0 {
			continue
		}
		name := strings.Join(words[:len(words)-1], " ")
		key, err := base64.StdEncoding.DecodeString(words[len(words)-1])
		if err != nil || len(key) != ed25519.PublicKeySize || name == "" {
			return nil, fmt.Errorf("%w: Keys: %s:%d: not a name and a public key, as swarmbus keys prints them", ErrOption, file, number)
		}
		all[name] = append(all[name], key)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: Keys: %s has no key: nobody would be heard", ErrOption, file)
	}
	return all, nil
}
