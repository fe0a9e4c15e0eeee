package crf

// What tests of files write.
type File = file

var FileFormat = fileFormat
