// Openfst measures package fst beside OpenFst, in one run and on the same files, and
// prints a table of processor time and peak memory.
//
//	go run ./internal/openfst [-runs n] [-tasks pattern] FOLDER
//
// FOLDER has the inputs of the benchmarks (see package benchdata). OpenFst's headers and
// library and a C++ compiler have to be installed. The idea: both sides of a task are
// processes of their own, which take turns; both read the same files of OpenFst's binary
// form; what a side finds must be what the other finds, or there is no table.
//
// A time is the least of all runs. It counts all threads, includes the collection of garbage
// and excludes the reading of inputs. A peak is the memory of the whole process at the end
// of its first run of the task, inputs included; the least of the processes counts.
package main
