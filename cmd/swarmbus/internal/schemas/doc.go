// Package schemas has the descriptions of everything that swarmbus says and hears, for
// programs that are not in Go:
//
//	text, err := schemas.Get("vote")     // JSON Schema of the signals of a kind
//	text, err = schemas.Get("asyncapi")  // AsyncAPI 3: the log on NATS, events, rooms
//	text, err = schemas.Get("openapi")   // OpenAPI 3.1 of the API of a server
//	names := schemas.Names()             // all of them
//
// They are made of the Go types by the tests of the packages that the types are in, and
// checked in; the tests fail when they differ. A test of this package says what in a new
// description breaks those who rely on an old one, field by field, and fails on that, too.
package schemas
