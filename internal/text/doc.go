// Package text cuts and escapes what agents, models, servers and users say. Nobody else does:
// what a terminal, a prompt or an error shows is safe because of this package.
//
// [Printable] and [Line] are for terminals and errors, [Quote] is for a quotation in an error,
// [Prompt] for one in a prompt, and [JSON] for JSON that a terminal may show. [Cut], [Fit]
// and [Shorten] keep texts short. None of them fails, whatever the text is, and all return valid
// UTF-8. [Plain] compares texts by what they say.
package text
