package demo

import (
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/signals"
)

// faint is the relevance below which the verifier does not hear a finding.
const faint = 0.2

// router returns the verifier's router, whose decisions the console explains.
func router() (*routing.Router, error) {
	return routing.New(routing.Config{
		Strategy: routing.Strategy{Routes: []routing.Route{
			{Name: "measure what is proposed", Kind: signals.KindProposal, Action: routing.Continue},
		}},
		Agent: []routing.Route{
			{Name: "hear what was measured", Kind: signals.KindToolResult, Action: routing.Continue},
		},
		Plugins: []routing.Plugin{{Name: "thrift", Routes: []routing.Route{
			{Name: "leave faint findings", Kind: signals.KindDiscovery, When: routing.When(isFaint), Action: routing.Reject},
			{Name: "no proposals at night", Kind: signals.KindProposal, Action: routing.Reject, Priority: 1_000_000},
		}}},
	})
}

func isFaint(s *signals.Signal[signals.Discovery]) bool { return s.Payload.Relevance < faint }
