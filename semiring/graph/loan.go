package graph

import "sync"

// loans holds storage for a β that is no part of a result: fresh memory costs a large
// graph up to a tenth of its pass.
var loans sync.Pool

// borrowed returns an empty slice: what was repaid, if that was of the same type.
func borrowed[W any]() []W {
	if s, ok := loans.Get().(*[]W); ok {
		return (*s)[:0]
	}
	return nil
}

// repaid gives x back, which nobody uses any more.
func repaid[W any](x []W) { loans.Put(&x) }
