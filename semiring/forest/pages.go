package forest

// pages is a list that grows without being copied. It keeps its storage when it is
// emptied.
type pages[E any] struct {
	page [][]E // all of the same length
	len  int
}

const (
	pageBits = 10
	pageSize = 1 << pageBits
)

func (p *pages[E]) at(i int) *E { return &p.page[i>>pageBits][i&(pageSize-1)] }

func (p *pages[E]) push(x E) {
	if p.len>>pageBits == len(p.page) {
		p.page = append(p.page, make([]E, pageSize))
	}
	*p.at(p.len) = x
	p.len++
}

// empty forgets the elements, and what they refer to.
func (p *pages[E]) empty() {
	for _, page := range p.page[:(p.len+pageSize-1)>>pageBits] {
		clear(page)
	}
	p.len = 0
}
