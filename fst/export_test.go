package fst

// RemoveEpsilonWithin is RemoveEpsilon with a limit other than DefaultLimit.
func RemoveEpsilonWithin[W any](m Machine[W], limit int) (Machine[W], error) {
	return removeEpsilon(m, limit)
}
