// Package cloudevents maps signals to CloudEvents 1.0 and back, without loss.
//
//	header, data, err := cloudevents.Binary(s)       // attributes in headers
//	s, err = cloudevents.Codec{}.ReadBinary(header, data)
//	text, err := cloudevents.Structured(s)           // one JSON object
//	text, err = cloudevents.Batch(all)               // a JSON array of such objects
//
// # Attributes
//
//	id                signal id; required
//	source            "/" and the source, escaped as a path segment
//	type              kind
//	subject           thread; absent for the thread ""
//	time              time of the signal, in UTC
//	datacontenttype   application/json
//	data              payload
//
// Extensions, all of them strings, are absent if the field has its zero value:
//
//	sequence          sequence number, of the extension of that name
//	confidence        in [0,1], as many digits as needed
//	ttl               as a [time.Duration] prints, such as 1m30s; negative: forever
//	replyto           id of a signal
//	recipients        names, each escaped as a path segment, with commas between
//	round, priority   whole numbers
//	causallevel       as in the JSON of package signals
//	traceparent, tracestate   of the extension for distributed tracing
//
// # Headers
//
// In binary mode each attribute is a header with the prefix "ce-", percent-encoded as
// the protocol bindings for HTTP and NATS demand: every byte that is no printable ASCII
// character, and space, quote and percent sign. Data that is in structured or batched
// mode has the content type [StructuredType] or [BatchType].
//
// What is read is valid, as [signals.Validate] says. Unknown attributes are ignored.
package cloudevents
