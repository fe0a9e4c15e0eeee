package fstio

import (
	"compress/gzip"
	"errors"
	"io"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/wholefile"
)

// writeMachine calls write to write the frozen form of m to the named file. If m cannot be
// expanded, the file remains unchanged.
func writeMachine[W any](name string, m fst.Machine[W], write func(w io.Writer, f *fst.FST[W]) error) error {
	f, err := fst.Expand(m, nil)
	if err != nil {
		return err
	}
	return writeFile(name, func(w io.Writer) error { return write(w, f) })
}

// writeFile calls write to write the named file, compressed if the name ends in .gz. The file is
// written completely or not at all, even if write panics.
func writeFile(name string, write func(io.Writer) error) (err error) {
	f, err := wholefile.Create(name)
	if err != nil {
		return nested.Errorf("fstio: %w", err)
	}
	written := false
	defer func() {
		if !written {
			err = errors.Join(err, f.Discard())
		}
	}()
	if err := compressed(f, name, write); err != nil {
		return nested.Errorf("fstio: writing %s: %w", name, err)
	}
	written = true
	if err := f.Commit(); err != nil {
		return nested.Errorf("fstio: writing %s: %w", name, err)
	}
	return nil
}

// compressed calls write with w, or with a gzip.Writer to w if the name ends in .gz.
func compressed(w io.Writer, name string, write func(io.Writer) error) error {
	if !strings.HasSuffix(name, ".gz") {
		return write(w)
	}
	z := gzip.NewWriter(w)
	if err := write(z); err != nil {
		return err
	}
	return z.Close()
}
