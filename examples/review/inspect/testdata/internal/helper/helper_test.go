package helper_test

import (
	"context"
	"net/smtp"
	"testing"

	"fixtures.example/review/internal/helper"
)

func TestJoin(t *testing.T) {
	if got := helper.Join("a", "b", true); got != "a,b" {
		t.Errorf("got %q", got)
	}
	if (helper.Quiet{}).Enabled(context.Background(), 0) {
		t.Error("not quiet")
	}
	var _ smtp.Auth = helper.Login{}
}
