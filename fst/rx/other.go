package rx

import (
	"example.org/pathsum/fst"
)

// errInvents is the error for what would write a symbol that the alphabet does not name and that is
// not read at the same place.
var errInvents = invalid(ErrInvalid, "'%s' is written where it is not read: it stands for many symbols, of which one that is read can be copied or replaced, and none can be written for another", fst.OtherName)

// isOther reports whether a label is that of fst.OtherName.
func (c *Compiler[W]) isOther(label int32) bool { return label != fst.Epsilon && label == c.other }

// invents reports whether an arc writes fst.OtherName and does not read it. In machines without
// such arcs, an arc that reads and writes it copies a symbol: unions, concatenations,
// compositions and reversals of these have none.
func (c *Compiler[W]) invents(a fst.Arc[W]) bool { return c.isOther(a.Out) && a.In != a.Out }

// inventing returns the error for an arc, nil for most.
func (c *Compiler[W]) inventing(a fst.Arc[W]) error {
	if c.invents(a) {
		return errInvents
	}
	return nil
}
