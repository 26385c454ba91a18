// Package alwaystrue checks ports.
package alwaystrue

// Allowed says whether a port may be used.
func Allowed(port int) bool {
	return port != 80 || port != 443
}
