// Package items divides an array of JSON into its elements without reading them. What is
// wrong inside an element, such as a number that is NaN, is found by whoever decodes that
// element, and costs only that one:
//
//	end, err := items.Each(text, 0, func(at int, element []byte) error {
//		return decode(element) // text[at:] begins with it
//	})
//
// An array whose brackets or strings do not match ends with an error: it cannot be said
// where its next element begins.
package items
