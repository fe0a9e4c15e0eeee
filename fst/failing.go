package fst

// failing is implemented by machines whose making may fail: where it did, states are
// not final and have no arcs.
type failing interface{ Err() error }

// errOf returns the first error of machines that have one.
func errOf[W any](machines ...Machine[W]) error {
	for _, m := range machines {
		if x, ok := m.(failing); ok {
			if err := x.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Err returns the first error of an operand that is made as it is asked for, nil if there
// has been none: arcs may be missing then.
func (c *Composition[W]) Err() error { return errOf(c.a.machine, c.b.machine) }

// Err returns the first error of the machines that are joined, nil if there has been
// none.
func (x *Joined[W]) Err() error { return errOf(x.parts...) }

// Err returns the error of the machine that is mapped, nil if there has been none.
func (x *Mapped[A, B]) Err() error { return errOf(x.machine) }

// Err returns the error of the machine that is subtracted from, nil if there has been
// none.
func (d *Subtraction[W]) Err() error { return errOf(d.a) }
