package crf

// pairs are those of attribute and label that have a weight: attribute a those
// with the numbers row[a], …, row[a+1]−1, with the labels label[…].
type pairs struct{ row, label []int32 }

// scores sets score[t·labels + y], for the positions of x, to β·Σ value·weight, summed
// over the attributes of position t that have a weight with y.
func (p *pairs) scores(score []float64, x points, weight []float64, beta float64, labels int) {
	clear(score)
	for t := range len(x.row) - 1 {
		s := score[t*labels : (t+1)*labels]
		for i := x.row[t]; i < x.row[t+1]; i++ {
			lo, hi := p.row[x.attr[i]], p.row[x.attr[i]+1]
			w, v := weight[lo:hi], beta*x.value[i]
			for n, y := range p.label[lo:hi] {
				s[y] += v * w[n]
			}
		}
	}
}

// addCounts adds value·delta[t·labels + y] to the count of each pair of an attribute
// of position t and a label y, for the positions of x.
func (p *pairs) addCounts(count []float64, x points, delta []float64, labels int) {
	for t := range len(x.row) - 1 {
		d := delta[t*labels : (t+1)*labels]
		for i := x.row[t]; i < x.row[t+1]; i++ {
			lo, hi := p.row[x.attr[i]], p.row[x.attr[i]+1]
			c, v := count[lo:hi], x.value[i]
			for n, y := range p.label[lo:hi] {
				c[n] += v * d[y]
			}
		}
	}
}
