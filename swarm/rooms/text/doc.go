// Package text parses the messages of people and agents in rooms: their addressees,
// their priority, the sections that they refer to, and whether an answer is silence. It
// is pure.
//
// # Priority
//
// [Infer] applies the rules of intake, in this order:
//
//   - One of the words "urgent", "blocked", "critical" and "stop" makes a message
//     urgent.
//   - A direct question is normal: a text with a question mark that addresses
//     exactly one member.
//   - The words "broadcast" and "FYI" and the phrase "convention update" make it
//     background.
//
// Words are whole words, in any case: "stopped" and "unblocked" are not among them.
// Quoted text does not count, since its author is someone else: lines that begin with
// ">", and text in double quotes or backticks. Negations are not understood: "not urgent"
// is urgent.
//
// A text addresses a member by "@" and the name anywhere, or by the name at its
// beginning with a comma or a colon behind it: "Reed, is the backup whole?".
package text
