// Package transcript shows a solve: as text that a person enjoys, or as JSON
// lines that a program reads.
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
// Text is plain unless it is told to use colour; package terminal finds out what
// a terminal has. What agents say is data: characters that a terminal would act
// on are shown as escapes, and texts are cut to a line. What speaks for a
// proposal is shown as support, and as a probability of being right only where the
// swarm has learned one.
//
// Neither form contains wall-clock times of its own but for the last line of
// the text, so the JSON lines of a repeated run are the same, byte for byte.
//
// Beside the standard library and the swarm's own, the package takes in one
// module and what that needs, to count columns: clipperhouse/displaywidth.
package transcript
