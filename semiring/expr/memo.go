package expr

// op is a binary operation. Its values leave 0 for an empty place in a memo.
type op uint64

const (
	plus op = iota + 1
	times
	over
)

// key packs an operation and its operands, 2 + 31 + 31 bits.
func (o op) key(a, b W) uint64 { return uint64(o)<<62 | uint64(a)<<31 | uint64(b) }

// memo remembers results of operations in a direct-mapped cache: a newcomer
// takes the place of whatever was there. Losing a result costs time only, as the
// operation worked out again finds the same expression.
type memo struct {
	keys []uint64
	vals []W
	lost int // results overwritten since the last growth
}

const (
	memoMin = 1 << 8
	memoMax = 1 << 20
)

func (m *memo) place(key uint64) int { return int(mix(key, hashSeed) & uint64(len(m.keys)-1)) }

func (m *memo) find(key uint64) (W, bool) {
	if len(m.keys) == 0 {
		return 0, false
	}
	i := m.place(key)
	return m.vals[i], m.keys[i] == key
}

func (m *memo) add(key uint64, w W) {
	if len(m.keys) == 0 {
		m.resize(memoMin)
	}
	i := m.place(key)
	if m.keys[i] != 0 {
		m.lost++
		if m.lost > len(m.keys)/4 && len(m.keys) < memoMax {
			m.resize(2 * len(m.keys))
			i = m.place(key)
		}
	}
	m.keys[i], m.vals[i] = key, w
}

func (m *memo) resize(n int) {
	old := *m
	*m = memo{keys: make([]uint64, n), vals: make([]W, n)}
	for j, key := range old.keys {
		if key != 0 {
			i := m.place(key)
			m.keys[i], m.vals[i] = key, old.vals[j]
		}
	}
}
