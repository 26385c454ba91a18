package text

import (
	"strconv"
	"strings"
)

// Shell returns a command that can be pasted into a shell: words that it would not read as they are
// stand in quotation marks. Words that a person has to replace, such as TEXT, are names in capitals.
func Shell(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = shellWord(word)
	}
	return strings.Join(quoted, " ")
}

func shellWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_@%+=:,./-", r)
	}
	switch {
	case word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0:
		return word
	case strings.IndexFunc(word, func(r rune) bool { return !shows(r) }) < 0:
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	var b strings.Builder // of bash, zsh and ksh
	for i := range len(word) {
		if c := word[i]; c < ' ' || c > '~' || c == '\'' || c == '\\' {
			b.WriteString(`\x` + strconv.FormatUint(uint64(c)>>4, 16) + strconv.FormatUint(uint64(c)&15, 16))
		} else {
			b.WriteByte(c)
		}
	}
	return "$'" + b.String() + "'"
}
