package cloudevents

import (
	"strings"

	"github.com/swarmbus/swarmbus/signals"
)

const prefix = "ce-"

// Binary writes a signal in binary mode: a header for each attribute, and the payload.
func Binary(s signals.Any) (header map[string][]string, data []byte, err error) {
	if data, err = signals.MarshalPayload(s); err != nil {
		return nil, nil, err
	}
	all, err := attributesOf(s)
	if err != nil {
		return nil, nil, err
	}
	header = make(map[string][]string, len(all)+3)
	values := make([]string, len(all)) // one allocation for all
	for i, a := range all {
		values[i] = encode(a.value)
		header[prefix+a.name] = values[i : i+1 : i+1]
	}
	return header, data, nil
}

// A Codec reads signals from events. The zero Codec reads what the zero
// [signals.Codec] reads. A Codec may be used concurrently.
type Codec struct {
	Signals *signals.Codec // nil: the built-in kinds, within the default limits
}

func (c Codec) signals() *signals.Codec {
	if c.Signals == nil {
		return new(signals.Codec)
	}
	return c.Signals
}

// ReadBinary reads what [Binary] wrote. The names of its headers may have been written
// in another case, but not one name in two: which of them counts would be a matter of chance.
func (c Codec) ReadBinary(header map[string][]string, data []byte) (signals.Any, error) {
	values, err := named(header)
	if err != nil {
		return nil, err
	}
	get := func(name string) string {
		if v := values[prefix+name]; len(v) == 1 {
			return decode(v[0])
		}
		return ""
	}
	k, h, err := headerOf(get)
	if err != nil {
		return nil, err
	}
	return c.signals().UnmarshalPayload(k, h, data)
}

// named returns the headers of an event by their names in lower case.
func named(header map[string][]string) (map[string][]string, error) {
	exact := true // as Binary writes them
	for name := range header {
		exact = exact && (!hasPrefix(name) || strings.ToLower(name) == name)
	}
	if exact {
		return header, nil
	}
	values := make(map[string][]string, len(header))
	for name, v := range header {
		if !hasPrefix(name) {
			continue
		}
		lower := strings.ToLower(name)
		if values[lower] != nil {
			return nil, &signals.FieldError{Field: lower[len(prefix):], Problem: "there are headers of that name in two spellings"}
		}
		values[lower] = v
	}
	return values, nil
}

func hasPrefix(name string) bool {
	return len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix)
}

// plain reports whether a byte stands for itself in a header.
func plain(c byte) bool { return c > ' ' && c <= '~' && c != '"' && c != '%' }

// encode percent-encodes a value.
func encode(value string) string {
	const hex = "0123456789ABCDEF"
	i := 0
	for i < len(value) && plain(value[i]) {
		i++
	}
	if i == len(value) {
		return value
	}
	b := append(make([]byte, 0, 2*len(value)), value[:i]...)
	for ; i < len(value); i++ {
		if c := value[i]; plain(c) {
			b = append(b, c)
		} else {
			b = append(b, '%', hex[c>>4], hex[c&15])
		}
	}
	return string(b)
}

// decode undoes encode. What is no encoding stands for itself.
func decode(value string) string {
	if !strings.Contains(value, "%") {
		return value
	}
	b := make([]byte, 0, len(value))
	for i := 0; i < len(value); i++ {
		if value[i] == '%' && i+2 < len(value) {
			high, low := digit(value[i+1]), digit(value[i+2])
			if high >= 0 && low >= 0 {
				b = append(b, byte(high<<4|low))
				i += 2
				continue
			}
		}
		b = append(b, value[i])
	}
	return string(b)
}

func digit(c byte) int { return strings.IndexByte("0123456789abcdef", c|0x20) }
