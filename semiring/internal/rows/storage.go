package rows

import (
	"slices"
	"sync"
)

// Resized returns s with length n and arbitrary content, reusing its storage if that is large
// enough.
func Resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n+n/4)[:n]
	}
	return s[:n]
}

// Extended is append that doubles the storage if it must grow.
func Extended[T any](s []T, x T) []T {
	if len(s) == cap(s) {
		s = slices.Grow(s, max(64, len(s)))
	}
	return append(s, x)
}

// loans holds unused storage, a *sync.Pool per type. Allocating fresh memory costs a path sum up
// to a tenth of its time, and costs each of thousands of searches more than that.
var loans sync.Map

// poolOf returns the pool for the type that key, a nil pointer, points to. It is not inlined:
// sync.Map is generic inside, and would be compiled in every package that borrows storage.
//
//go:noinline
func poolOf(key any) *sync.Pool {
	pool, ok := loans.Load(key)
	if !ok {
		pool, _ = loans.LoadOrStore(key, new(sync.Pool))
	}
	return pool.(*sync.Pool)
}

// Borrowed returns a T that was passed to Repaid, with its content, or a new one.
func Borrowed[T any]() *T {
	if x, ok := poolOf((*T)(nil)).Get().(*T); ok {
		return x
	}
	return new(T)
}

// Repaid takes back x, which the caller must not use any more.
func Repaid[T any](x *T) { poolOf((*T)(nil)).Put(x) }
