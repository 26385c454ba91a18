// Package journal is an append-only store of records, on disk or in memory,
// from which a bus, a ledger or a whole swarm can be restored.
//
//	j, err := journal.Open("review.journal", nil)
//	last, err := j.Append(journal.Record{Type: journal.TypeResult, Body: answer})
//	for r, err := range j.Read(0) { … }
//
// # Durability
//
// Append returns when its records are acknowledged. By default that is when
// they are on the disk ([SyncEvery]); concurrent appends share one sync.
// [SyncInterval] and [SyncNever] acknowledge records when the operating system
// has them: they then survive a crash of the process, but not a loss of power.
// A failed write or sync is never retried: the journal fails ([ErrFailed]) and
// has to be reopened. What a journal with [Options].Full finds no room for waits instead.
//
// # Integrity
//
// Each record has checksums and a hash chain: a hash of the record and the
// previous hash. All are verified whenever a record is read. Open cuts off what a
// crash left of records that were not synced: a truncated end, or damage to a
// sector that the disk may not have had, if nothing was written behind it after a
// sync. Any other damage is a [*CorruptError] with its offset, and nothing after
// it is read; in a journal that was closed, so is all damage except a truncated
// end. Bytes that were deleted, inserted or moved are always damage, unless no
// complete frame follows them. The checksums detect accidental damage. The chain, which begins with the
// state of the dropped records, detects deliberate changes, unless the attacker
// recomputed the chain; the last hash, kept elsewhere, detects these too. A Drop
// restarts the chain, which changes its last hash.
//
// # Readers
//
// One process writes: [Open] locks the journal, and a [*LockError] names the
// process that holds it. Any number of readers may read: in the same process
// from the [File], which yields acknowledged records, elsewhere from a [View].
// Both can wait for more records ([Reader].Follow) and start at any record.
//
// # Disk space
//
// A body of [LargeBody] bytes or more is stored once, however many records have
// it. [Store].Drop removes the oldest records and keeps a state in their place:
// the program's fold of them.
//
// # Files
//
// A journal is one file. Beside it are a lock file with the suffix ".lock" and,
// while records are dropped, a file with the suffix ".rewrite". Both belong to
// the journal. A file with the suffix ".index" is made by those that read a few records
// of a large journal ([Select]); it can be removed at any time, and one that is not of the
// journal as it is counts as missing. Removing the lock file, or giving the journal a second name by a
// hard link, allows a second writer, which damages the journal. A journal that is
// itself removed, moved or replaced while it is open fails at its next sync, which
// with [SyncEvery] is before the next acknowledgement.
//
// The format has a version, and other versions are refused. frame.go defines
// the format; docs/journal.md says why it is not a database's.
package journal
