// Openfst measures package fst and OpenFst in one run on the same files, and prints a table of
// processor time and peak memory.
//
//	go run ./internal/openfst [-runs n] [-tasks pattern] FOLDER
//
// FOLDER has the inputs of the benchmarks (see package benchdata). OpenFst's headers and
// library and a C++ compiler must be installed. The idea: each side of a task is a separate
// process, and the two take turns. Both read the same files in OpenFst's binary format, and the
// program prints a table only if both sides have the same results.
//
// A time is the minimum over all runs. It counts all threads, includes garbage collection and
// excludes the reading of inputs. A peak is the memory of the whole process at the end of its
// first run of the task, inputs included; the minimum over the processes counts.
package main
