// Package decide is the command swarmbus decide: it plays recorded votes as decisions over a bus, says
// what the voters agree on, and scores strategies.
package decide
