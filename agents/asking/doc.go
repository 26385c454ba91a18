// Package asking defines how an agent asks a person whether it may call a tool, and how the
// person answers.
//
// A turn that needs permission ends with an [*Error], which has one [Call] for each call that
// is asked about. The driver of the agent says each as a signal in the log, and stops. A
// person's [Answer] is a signal, too, and names the call by its id. When the driver takes the
// turn again, it gives it the answers that the log has ([With]), and the turn looks them up
// ([Of]). So a question and its answer are in one place, the log, in whatever process they
// were said.
//
// # Identity
//
// The [Call.ID] of a question commits to everything that an answer allows: the thread, the
// agent, the turn and the call within it, the tool, the exact bytes of its arguments, its
// definition and the rule that asks. If one of these has changed when the call is to be made,
// the answer is that to another question, and a person is asked anew.
package asking
