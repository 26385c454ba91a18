// Package transcript shows a solve as text for people, or as JSON lines for
// programs.
//
//	show := transcript.Text(os.Stdout, nil)
//	for event, err := range s.Stream(ctx, task) {
//		if err != nil {
//			return err
//		}
//		if err := show(event); err != nil {
//			return err
//		}
//	}
//
// Text is plain unless colour is enabled; the command
// enables it on terminals that have it. Texts of agents are data: characters that a terminal
// would interpret are shown as escapes, and lines are cut to the width. Proposals are
// shown with their support, and with a probability of being right only if the
// swarm has learned one.
//
// Neither form adds wall-clock times, except in the last line of the text, so
// the JSON lines of a repeated run are the same, byte for byte.
//
// In addition to the dependencies of package swarm, the package needs one
// module and its dependencies, to measure the width of text:
// clipperhouse/displaywidth.
package transcript
