// Package earlyread loads settings in the background.
package earlyread

// Load returns the settings that read returns.
func Load(read func() string) string {
	settings := ""
	go func() {
		settings = read()
	}()
	return settings
}
