package rx

// Prob is a probability: a number, or a side of a named coin. Coins of one name
// are one coin, wherever they are tossed.
type Prob struct {
	number float64
	coin   string
	tails  bool
}

// Number returns the probability p.
func Number(p float64) Prob { return Prob{number: p + 0} } // −0 becomes 0

// Coin returns the probability that the coin of this name comes up heads. A coin
// is a group of two alternatives, heads and tails.
func Coin(name string) Prob { return Prob{coin: name} }

// Not returns 1−p.
func (p Prob) Not() Prob {
	if p.coin == "" {
		return Number(1 - p.number)
	}
	p.tails = !p.tails
	return p
}
