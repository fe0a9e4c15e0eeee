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

// open opens a file: - is standard input, and .gz is unpacked.
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

// longest is the most bytes that a line has: it bounds the memory that a file can take.
const longest = 1 << 20

// lines yields the lines of a file, without their ends, and what is wrong with each. An error of
// reading is the last line's.
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

// at says in which line of a file an error is.
func at(file string, line int, err error) error {
	if file == "-" {
		file = "standard input"
	}
	return fmt.Errorf("%s:%d: %w", file, line, err)
}

// write makes do write a file, whole or not at all. What is no regular file, such as a pipe, is
// written to directly, and - is standard output.
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
