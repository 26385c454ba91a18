// Package fit learns from the votes of many decisions how reliable their voters are. It is the workshop of package
// reliability: a [Batch] goes in, a [Model] comes out, and nothing is kept in between.
package fit
