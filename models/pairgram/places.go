package pairgram

import "example.org/pathsum/internal/keytable"

// places numbers the states of a composition: one of what a source is read by, and a
// context.
type places struct{ keytable.Table[uint64] }

// enter returns the number of a place, a new one if it has none.
func (p *places) enter(at, context int32) int32 {
	n, _ := p.Number(keytable.Pair(at, context))
	return n
}

// place returns place number n.
func (p *places) place(n int32) (at, context int32) { return keytable.Unpair(p.Keys()[n]) }
