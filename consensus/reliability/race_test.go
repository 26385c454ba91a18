//go:build race

package reliability

// Racing is set under the race detector, which makes learning ten times as slow.
const Racing = true
