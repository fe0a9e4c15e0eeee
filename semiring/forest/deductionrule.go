package forest

// Rule adds a rule with one antecedent: apply is called once with every item that is
// derived, and calls Derive for what follows from it. The name is for Chart.Rule and
// messages. Rules belong before Run; adding one within a rule panics.
func (d *Deduction[Item, W]) Rule(name string, apply func(a Item)) {
	d.add(rule[Item]{
		name: name,
		apply: func(v int32, item Item) {
			d.antecedents = append(d.antecedents[:0], v)
			apply(item)
		},
		forget: func() {},
	})
}

// Join adds a rule with two antecedents that agree in a key: apply is called once with
// every pair of derived items a and b for which left(a) and right(b) are the same key,
// and calls d.Derive for what follows from them. False for a key says that an item
// cannot be that antecedent. An item may be both, also of the same pair. The pairs are
// found in an index: apart from one look-up per item the rule costs a call of apply per
// pair, so the key should be as narrow as the rule allows. A rule with more antecedents
// is several, with items for what the first ones say together, or names the antecedents
// that follow from the first ones as tails.
//
// Join is a function because a method cannot have a type parameter K.
func Join[Item comparable, W any, K comparable](d *Deduction[Item, W], name string,
	left, right func(Item) (K, bool), apply func(a, b Item)) {
	type bucket struct{ left, right []int32 }
	var (
		number  = make(map[K]int32)
		buckets []bucket
		n       int // buckets in use
	)
	find := func(key K) int32 {
		i, ok := number[key]
		if !ok {
			i = int32(n)
			number[key] = i
			if n++; n > len(buckets) {
				buckets = append(buckets, bucket{})
			}
		}
		return i
	}
	d.add(rule[Item]{
		name: name,
		apply: func(v int32, item Item) {
			leftKey, isLeft := left(item)
			rightKey, isRight := right(item)
			if isLeft {
				b := &buckets[find(leftKey)]
				for _, u := range b.right {
					if d.err != nil {
						return
					}
					d.antecedents = append(d.antecedents[:0], v, u)
					apply(item, d.items[u])
				}
				b.left = append(b.left, v)
			}
			if isRight {
				b := &buckets[find(rightKey)]
				for _, u := range b.left { // v itself may be among them
					if d.err != nil {
						return
					}
					d.antecedents = append(d.antecedents[:0], u, v)
					apply(d.items[u], item)
				}
				b.right = append(b.right, v)
			}
		},
		forget: func() {
			if outgrown(n, len(buckets)) {
				number, buckets = make(map[K]int32), nil
			} else {
				clear(number)
				for i := range buckets[:n] {
					b := &buckets[i]
					b.left, b.right = b.left[:0], b.right[:0]
				}
			}
			n = 0
		},
	})
}

func (d *Deduction[Item, W]) add(r rule[Item]) {
	if d.applying != 0 {
		panic("forest: a rule is added within a rule")
	}
	d.rules = append(d.rules, r)
}
