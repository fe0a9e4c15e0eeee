// Package models lets models of this library be trained by package beam: it is what they
// offer to workers.
//
//	model                       registered by         the driver trains
//	cascade.Model, channel.Model     RegisterCascade       what beam.New returns
//	grammar.Model               Grammar               what beam.New returns
//	align.Model                 Align, with Via       align.Model.Fit, stage by stage
//
// A line of a shard is an example: as a function says for a cascade, tags with spaces in
// between for a grammar, a sentence and its translation with ||| in between for an alignment.
package models
