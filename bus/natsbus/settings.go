package natsbus

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

// A setting of a stream that somebody else may have made.
type setting struct {
	name      string
	got, want any
	ok        bool
	why       string
}

// firstWrong returns what is wrong; nil: nothing is.
func firstWrong(all []setting) *ConfigError {
	for _, s := range all {
		if !s.ok {
			return &ConfigError{s.name, fmt.Sprint(s.got), fmt.Sprint(s.want), s.why}
		}
	}
	return nil
}

// checkBeside checks a stream beside the log: it refuses what makes promises false, and warns of
// what keeps less than was asked for.
func (o *Options) checkBeside(got *jetstream.StreamConfig, refused, named []setting) error {
	of := " of " + got.Name
	if wrong := firstWrong(refused); wrong != nil {
		wrong.Setting += of
		return wrong
	}
	kept := jetstream.FileStorage
	if o.Storage.InMemory {
		kept = got.Storage
	}
	named = append([]setting{
		{"num_replicas", got.Replicas, o.Storage.Replicas, got.Replicas >= o.Storage.Replicas, "so many servers may be lost with it: nats stream edit " + got.Name + " --replicas"},
		{"storage", got.Storage, kept, got.Storage == kept, "what is in memory is lost when the servers restart"},
	}, named...)
	for _, s := range named {
		if wrong := firstWrong([]setting{s}); wrong != nil {
			wrong.Setting += of
			if err := o.complain(wrong); err != nil {
				return err
			}
		}
	}
	return nil
}

// resultSettings are those by which a recorded result is never replaced.
func resultSettings(got, want *jetstream.StreamConfig) []setting {
	const vanish, second = "a recorded result would vanish, and the call be made again", "a recorded result could be replaced"
	return []setting{
		{"subjects", got.Subjects, want.Subjects, slices.Equal(got.Subjects, want.Subjects), "results would not be recorded"},
		{"retention", got.Retention, want.Retention, got.Retention == want.Retention, vanish},
		{"max_age", got.MaxAge, want.MaxAge, got.MaxAge == 0, vanish},
		{"allow_msg_ttl", got.AllowMsgTTL, false, !got.AllowMsgTTL, vanish},
		{"discard", got.Discard, want.Discard, got.Discard == want.Discard, vanish},
		{"max_msgs_per_subject", got.MaxMsgsPerSubject, want.MaxMsgsPerSubject, got.MaxMsgsPerSubject == want.MaxMsgsPerSubject, second},
		{"discard_new_per_subject", got.DiscardNewPerSubject, true, got.DiscardNewPerSubject, second},
		{"allow_rollup_hdrs", got.AllowRollup, false, !got.AllowRollup, second},
		{"deny_delete", got.DenyDelete, true, got.DenyDelete, second},
		{"deny_purge", got.DenyPurge, true, got.DenyPurge, second},
		{"persist_mode", got.PersistMode, want.PersistMode, got.PersistMode == want.PersistMode, "asynchronous persistence acknowledges what is in memory"},
		{"no_ack", got.NoAck, false, !got.NoAck, "nothing would be acknowledged"},
	}
}

// logSettings are those on which the promises of a log depend.
func logSettings(got, want *jetstream.StreamConfig) []setting {
	partitions := cmp.Or(got.Metadata[metaPartitions], "1") // which earlier versions wrote
	return []setting{
		{"num_replicas", got.Replicas, want.Replicas, got.Replicas >= want.Replicas, "so many servers may be lost with the log: nats stream edit --replicas"},
		{"storage", got.Storage, want.Storage, got.Storage == want.Storage || want.Storage == jetstream.MemoryStorage, "what is in memory is lost when the servers restart"},
		{"subjects", got.Subjects, want.Subjects, slices.Equal(got.Subjects, want.Subjects), "what is published to other subjects would not be in the log"},
		{"duplicate_window", got.Duplicates, want.Duplicates, got.Duplicates >= want.Duplicates, "servers would forget ids earlier than Storage.Window says"},
		{"max_msgs_per_subject", got.MaxMsgsPerSubject, -1, got.MaxMsgsPerSubject <= 0, "the log would lose messages from its midst"},
		{"max_msg_size", got.MaxMsgSize, -1, got.MaxMsgSize <= 0, "larger signals would be refused"},
		{"allow_msg_ttl", got.AllowMsgTTL, false, !got.AllowMsgTTL, "messages with a TTL would vanish from the midst of the log: limits and snapshots make room"},
		{"retention", got.Retention, jetstream.LimitsPolicy, got.Retention == jetstream.LimitsPolicy, "the log would lose what one reader has read"},
		{"discard", got.Discard, jetstream.DiscardOld, got.Discard == jetstream.DiscardOld, "a full log would refuse signals"},
		{"deny_delete", got.DenyDelete, true, got.DenyDelete, "processes would not agree on a log from which signals vanish"},
		{"deny_purge", got.DenyPurge, true, got.DenyPurge, "processes would not agree on a log from which signals vanish"},
		{"persist_mode", got.PersistMode, jetstream.DefaultPersistMode, got.PersistMode == jetstream.DefaultPersistMode, "asynchronous persistence acknowledges what is in memory"},
		{"no_ack", got.NoAck, false, !got.NoAck, "nothing would be acknowledged"},
		{"metadata " + metaFormat, got.Metadata[metaFormat], format, got.Metadata[metaFormat] == format, "the stream is not a log of this version"},
		{
			"metadata " + metaRemember, got.Metadata[metaRemember], want.Metadata[metaRemember],
			got.Metadata[metaRemember] == want.Metadata[metaRemember], "all processes must have the same Options.Remember",
		},
		{
			"metadata " + metaPartitions, partitions, "1", partitions == "1",
			"the stream has a part of the threads of a log that an earlier version spread over several streams",
		},
		{
			"metadata " + metaUse, got.Metadata[metaUse], want.Metadata[metaUse],
			got.Metadata[metaUse] == "" || want.Metadata[metaUse] == "" || got.Metadata[metaUse] == want.Metadata[metaUse],
			"processes of both would derive different logs: name another stream (Options.Stream)",
		},
	}
}
