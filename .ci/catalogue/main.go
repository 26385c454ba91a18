// Command catalogue prints the data of package catalogue, from that of Catwalk: run it as
//
//	cd .ci/catalogue && GOWORK=off go run . >../../swarm/teams/catalogue/catalogue.tsv
package main

import (
	"fmt"
	"strings"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"
)

// bases are those of providers whose own is in a variable, or of another protocol.
var bases = map[catwalk.InferenceProvider]string{
	"anthropic": "https://api.anthropic.com",
	"openai":    "https://api.openai.com/v1",
	"gemini":    "https://generativelanguage.googleapis.com/v1beta/openai",
}

func main() {
	fmt.Println("# Made by .ci/catalogue from charm.land/catwalk v0.52.1, MIT License, Copyright (c) 2025 Charmbracelet, Inc.")
	fmt.Println("# Provider: id, name, protocol, base URL, variable with the key, small model. Model: name, dollars for a million tokens of input, output, read from a cache, written to it, then the window.")
	for _, p := range embedded.GetAll() {
		base, protocol := p.APIEndpoint, "openai"
		if own := bases[p.ID]; own != "" {
			base = own
		}
		if p.Type == catwalk.TypeAnthropic {
			protocol = "anthropic"
		}
		key, named := strings.CutPrefix(p.APIKey, "$")
		if !strings.HasPrefix(base, "https://") || !named {
			continue
		}
		fmt.Println(strings.Join([]string{string(p.ID), p.Name, protocol, base, key, p.DefaultSmallModelID}, "\t"))
		for _, m := range p.Models {
			read, written := 0.0, 0.0 // as much as other input, which is never too little
			for _, x := range []float64{m.CostPer1MInCached, m.CostPer1MOutCached} {
				if x < m.CostPer1MIn {
					read = max(read, x)
				} else if x > m.CostPer1MIn {
					written = m.CostPer1MInCached
				}
			}
			fmt.Printf("\t%s\t%v\t%v\t%v\t%v\t%d\n", m.ID, m.CostPer1MIn, m.CostPer1MOut, read, max(0, written), m.ContextWindow)
		}
	}
}
