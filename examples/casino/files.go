package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// open opens a file. The name - is standard input, and files that end in .gz are decompressed.
func open(name string) (io.ReadCloser, error) {
	if name == "-" {
		return os.Stdin, nil
	}
	f, err := os.Open(name)
	if err != nil || !strings.HasSuffix(name, ".gz") {
		return f, err
	}
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return unpacked, err
}

// longest is the maximum length of a line in bytes. It bounds the memory that a file can take.
const longest = 1 << 20

// lines yields the lines of a file without their ends, each with its error or nil. A read error
// comes with the last line.
func lines(r io.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		b := bufio.NewReader(r)
		err := error(nil)
		for first := true; err == nil; first = false {
			var text, part []byte
			for more := true; more && err == nil; {
				if part, more, err = b.ReadLine(); len(text) <= longest {
					text = append(text, part...)
				}
			}
			if first {
				text = bytes.TrimPrefix(text, []byte("\ufeff")) // a byte order mark
			}
			wrong := err
			switch {
			case err == io.EOF:
				return
			case len(text) > longest:
				wrong = fmt.Errorf("more than %d bytes", longest)
			case !utf8.Valid(text):
				wrong = errors.New("invalid UTF-8")
			}
			if !yield(string(text), wrong) {
				return
			}
		}
	}
}

// at adds the file and the line number to an error.
func at(file string, line int, err error) error {
	if file == "-" {
		file = "standard input"
	}
	return fmt.Errorf("%s:%d: %w", file, line, err)
}

// write makes do write a file, whole or not at all. It writes directly to a file that is not
// regular, such as a pipe; the name - is standard output.
func write(name string, stdout io.Writer, do func(io.Writer) error) error {
	if name == "-" {
		return do(stdout)
	}
	info, err := os.Stat(name)
	direct := err == nil && !info.Mode().IsRegular()
	var f *os.File
	if direct {
		f, err = os.OpenFile(name, os.O_WRONLY, 0)
	} else {
		f, err = os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	}
	if err != nil {
		return err
	}
	if err = errors.Join(do(f), f.Close()); err == nil && !direct {
		err = os.Rename(f.Name(), name)
	}
	if err != nil && !direct {
		os.Remove(f.Name())
	}
	return err
}
