// Package signals defines what agents say to each other: typed, immutable
// values that a log puts in order.
//
//	s := signals.New(
//		signals.Header{Thread: "retry-policy", Confidence: 0.8},
//		signals.Vote{ProposalID: "backoff", Stance: signals.Agree, Weight: 0.9},
//	)
//	if vote, ok := signals.As[signals.Vote](s); ok {
//		fmt.Println(vote.Payload.Stance) // agree
//	}
//
// # Kinds
//
// A payload names its kind, so payload and kind cannot disagree. Eleven kinds
// are built in ([Task] to [ToolResult]); any value type with a Kind method
// defines another. [NewCodec] makes a JSON reader that knows such types; a kind
// that it does not know arrives as [Raw], with its bytes.
//
// # Retractions
//
//	yield(signals.Retract(finding.ID, "the sample was from the wrong week"), nil)
//
// A finding (a discovery, a shared fact, a result of a tool), a doubt, a challenge, a
// proposal or a vote can be retracted: by its author, or by the operator, for whom the
// system publishes the [Retraction]. A retraction by another source changes nothing.
//
// A retracted signal stays in the log, and counts as if it had not been published: the
// voter's vote before it counts, a finding supports nothing. A retracted proposal is still
// a choice for agents that vote for it: only its reason is gone, and its author's answer
// where proposals are answers.
//
// An author that publishes a retracted signal again, with the same content, ends its
// retraction. So retracting and stating again changes no decision. Retractions by the
// operator stay.
//
// # Validity
//
// [Validate] refuses numbers that are NaN or out of range, unknown enum
// values, empty required fields, texts over 64 KiB and texts that are not
// UTF-8, with a [*FieldError] that names field, value and rule. A log accepts
// valid signals only, and a codec returns valid ones only.
//
// # Wire format
//
// A signal is one JSON object: id, type, source, payload, confidence, timestamp
// and ttl in milliseconds (with decimals, so that nothing is lost), replyTo and
// metadata, and in addition seq, thread, recipients, traceparent and
// tracestate. What [Marshal] writes reads back equal, with times as the same
// instant in UTC. Three points may surprise a JavaScript programmer: a ttl of 0
// is the same as none, a negative ttl means forever, and an unpaired surrogate
// reads as U+FFFD.
//
// # Ownership
//
// Signals are immutable once published: a log copies what it is given and
// shares what it hands out. Headers and payloads hold no slices or maps;
// payload types of your own should not either.
package signals
