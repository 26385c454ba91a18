// Package negativeunsigned checks sizes.
package negativeunsigned

// Valid says whether a size may be used.
func Valid(size uint32) bool {
	if size < 0 {
		return false
	}
	return size < 1000
}
