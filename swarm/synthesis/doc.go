// Package synthesis says the answer of a solve as a text: what was decided and what it
// stands on, the dissent with its strongest reason, the conflicts that are open, and what
// would change it.
//
//	fmt.Println(result.Synthesis().Text)
//
// Each sentence that claims something ends with the places in the log that it is from, such
// as [12]. [Brief.Text] is a template, a function of the log. A [Writer], such as a model
// (package writer), may say it better: its text is used if it cites the log as well
// ([Brief.Check]), and is recorded ([Written]), so that a log that is read, replayed or
// resumed has it without another call. Otherwise the template is recorded, with the reason.
package synthesis
