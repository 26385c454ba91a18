package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// examples are lines that each command's help shows, by the command's path.
var examples = map[string]string{
	"swarmbus":              "swarmbus solve \"Which retry policy?\" --journal retries\nswarmbus show retries\nswarmbus serve --demo",
	"swarmbus solve":        "swarmbus solve \"Which retry policy?\"\nswarmbus solve \"Which retry policy?\" --model ollama:qwen3 --model ollama:gemma3\nswarmbus solve \"Is the proof complete?\" --team review.yaml --checkable --calls 20\nswarmbus solve \"Where do we meet?\" --model openai:gpt-5-mini --mode deliberate --conflicts majority",
	"swarmbus agent":        "swarmbus agent --nats nats://127.0.0.1:4222 --team review.yaml --as planner",
	"swarmbus answer":       "swarmbus answer retries\nswarmbus answer retries --question sig_d2 \"At most three tries.\" --by ada\nswarmbus answer retries --question sig_d2 --vote planner-1\nswarmbus answer retries --call eb25249a --allow",
	"swarmbus grants":       "swarmbus grants retries\nswarmbus grants retries --revoke eb25249a --by ada",
	"swarmbus join":         "swarmbus join guards security --server http://127.0.0.1:7333",
	"swarmbus leave":        "swarmbus leave guards carl --server http://127.0.0.1:7333",
	"swarmbus say":          "swarmbus say retries \"The budget is 10 ms, not 20.\" --to ada",
	"swarmbus retract":      "swarmbus retract retries 12 \"The sample was from the wrong week.\" --by ada",
	"swarmbus agents":       "swarmbus agents retries\nswarmbus agents platform --server http://127.0.0.1:7333 --json",
	"swarmbus outcome":      "swarmbus outcome retries \"three tries with jitter\"\nswarmbus outcome platform --thread solve-1 --right planner-1 --server http://127.0.0.1:7333\nswarmbus outcome --file outcomes.csv",
	"swarmbus decide":       "swarmbus decide --votes benchmarks/data/votes --strategy all --resolve\nswarmbus decide --from csv --map task=ticket,voter=annotator,label=answer tickets.csv\nswarmbus decide --from lm-eval --items json results/*/samples_*.jsonl",
	"swarmbus team":         "swarmbus team init review.yaml --from review",
	"swarmbus team init":    "swarmbus team init review.yaml --from review",
	"swarmbus team check":   "swarmbus team check review.yaml",
	"swarmbus team policy":  "swarmbus team policy review.yaml call.json",
	"swarmbus team routes":  "swarmbus team routes teller.yaml message.json",
	"swarmbus team schema":  "swarmbus team schema > team.schema.json",
	"swarmbus team show":    "swarmbus team show decision",
	"swarmbus doctor":       "swarmbus doctor --team review.yaml --timeout 10s",
	"swarmbus rooms":        "swarmbus rooms office.yaml --room planning\nswarmbus rooms office.yaml --nats nats://n1:4222 --keys office.keys",
	"swarmbus models":       "swarmbus models\nswarmbus models openrouter",
	"swarmbus room":         "swarmbus room show planning",
	"swarmbus serve":        "swarmbus serve --demo\nswarmbus serve --addr 127.0.0.1:7400\nswarmbus serve --nats nats://n1:4222 --config serve.yaml",
	"swarmbus token":        "swarmbus token new ada --role approver",
	"swarmbus token new":    "swarmbus token new ada --role approver > ada.token",
	"swarmbus token list":   "swarmbus token list",
	"swarmbus token revoke": "swarmbus token revoke ada",
	"swarmbus keys":         "swarmbus keys system planner critic verifier --dir keys > swarm.trust",
	"swarmbus mcp":          "swarmbus mcp --team decision --model ollama:qwen3\nswarmbus mcp --demo --http",
	"swarmbus room list":    "swarmbus room list --run office",
	"swarmbus room mail":    "swarmbus room mail --run office",
	"swarmbus team list":    "swarmbus team list --json",
	"swarmbus room show":    "swarmbus room show planning §4 --run office",
	"swarmbus runs":         "swarmbus runs\nswarmbus runs ./journals\nswarmbus runs --json | jq -r 'select(.problem) | .run'",
	"swarmbus log":          "swarmbus log retries --kind proposal,vote --source planner\nswarmbus log retries --follow --json\nswarmbus log retries --format cloudevents",
	"swarmbus show":         "swarmbus show retries --full\nswarmbus show retries --follow\nswarmbus show retries --without 12,14\nswarmbus show retries --credit\nswarmbus show retries --answer\nswarmbus show retries --why\nswarmbus show platform --thread solve-1 --server http://127.0.0.1:7333",
	"swarmbus replay":       "swarmbus replay retries --check\nswarmbus replay retries --to 40",
	"swarmbus verify":       "swarmbus verify retries",
	"swarmbus export":       "swarmbus export retries > retries.jsonl",
	"swarmbus import":       "swarmbus import retries.jsonl again\nswarmbus import --format cloudevents events.jsonl again",
	"swarmbus schema":       "swarmbus schema vote > vote.schema.json\nswarmbus schema asyncapi",
	"swarmbus help":         "swarmbus help solve",
	"swarmbus completion":   "swarmbus completion bash > /etc/bash_completion.d/swarmbus",
	"swarmbus version":      "swarmbus version --json",
}

// exemplify gives a command and those below it their examples.
func exemplify(cmd *cobra.Command) {
	if lines := examples[cmd.CommandPath()]; lines != "" {
		cmd.Example = "  " + strings.ReplaceAll(lines, "\n", "\n  ")
	}
	for _, c := range cmd.Commands() {
		if cmd.Name() == "completion" { // whose commands are of shells
			c.Example = "  swarmbus completion " + c.Name() + " > swarmbus." + c.Name()
			continue
		}
		exemplify(c)
	}
}
