package crf

// shard is a run of sequences. It has numbers of its own for the attributes that
// occur in it, in the order of their first occurrence, so that what an E step reads
// and writes lies together.
type shard struct {
	lo, hi int     // sequences
	pairs  pairs   // of the shard's attributes
	from   []int32 // per attribute of the shard: the number of its first pair
	arcs   int64

	// Where counts of the shard's pairs, and of transitions after them, belong; see
	// em.Tally.
	places, row []int32
}

// newShard returns the shard of the sequences lo, …, hi−1 and renumbers their
// attributes in l.attr. number is scratch, one 0 per attribute before and after.
func (l *Likelihood) newShard(lo, hi int, number []int32) shard {
	d, s := l.data, shard{lo: lo, hi: hi, pairs: pairs{row: []int32{0}}}
	first, end := d.attributes.row[d.first[lo]], d.attributes.row[d.first[hi]]
	occurring := d.attributes.attr[first:end]
	for i, a := range occurring {
		if number[a] == 0 {
			lo, hi := l.pairsOf(a)
			s.from = append(s.from, lo)
			s.pairs.label = append(s.pairs.label, l.pairs.label[lo:hi]...)
			s.pairs.row = append(s.pairs.row, int32(len(s.pairs.label)))
			number[a] = int32(len(s.from)) // 1 + its own
		}
		l.attr[first+i] = number[a] - 1
	}
	for _, a := range occurring {
		number[a] = 0
	}
	n := len(l.pairs.label)
	s.places = append(s.from, int32(n))
	s.row = append(s.pairs.row, int32(len(s.pairs.label)+l.params.Len()-n))
	labels := int64(l.labels.len())
	for i := lo; i < hi; i++ {
		switch n := int64(d.first[i+1] - d.first[i]); {
		case n == 0:
		case l.kind == Chain:
			s.arcs += (n - 1) * labels * labels
		default:
			s.arcs += n * labels
		}
	}
	return s
}

// weights appends the weights of the shard's pairs to dst.
func (s *shard) weights(dst, theta []float64) []float64 {
	for a, from := range s.from {
		n := s.pairs.row[a+1] - s.pairs.row[a]
		dst = append(dst, theta[from:from+n]...)
	}
	return dst
}

func add(dst, v []float64) {
	for i, x := range v {
		dst[i] += x
	}
}
