// Package models registers models of this library, so that package beam can train
// them.
//
//	model                       registered by         the driver trains
//	cascade.Model, channel.Model     RegisterCascade       what beam.New returns
//	grammar.Model               Grammar               what beam.New returns
//	align.Model                 Align, with Distributealign.Model.Fit, stage by stage
//
// A line of a shard is an example: for a cascade in a format that a function defines, for a grammar
// tags separated by spaces, for an alignment a sentence and its translation separated by |||.
package models
