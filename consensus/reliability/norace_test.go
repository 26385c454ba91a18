//go:build !race

package reliability

const Racing = false
