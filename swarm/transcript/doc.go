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
// Text uses colour when it writes to a terminal that has it, and is plain
// otherwise; NO_COLOR and TERM count. What agents say is data: characters that
// a terminal would act on are shown as escapes, and texts are cut to a line.
//
// Neither form contains wall-clock times of its own but for the last line of
// the text, so the JSON lines of a repeated run are the same, byte for byte.
package transcript
