package modelstest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
)

// careless is an adapter that keeps its secrets but for what is spoilt.
type careless struct {
	base, key string
	header    http.Header
	redirects bool // are followed
	quotes    bool // what the server says
}

func (c *careless) ID() models.ID { return models.ID{Provider: "careless", Name: Name} }

func (c *careless) Ask(ctx context.Context, _ *models.Request) (*models.Answer, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base, nil)
	if err != nil {
		return nil, err
	}
	r.Header = c.header.Clone()
	r.Header.Set("X-Api-Key", c.key)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	if !c.redirects {
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	resp, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode == http.StatusOK {
		return nil, err
	}
	if !c.quotes {
		text = nil
	}
	return nil, models.StatusError(c.ID(), resp.StatusCode, resp.Header, string(text))
}

func TestTheSuiteFindsModelsThatDoNotKeepTheirSecrets(t *testing.T) {
	for want, spoil := range map[string]func(*careless){
		"":                          func(*careless) {},
		"NoErrorQuotesThem":         func(c *careless) { c.quotes = true },
		"WhatCannotBeSentIsRefused": nil,
		"NoRedirectIsFollowed":      func(c *careless) { c.redirects = true },
	} {
		open := func(base, key string, header http.Header) (models.Model, error) {
			key = strings.TrimSpace(key)
			isOdd := func(s string) bool { return strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) }
			c := &careless{base: base, key: key, header: header}
			switch {
			case spoil != nil:
				spoil(c)
				if isOdd(key) || isOdd(header.Get("X-Key")) {
					return nil, errors.New("it cannot be sent")
				}
			case isOdd(key):
				return nil, fmt.Errorf("the key %q cannot be sent", key)
			}
			return c, nil
		}
		var got []string
		for _, c := range secrets {
			if c.check(open) != nil {
				got = append(got, c.name)
			}
		}
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("with %q broken the suite finds %q", want, got)
		}
	}
}
