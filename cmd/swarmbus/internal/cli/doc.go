// Package cli has what all commands of swarmbus share: their exit statuses, how they list and report,
// how a transcript looks on a terminal, and --otel.
package cli
