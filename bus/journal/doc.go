// Package journal keeps what happened, on disk or in memory: an append-only
// store of records from which a bus, a ledger or a whole swarm is there again.
//
//	j, err := journal.Open("review.journal", nil)
//	last, err := j.Append(journal.Record{Type: journal.TypeResult, Body: answer})
//	for r, err := range j.Read(0) { … }
//
// # What is acknowledged
//
// Append returns when its records are acknowledged. By default that is when
// the disk has them ([SyncEvery]); appends that run at once share one wait for
// the disk. [SyncInterval] and [SyncNever] acknowledge what the operating
// system has: that outlives the process, but not a loss of power. A write or
// sync that failed is never tried again: the journal fails ([ErrFailed]) and
// has to be opened anew.
//
// # What is found
//
// Each record has checksums and a chain: a hash over it and the chain before.
// All are checked whenever it is read. Open cuts off a record that a crash
// left torn. Torn is only what nothing whole follows; all other damage is a
// [*CorruptError] with its place, and nothing behind it is read. The checksums
// find accidents. The chain finds changes, as long as who made them did not
// compute the chain anew; its last link, kept elsewhere, finds these too.
//
// # Readers
//
// One process writes; [Open] locks the journal, and a [*LockError] names the
// process that has it. Any number read: in the same process from the [File],
// which yields what is acknowledged, elsewhere from a [View]. Both can wait for
// more ([Reader].Follow) and begin anywhere.
//
// # Space
//
// A body of [LargeBody] bytes and more is stored once, however many records
// have it. [Store].Drop forgets the oldest records and keeps a state in their
// place, which is what a program folded of them.
//
// # Files
//
// A journal is one file, beside a lock file of the same name and ".lock". Its
// format has a version, and other versions are refused. frame.go has the
// format, docs/journal.md why it is not a database's.
package journal
