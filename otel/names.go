package otel

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/swarmbus/swarmbus/agents"
)

// Every name that is recorded is in this file, with where it comes from.
//
//   - messaging.*, error.type: OpenTelemetry semantic conventions 1.43.0,
//     messaging (development). A test compares them with Go's semconv/v1.43.0.
//   - gen_ai.*, invoke_workflow, invoke_agent: OpenTelemetry semantic conventions
//     1.41.0, generative AI (development): the last version that Go's packages
//     have these names of. Compared by the same test.
//   - swarmbus.*: ours. Nothing exists for votes and decisions.

// SchemaURL is the schema of the conventions that spans and metrics follow.
const SchemaURL = "https://opentelemetry.io/schemas/1.43.0"

// scope is the name of the instrumentation: of its tracer and its meter.
const scope = "github.com/swarmbus/swarmbus/otel"

// system is the value of messaging.system: an own one, as the list of
// conventions allows.
const system = "swarmbus"

// Operations of messaging: the first word of a span's name.
const (
	publishName = "publish"
	processName = "process"
	publishType = "send"
	processType = "process"
)

// Attributes of the conventions.
const (
	keySystem      attribute.Key = "messaging.system"
	keyOperation   attribute.Key = "messaging.operation.name"
	keyType        attribute.Key = "messaging.operation.type"
	keyDestination attribute.Key = "messaging.destination.name"
	keyMessage     attribute.Key = "messaging.message.id"
	keyError       attribute.Key = "error.type"

	keyGenAI        attribute.Key = "gen_ai.operation.name"
	keyConversation attribute.Key = "gen_ai.conversation.id"
	keyAgentID      attribute.Key = "gen_ai.agent.id"
	keyAgentName    attribute.Key = "gen_ai.agent.name"
	keyWorkflow     attribute.Key = "gen_ai.workflow.name"

	keyProvider     attribute.Key = "gen_ai.provider.name"
	keyRequestModel attribute.Key = "gen_ai.request.model"
	keyModel        attribute.Key = "gen_ai.response.model"
	keyFinish       attribute.Key = "gen_ai.response.finish_reasons"
	keyInputTokens  attribute.Key = "gen_ai.usage.input_tokens"
	keyOutputTokens attribute.Key = "gen_ai.usage.output_tokens"
	keyTool         attribute.Key = "gen_ai.tool.name"

	keyException attribute.Key = "exception.type"
	keyMessageOf attribute.Key = "exception.message" // by option only
	keyStack     attribute.Key = "exception.stacktrace"
)

// Attributes of ours.
const (
	keyRound      attribute.Key = "swarmbus.round"
	keySeq        attribute.Key = "swarmbus.seq"
	keySource     attribute.Key = "swarmbus.source"
	keyReader     attribute.Key = "swarmbus.reader"
	keyFate       attribute.Key = "swarmbus.fate"
	keyLatency    attribute.Key = "swarmbus.delivery.seconds" // from commit until the reader was done
	keyConfidence attribute.Key = "swarmbus.confidence"
	keyContent    attribute.Key = "swarmbus.content" // by option only
	keyLink       attribute.Key = "swarmbus.link"    // what a link is: see linkOrigin

	keyCost     attribute.Key = "swarmbus.cost.usd"
	keyHeard    attribute.Key = "swarmbus.turn.heard" // signals
	keySaid     attribute.Key = "swarmbus.turn.said"  // signals
	keyDropped  attribute.Key = "swarmbus.turn.dropped"
	keyStop     attribute.Key = "swarmbus.stop_reason"
	keyRounds   attribute.Key = "swarmbus.rounds"
	keySignals  attribute.Key = "swarmbus.signals"
	keyTurns    attribute.Key = "swarmbus.turns"
	keyConflict attribute.Key = "swarmbus.conflicts"

	keyStrategy attribute.Key = "swarmbus.strategy"
	keyOutcome  attribute.Key = "swarmbus.outcome"
	keyChoice   attribute.Key = "swarmbus.choice"
	keyLeaders  attribute.Key = "swarmbus.leaders"
	keySupport  attribute.Key = "swarmbus.support"
	keyVoters   attribute.Key = "swarmbus.voters"

	keyProposals attribute.Key = "swarmbus.proposals" // the two of a conflict
	keySources   attribute.Key = "swarmbus.sources"   // of the two
	keyRivals    attribute.Key = "swarmbus.rivals"    // the ids of the two signals
)

// What a link is.
const (
	linkOrigin = "origin"   // of a delivery: where its signal was said
	linkReply  = "reply_to" // of a publish: the signal that it answers
	linkHeard  = "heard"    // of a turn: where a signal of its inbox was said
)

// Events of spans.
const (
	eventException  = "exception" // of the conventions
	eventConflict   = "swarmbus.conflict"
	eventEscalation = "swarmbus.escalation"
	eventRefused    = "swarmbus.refused"
	eventDead       = "swarmbus.dead_letter"
	eventStop       = "swarmbus.stop"
)

// Metrics: of the conventions, and ours.
const (
	metricSent     = "messaging.client.sent.messages"
	metricConsumed = "messaging.client.consumed.messages"

	metricLatency   = "swarmbus.delivery.duration"
	metricBacklog   = "swarmbus.backlog"
	metricDead      = "swarmbus.dead_letters"
	metricConflicts = "swarmbus.conflicts.open"
	metricDecisions = "swarmbus.decisions"
	metricVotes     = "swarmbus.decision.votes"
	metricDuration  = "swarmbus.solve.duration"
)

// A style is how an op looks as a span: its name is the verb, then the
// target.
type style struct {
	verb   string
	kind   trace.SpanKind
	genAI  bool            // the verb is a gen_ai.operation.name
	target []attribute.Key // that say the target again
}

// styles of the ops that are known. Others look like themselves.
var styles = map[agents.OpName]style{
	agents.OpSolve:     {"invoke_workflow", trace.SpanKindInternal, true, []attribute.Key{keyWorkflow}},
	agents.OpRound:     {"round", trace.SpanKindInternal, false, nil},
	agents.OpTurn:      {"invoke_agent", trace.SpanKindInternal, true, []attribute.Key{keyAgentID, keyAgentName}},
	agents.OpConsensus: {"evaluate_consensus", trace.SpanKindInternal, false, []attribute.Key{keyStrategy}},
	agents.OpModel:     {"chat", trace.SpanKindClient, true, []attribute.Key{keyRequestModel}},
	agents.OpTool:      {"execute_tool", trace.SpanKindInternal, true, []attribute.Key{keyTool}},
}

// keysOf are the conventions' names of the attributes of ops. Others keep
// theirs.
var keysOf = map[string]attribute.Key{
	agents.AttrProvider: keyProvider, agents.AttrModel: keyModel, agents.AttrFinish: keyFinish, agents.AttrCost: keyCost,
	agents.AttrInputTokens: keyInputTokens, agents.AttrOutputTokens: keyOutputTokens,
}

func styleOf(name agents.OpName) style {
	if s, known := styles[name]; known {
		return s
	}
	return style{verb: string(name), kind: trace.SpanKindInternal}
}
