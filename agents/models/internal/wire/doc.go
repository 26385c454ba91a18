// Package wire is what the adapters of providers have in common: it sends a request,
// reads what comes back as events whatever form that has, and turns failures into
// errors with the server's own words.
//
// Servers differ in everything that a protocol leaves open, and in much that it does not.
// [Response.Events] goes by the content of a response: a stream of events, a whole answer
// or one in lines. [Object] reads JSON whose members may be missing or of another type, and
// [Text] texts whose characters are split. An [Answer] is what the events of any protocol add up
// to. What is broken is an error, never an answer.
package wire
