package graph

import "sync"

// loans holds storage that nobody uses, a *sync.Pool per type: fresh memory costs a path
// sum up to a tenth of its time, and searches of which there are thousands more than that.
var loans sync.Map

// borrowed returns what was repaid of type T, contents and all, or a new one.
func borrowed[T any]() *T {
	if pool, ok := loans.Load((*T)(nil)); ok {
		if x, ok := pool.(*sync.Pool).Get().(*T); ok {
			return x
		}
	}
	return new(T)
}

// repaid gives x back, which nobody uses any more.
func repaid[T any](x *T) {
	pool, ok := loans.Load((*T)(nil))
	if !ok {
		pool, _ = loans.LoadOrStore((*T)(nil), new(sync.Pool))
	}
	pool.(*sync.Pool).Put(x)
}
