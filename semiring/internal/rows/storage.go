package rows

import "slices"

// Resized returns s with length n and arbitrary content, reusing its storage if
// that is large enough.
func Resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n+n/4)[:n]
	}
	return s[:n]
}

// Extended is append, doubling the storage where that has to grow.
func Extended[T any](s []T, x T) []T {
	if len(s) == cap(s) {
		s = slices.Grow(s, max(64, len(s)))
	}
	return append(s, x)
}
