package signals_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

func Example() {
	received := []signals.Any{
		signals.New(
			signals.Header{Source: "architect", Confidence: 0.7},
			signals.Proposal{ProposalID: "backoff", Content: "retry with exponential backoff"},
		),
		signals.New(
			signals.Header{Source: "critic", Confidence: 0.8},
			signals.Vote{ProposalID: "backoff", Stance: signals.Agree, Weight: 0.9},
		),
	}
	for _, s := range received {
		if vote, ok := signals.As[signals.Vote](s); ok {
			fmt.Println(vote.Source, vote.Payload.Stance, "with", vote.Payload.ProposalID)
		}
	}
	// Output: critic agree with backoff
}

// Tick is a kind defined outside the package. It is a value and names its kind;
// it has a Check method because it has a rule.
type Tick struct {
	Symbol string  `json:"symbol"`
	Price  float64 `json:"price"`
}

func (Tick) Kind() signals.Kind { return "acme.example/tick" }

func (t Tick) Check(l signals.Limits) error {
	if err := l.Name("symbol", t.Symbol); err != nil {
		return err
	}
	return signals.AtLeastZero("price", t.Price)
}

func ExampleNewCodec() {
	codec, err := signals.NewCodec(signals.For[Tick]())
	if err != nil {
		panic(err)
	}
	for _, text := range []string{
		`{"type":"acme.example/tick","source":"feed","confidence":1,"payload":{"symbol":"XYZ","price":12.5}}`,
		`{"type":"acme.example/tick","source":"feed","confidence":1,"payload":{"symbol":"XYZ","price":-1}}`,
	} {
		s, err := codec.Unmarshal([]byte(text))
		if err != nil {
			fmt.Println(err)
			continue
		}
		if tick, ok := signals.As[Tick](s); ok {
			fmt.Println(tick.Payload.Symbol, tick.Payload.Price)
		}
	}
	// Output:
	// XYZ 12.5
	// signals: acme.example/tick.price = "-1": not a finite number of at least 0
}

// A kind that the reader does not know is kept and passed on unchanged.
func ExampleUnmarshal() {
	s, err := signals.Unmarshal([]byte(
		`{"type":"acme.example/tick","source":"feed","confidence":1,"payload":{"price": 12.50}}`))
	if err != nil {
		panic(err)
	}
	if raw, ok := signals.As[signals.Raw](s); ok {
		fmt.Println(raw.Kind(), raw.Payload.JSON)
	}
	text, err := signals.Marshal(s)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
	// Output:
	// acme.example/tick {"price": 12.50}
	// {"type":"acme.example/tick","source":"feed","confidence":1,"payload":{"price": 12.50}}
}

func ExampleValidate() {
	err := signals.Validate(signals.New(
		signals.Header{Source: "critic"},
		signals.Vote{ProposalID: "backoff", Stance: signals.Agree, Weight: 1.5},
	))
	fmt.Println(err)

	var refused *signals.FieldError
	if errors.As(err, &refused) {
		fmt.Println(refused.Kind, refused.Field, refused.Value)
	}
	// Output:
	// signals: vote.weight = "1.5": not in [0,1]
	// vote weight 1.5
}

func ExampleMarshal() {
	text, err := signals.Marshal(signals.New(
		signals.Header{
			Source: "scout", Time: time.UnixMilli(1763642400123).Add(456 * time.Microsecond), TTL: time.Minute,
			Recipients: signals.To("critic", "architect"), Round: 2,
		},
		signals.Memory{Content: "retries doubled", Category: "operations", Importance: 0.5},
	))
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
	// Output: {"type":"memory:shared","source":"scout","confidence":0,"timestamp":1763642400123.456,"ttl":60000,"recipients":["architect","critic"],"metadata":{"round":2},"payload":{"content":"retries doubled","category":"operations","importance":0.5}}
}

func ExampleMint_Seq() {
	m := signals.SeededMint("an example")
	id := m.ID(42, time.UnixMilli(1763642400123))
	fmt.Println(m.Seq(id, 1000)) // of the thousand signals in the log
	// Output: 42 true
}

// A payload type of your own may have an enum, whose names are used on the
// wire.
func ExampleEnum() {
	lights := signals.NewEnum[light]("light", "red", "green")
	var l light
	fmt.Println(lights.Unmarshal([]byte("green"), &l), lights.String(l))
	fmt.Println(lights.Unmarshal([]byte("blue"), &l))
	fmt.Println(lights.Check(0))
	// Output:
	// <nil> green
	// signals: light = "blue": not one of ["red" "green"]
	// signals: light = "unset": not one of ["red" "green"]
}

type light uint8
