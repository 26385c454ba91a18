// Package generated is mostly written by a program.
package generated

func Written() {}
