package rx

import (
	"example.org/pathsum/fst"
)

// errInvents is the error for an arc that would write a symbol outside the alphabet without reading
// it.
var errInvents = invalid(ErrInvalid, "'%s' is written without being read: it stands for many symbols, so it can be copied, replaced or deleted, but not written in place of another symbol", fst.OtherName)

// isOther reports whether label is the label of fst.OtherName.
func (c *Compiler[W]) isOther(label int32) bool { return label != fst.Epsilon && label == c.other }

// invents reports whether an arc writes fst.OtherName and does not read it. In machines without
// such arcs, an arc that reads and writes it copies a symbol. Unions, concatenations, compositions
// and reversals of such machines contain no such arcs either.
func (c *Compiler[W]) invents(a fst.Arc[W]) bool { return c.isOther(a.Out) && a.In != a.Out }

// inventing returns errInvents if invents holds for a.
func (c *Compiler[W]) inventing(a fst.Arc[W]) error {
	if c.invents(a) {
		return errInvents
	}
	return nil
}
