package natsbus_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/bus/natsbus"
)

// A login may have characters that end a URL: what is left of it is no less secret.
func TestALoginIsNeverPrinted(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"s3cret", "ann:s3cret", "ann:s3c/ret", "ann:s3c,ret", "ann:s3c%zzret", "ann:s3c#ret", "ann:s3c?ret", "ann:s3 cret", "ann:s3c@ret"} {
		for _, url := range []string{"nats://" + secret + "@127.0.0.1:1", secret + "@127.0.0.1:1", "tls://h:1,nats://" + secret + "@127.0.0.1:1"} {
			if got := natsbus.Redacted(url); strings.Contains(got, "s3c") || strings.Contains(got, "ret@") || !strings.HasSuffix(got, "@127.0.0.1:1") {
				t.Errorf("%s: %s", url, got)
			}
			_, err := natsbus.Dial(t.Context(), natsbus.Options{URL: url, Process: "not a name\n"})
			if err == nil || strings.Contains(err.Error(), "s3c") || !errors.Is(err, natsbus.ErrOption) {
				t.Errorf("%s: %v", url, err)
			}
		}
	}
	if got := natsbus.Redacted("nats://h:4222,h2:4222, tls://h3"); got != "nats://h:4222,h2:4222, tls://h3" {
		t.Errorf("without a login: %s", got)
	}
}
