package ngram

// Discount says what modified Kneser-Ney smoothing takes from the counts of the
// n-grams of one length.
type Discount struct {
	// Counts are the expected numbers of n-grams with count 1, 2, 3 and 4. Of those
	// that are shorter than the order and do not begin a string, the count is that of
	// different symbols before them.
	Counts [4]float64
	// D is taken from the counts 1, 2, and 3 and more.
	D [3]float64
	// Estimated says of each part of D whether it is the estimate, or i/2 because
	// there is none.
	Estimated [3]bool
}

// count counts the n-grams whose counts are given.
func (d *Discount) count(tallies []tally) {
	for i := range tallies {
		for c := range d.Counts {
			d.Counts[c] += tallies[i].of[c+1]
		}
	}
}

// negligible is a part of a discount that rounding can account for.
const negligible = 1e-12

// estimate sets D to the values of Chen and Goodman 1998, §3, with i/2 for those
// that are not between 0 and i, or not by more than rounding: a number of n-grams that
// should be 0, and is 1e-16, says nothing.
func (d *Discount) estimate() {
	n := &d.Counts
	y := n[0] / (n[0] + 2*n[1])
	for i := range d.D {
		d.D[i] = float64(i+1) - float64(i+2)*y*n[i+1]/n[i]
		margin := negligible * float64(i+1)
		d.Estimated[i] = margin < d.D[i] && d.D[i] < float64(i+1)-margin
		if !d.Estimated[i] {
			d.D[i] = float64(i+1) / 2
		}
	}
}

// of returns the expected discount of an n-gram.
func (d *Discount) of(t *tally) float64 {
	return d.D[0]*t.of[1] + d.D[1]*t.of[2] + d.D[2]*t.atLeast(3)
}
