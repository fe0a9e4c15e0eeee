package text

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// Stdin is the name of standard input.
const Stdin = "-"

// Name returns the name of a file in errors.
func Name(file string) string {
	if file == Stdin {
		return "standard input"
	}
	return file
}

// Open opens the named file for reading, and decompresses it if the name ends in .gz. Closing
// it closes the file. The name Stdin is standard input, which stays open.
func Open(file string) (io.ReadCloser, error) {
	if file == Stdin {
		return io.NopCloser(os.Stdin), nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, &fs.PathError{Op: "read", Path: file, Err: errors.New("is a directory")}
	}
	if !strings.HasSuffix(file, ".gz") {
		return f, nil
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &compressed{Reader: z, file: f}, nil
}

type compressed struct {
	*gzip.Reader
	file *os.File
}

func (c *compressed) Close() error { return errors.Join(c.Reader.Close(), c.file.Close()) }
