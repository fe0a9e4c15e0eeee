package pairgram

import "example.org/pathsum/internal/keytable"

// table holds a number for each pair of numbers of a source and a target piece: in rows,
// if they are few, or else by hashing. A pair that was not set has 0.
type table struct {
	columns int
	dense   []int32
	pairs   keytable.Table[uint64]
	sparse  []int32 // of the pairs
}

// maxDense is the most cells of a table that has rows.
const maxDense = 1 << 22

// newTable returns a table for so many sources and targets.
func newTable(sources, targets int) *table {
	t := &table{columns: targets}
	if sources*targets <= maxDense {
		t.dense = make([]int32, sources*targets)
	}
	return t
}

// get returns the number of a pair, 0 if one of the two is negative.
func (t *table) get(source, target int32) int32 {
	switch {
	case source < 0 || target < 0:
		return 0
	case t.dense != nil:
		return t.dense[int(source)*t.columns+int(target)]
	}
	if k := t.pairs.Find(keytable.Pair(source, target)); k >= 0 {
		return t.sparse[k]
	}
	return 0
}

// set gives a pair a number.
func (t *table) set(source, target, n int32) {
	if t.dense != nil {
		t.dense[int(source)*t.columns+int(target)] = n
		return
	}
	k, fresh := t.pairs.Number(keytable.Pair(source, target))
	if fresh {
		t.sparse = append(t.sparse, 0)
	}
	t.sparse[k] = n
}
