package connectivity

import (
	"fmt"

	"github.com/swarmbus/swarmbus/signals"
)

// The enums count from 1, so that a forgotten one is refused: value v has the
// name names[v-1].

func enumString[E ~uint8](names []string, v E) string {
	if !known(names, v) {
		return fmt.Sprintf("%T(%d)", v, uint8(v))
	}
	return names[v-1]
}

func enumText[E ~uint8](field string, names []string, v E) ([]byte, error) {
	if err := checkEnum(field, names, v); err != nil {
		return nil, err
	}
	return []byte(names[v-1]), nil
}

func enumParse[E ~uint8](field string, names []string, text []byte, v *E) error {
	for i, name := range names {
		if string(text) == name {
			*v = E(i + 1)
			return nil
		}
	}
	return &signals.FieldError{Field: field, Value: clip(text), Problem: fmt.Sprintf("not one of %q", names)}
}

func checkEnum[E ~uint8](field string, names []string, v E) error {
	if known(names, v) {
		return nil
	}
	return &signals.FieldError{Field: field, Value: fmt.Sprint(uint8(v)), Problem: fmt.Sprintf("not one of %q", names)}
}

func known[E ~uint8](names []string, v E) bool { return v >= 1 && int(v) <= len(names) }

// clip keeps an error readable whatever came in.
func clip(text []byte) string { return string(text[:min(len(text), 64)]) }
