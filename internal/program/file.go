package program

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// WriteFile makes write write the named file, whole or not at all: an existing
// file is replaced when everything is written, and kept if there is an error. What
// is not a regular file, such as a pipe or a terminal, is written to directly.
func WriteFile(name string, write func(io.Writer) error) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return writeAll(f, write)
	}
	part := fmt.Sprintf("%s.%d.part", name, os.Getpid())
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	if err := writeAll(f, write); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return os.Rename(part, name)
}

// writeAll writes and closes f.
func writeAll(f *os.File, write func(io.Writer) error) error {
	b := bufio.NewWriter(f)
	err := write(b)
	if err == nil {
		err = b.Flush()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
