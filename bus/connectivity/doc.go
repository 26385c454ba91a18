// Package connectivity is how the parts of a swarm tell each other what they
// need to coordinate: attention, confidence, conflict, handoff and escalation,
// as signals with a lifecycle on a bus.
package connectivity
