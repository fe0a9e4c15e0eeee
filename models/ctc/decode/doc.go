// Package decode finds the texts that the frames of a recognizer spell.
package decode
