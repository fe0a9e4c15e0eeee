package convex

import (
	"encoding/binary"
	"math"
	"slices"
)

// known returns the values of the hidden variable if it is partly observed, otherwise nil.
func (p *Problem) known(hidden []int) ([]int, error) {
	for _, h := range hidden {
		values := p.variables[h].Values
		if !slices.ContainsFunc(values, func(x int) bool { return x != Hidden }) {
			continue
		}
		if len(hidden) > 1 {
			return nil, uncovered("%s is partly observed, has a hidden neighbour and", p.name(h))
		}
		return values, nil
	}
	return nil, nil
}

// merge sets the merged rows of b: rows of the data that agree in all that the families
// say, and rows with the same known value of the hidden variable, which its relation puts
// into one class. It does not change the minimum: by symmetry and convexity there is an
// optimal M that is constant on blocks of rows that agree, and raising its diagonal blocks
// to 1 keeps it in C and does not raise g, whose derivatives by the diagonal are not
// positive.
func (p *Problem) merge(b *part, families, known []int) {
	var relevant []int
	for _, i := range families {
		relevant = append(relevant, i)
		relevant = append(relevant, p.variables[i].Parents...)
	}
	slices.Sort(relevant)
	relevant = slices.Compact(relevant)
	b.row = make([]int, len(p.weights))
	var n []float64
	node := make(map[string]int)
	class := make(map[int]int)
	for row, weight := range p.weights {
		key := string(p.key([]byte{0}, relevant, row))
		if known != nil && known[row] != Hidden {
			key = string(binary.AppendVarint([]byte{1}, int64(known[row])))
		}
		k, ok := node[key]
		if !ok {
			k = len(n)
			node[key] = k
			n = append(n, 0)
		}
		b.row[row] = k
		n[k] += weight
		if known != nil && known[row] != Hidden {
			class[known[row]] = k
		}
	}
	b.weigh(n)
	for x, i := range class {
		for y, j := range class {
			if x < y {
				b.relations[0].differ = append(b.relations[0].differ, [2]int{i, j})
			}
		}
	}
	slices.SortFunc(b.relations[0].differ, func(x, y [2]int) int { return slices.Compare(x[:], y[:]) })
}

// key appends what was seen of the variables in a row.
func (p *Problem) key(dst []byte, variables []int, row int) []byte {
	for _, i := range variables {
		v := &p.variables[i]
		if v.Vectors == nil {
			dst = binary.AppendVarint(dst, int64(v.Values[row]))
			continue
		}
		for _, x := range v.Vectors[row] {
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
		}
	}
	return dst
}
