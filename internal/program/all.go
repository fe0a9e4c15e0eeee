package program

import "iter"

// All returns all that Records yields, or its error.
func All[T any](r *Run, records iter.Seq2[T, error]) (all []T, err error) {
	for x, err := range Records(r, records) {
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}
