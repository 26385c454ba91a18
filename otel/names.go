package otel

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/swarmbus/swarmbus/agents/hooks"
)

// This file has every name that is recorded, with its source.
//
//   - messaging.*, error.type, exception.*: OpenTelemetry semantic conventions,
//     version conventions.
//   - gen_ai.*, mcp.*, invoke_workflow, invoke_agent, chat, execute_tool: version
//     genAIConventions, the last one that has them. They have since moved to a
//     repository of their own, which has no release yet.
//   - gen_ai.invoke_workflow.duration, gen_ai.invoke_agent.duration and
//     gen_ai.execute_tool.duration: that repository, semantic-conventions-genai,
//     pull requests 201 and 341 of June 2026.
//   - swarmbus.*: ours. Nothing exists for votes and decisions.
//
// All of the conventions' names are in development and will change. A test looks
// them up in the versions pinned here; when one is raised it reports what has
// changed.
const (
	conventions      = "1.43.0"
	genAIConventions = "1.41.0"
)

// schemaURL is the schema of the conventions that spans and metrics follow.
const schemaURL = "https://opentelemetry.io/schemas/" + conventions

// scope is the name of the instrumentation: of its tracer and its meter.
const scope = "github.com/swarmbus/swarmbus/otel"

// system is the value of messaging.system: a custom one, as the conventions
// allow.
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
	keyInput        attribute.Key = "gen_ai.input.messages"  // by option only
	keyOutput       attribute.Key = "gen_ai.output.messages" // by option only
	keyTokenType    attribute.Key = "gen_ai.token.type"

	keyProvider     attribute.Key = "gen_ai.provider.name"
	keyRequestModel attribute.Key = "gen_ai.request.model"
	keyModel        attribute.Key = "gen_ai.response.model"
	keyFinish       attribute.Key = "gen_ai.response.finish_reasons"
	keyInputTokens  attribute.Key = "gen_ai.usage.input_tokens"
	keyOutputTokens attribute.Key = "gen_ai.usage.output_tokens"
	keyTool         attribute.Key = "gen_ai.tool.name"
	keyToolType     attribute.Key = "gen_ai.tool.type"
	keyCall         attribute.Key = "gen_ai.tool.call.id"
	keyMost         attribute.Key = "gen_ai.request.max_tokens"
	keyTemperature  attribute.Key = "gen_ai.request.temperature"
	keyRequestSeed  attribute.Key = "gen_ai.request.seed"
	keyOutputType   attribute.Key = "gen_ai.output.type"
	keyResponse     attribute.Key = "gen_ai.response.id"
	keyFirstChunk   attribute.Key = "gen_ai.response.time_to_first_chunk"
	keyCachedRead   attribute.Key = "gen_ai.usage.cache_read.input_tokens"

	keyServer    attribute.Key = "server.address"
	keyPort      attribute.Key = "server.port"
	keyTransport attribute.Key = "network.transport"

	keyMCPMethod   attribute.Key = "mcp.method.name"
	keyMCPProtocol attribute.Key = "mcp.protocol.version"

	keyException attribute.Key = "exception.type"
	keyMessageOf attribute.Key = "exception.message" // by option only
	keyStack     attribute.Key = "exception.stacktrace"
)

// Attributes of ours.
const (
	keyRound      attribute.Key = "swarmbus.round"
	keySeq        attribute.Key = "swarmbus.seq"
	keySource     attribute.Key = "swarmbus.source"
	keyThread     attribute.Key = "swarmbus.thread"
	keyReader     attribute.Key = "swarmbus.reader"
	keyFate       attribute.Key = "swarmbus.fate"
	keyConfidence attribute.Key = "swarmbus.confidence"
	keyFailed     attribute.Key = "swarmbus.failed" // on every span with status Error, to find them by
	keyReason     attribute.Key = "swarmbus.reason" // in words; only numbers and names, unless by option

	// The results of the deliveries of a publish.
	keyDelivered     attribute.Key = "swarmbus.deliveries.delivered"
	keyFiltered      attribute.Key = "swarmbus.deliveries.filtered" // by the reader's filter, or because no reader was left
	keyLate          attribute.Key = "swarmbus.deliveries.late"     // when the solve was over
	keyDead          attribute.Key = "swarmbus.deliveries.dead"
	keySlowest       attribute.Key = "swarmbus.deliveries.slowest"        // seconds from commit until the reader was done; of a solve, until the next round began
	keySlowestReader attribute.Key = "swarmbus.deliveries.slowest_reader" // outside of solves
	keyBehind        attribute.Key = "swarmbus.delivery.late"             // of a delivery: the span of its publish was closed

	// What signals say of a decision.
	keyProposal attribute.Key = "swarmbus.proposal"
	keySameAs   attribute.Key = "swarmbus.same_as" // the proposal that it is taken for
	keyStance   attribute.Key = "swarmbus.vote.stance"
	keyWeight   attribute.Key = "swarmbus.vote.weight"  // as the voter states it
	keyCounted  attribute.Key = "swarmbus.vote.counted" // by the last decision of the solve
	keyCause    attribute.Key = "swarmbus.vote.cause"   // why it was not
	keyTarget   attribute.Key = "swarmbus.target"       // the signal that is doubted or challenged
	keySeverity attribute.Key = "swarmbus.severity"
	keyReplyTo  attribute.Key = "swarmbus.reply_to" // the signal that is answered

	keyContent attribute.Key = "swarmbus.content" // by option only
	keyLink    attribute.Key = "swarmbus.link"    // what a link is: see linkOrigin

	keyPolicy    attribute.Key = "swarmbus.tool.policy"  // of a call of a tool: allow, ask or deny
	keyOutcomeOf attribute.Key = "swarmbus.tool.outcome" // how the call ended: done, failed, denied, …

	keyCost     attribute.Key = "swarmbus.cost.usd"
	keyHeard    attribute.Key = "swarmbus.turn.heard"   // which signals
	keySaid     attribute.Key = "swarmbus.turn.said"    // how many
	keyDropped  attribute.Key = "swarmbus.turn.dropped" // its result was not used
	keyAsked    attribute.Key = "swarmbus.turn.asked"   // it waits for a person
	keyTurnLate attribute.Key = "swarmbus.turn.late"    // its round went on without it
	keyTry      attribute.Key = "swarmbus.turn.try"     // of one that is taken again
	keyStop     attribute.Key = "swarmbus.stop_reason"
	keyMode     attribute.Key = "swarmbus.mode"    // how a solve worked that does not simply deliberate
	keyDecided  attribute.Key = "swarmbus.decided" // one way or the other
	keySeed     attribute.Key = "swarmbus.seed"
	keyRounds   attribute.Key = "swarmbus.rounds"
	keySignals  attribute.Key = "swarmbus.signals"
	keyConflict attribute.Key = "swarmbus.conflicts"

	keyTaken        attribute.Key = "swarmbus.turns.taken"
	keyTurnsFailed  attribute.Key = "swarmbus.turns.failed"
	keyTurnsLate    attribute.Key = "swarmbus.turns.late"
	keyTurnsDropped attribute.Key = "swarmbus.turns.dropped"
	keyRetried      attribute.Key = "swarmbus.turns.retried"
	keyLeftBehind   attribute.Key = "swarmbus.left_behind" // agents that did not listen to their context
	keyEscalatedBy  attribute.Key = "swarmbus.escalated_by"
	keyOptions      attribute.Key = "swarmbus.options" // proposals to choose from, for the person asked
	keyRefused      attribute.Key = "swarmbus.signals_refused"
	keyIsRefused    attribute.Key = "swarmbus.refused" // on the event of one signal, to find it by

	keyStrategy attribute.Key = "swarmbus.strategy"
	keyOutcome  attribute.Key = "swarmbus.outcome"
	keyChoice   attribute.Key = "swarmbus.choice"
	keyLeaders  attribute.Key = "swarmbus.leaders"
	keySupport  attribute.Key = "swarmbus.support"
	keyVoters   attribute.Key = "swarmbus.voters"

	keyThreshold attribute.Key = "swarmbus.threshold"
	keyQuorum    attribute.Key = "swarmbus.quorum"
	keyShortfall attribute.Key = "swarmbus.shortfall" // the support that is missing
	keyMissing   attribute.Key = "swarmbus.missing"   // voters who have not voted and may still change it

	keyProposals attribute.Key = "swarmbus.proposals" // the two of a conflict
	keySources   attribute.Key = "swarmbus.sources"   // of the two
	keyRivals    attribute.Key = "swarmbus.rivals"    // the two signals
	keyHow       attribute.Key = "swarmbus.how"       // a conflict was settled
	keyWinner    attribute.Key = "swarmbus.winner"    // of the two signals
	keyHows      attribute.Key = "swarmbus.settled"   // of a solve: how its conflicts were, in log order
	keyObstacles attribute.Key = "swarmbus.obstacles" // because of which a choice is withheld

	// Of a solve: how many findings and objections its choice has, what was taken back, and
	// who moved it.
	keyFor        attribute.Key = "swarmbus.claims.for"
	keyAgainst    attribute.Key = "swarmbus.claims.against"
	keyObjections attribute.Key = "swarmbus.claims.objections"
	keyRetracted  attribute.Key = "swarmbus.claims.retracted"
	keyFallen     attribute.Key = "swarmbus.claims.fallen" // votes
	keyCredit     attribute.Key = "swarmbus.credit"

	// Expected against actual challengers: see settle.Groupthink.
	keyChallengers attribute.Key = "swarmbus.challengers"
	keyExpected    attribute.Key = "swarmbus.challengers.expected"
	keyGroupthink  attribute.Key = "swarmbus.groupthink.risk"

	// What hearing each other changed: see solves.Diagnosis.
	keyFlips  attribute.Key = "swarmbus.talk.flips"  // which
	keyBefore attribute.Key = "swarmbus.talk.before" // of the agents that stood for something before it, the share for the same; 1: unanimous
	keyAfter  attribute.Key = "swarmbus.talk.after"  // after it
)

// What a link is.
const (
	linkOrigin = "origin"   // of a delivery: where its signal was said
	linkReply  = "reply_to" // of a publish: the publish of the signal that it answers
	linkHeard  = "heard"    // of a turn: the publish of a signal of its inbox
)

// Events of spans.
const (
	eventException  = "exception" // of the conventions
	eventConflict   = "swarmbus.conflict"
	eventEscalation = "swarmbus.escalation"
	eventRefused    = "swarmbus.refused"
)

// Metrics: of the conventions, and ours.
const (
	metricSent     = "messaging.client.sent.messages"
	metricConsumed = "messaging.client.consumed.messages"

	metricWorkflow = "gen_ai.invoke_workflow.duration"
	metricAgent    = "gen_ai.invoke_agent.duration"
	metricTool     = "gen_ai.execute_tool.duration"
	metricModel    = "gen_ai.client.operation.duration"
	metricTokens   = "gen_ai.client.token.usage"
	metricFirst    = "gen_ai.client.operation.time_to_first_chunk"

	metricLatency   = "swarmbus.delivery.duration"
	metricBacklog   = "swarmbus.backlog"
	metricDead      = "swarmbus.dead_letters"
	metricConflicts = "swarmbus.conflicts.open"
	metricDecisions = "swarmbus.decisions"
	metricVotes     = "swarmbus.decision.votes"
)

// A style defines the span of an op: its name is the verb, then the target.
type style struct {
	verb      string
	kind      trace.SpanKind
	genAI     bool            // the verb is a gen_ai.operation.name
	target    []attribute.Key // that say the target again
	messaging string          // the messaging.operation.type; "": none
}

// opTake is the part of a turn that its agent takes in another process than that of the swarm,
// which has the turn itself.
const opTake hooks.OpName = "take"

// styles of the ops that are known. Others look like themselves.
var styles = map[hooks.OpName]style{
	hooks.OpSolve:     {"invoke_workflow", trace.SpanKindInternal, true, []attribute.Key{keyWorkflow}, ""},
	hooks.OpRound:     {"round", trace.SpanKindInternal, false, nil, ""},
	hooks.OpTurn:      {"invoke_agent", trace.SpanKindInternal, true, []attribute.Key{keyAgentID, keyAgentName}, ""},
	opTake:            {"take_turn", trace.SpanKindServer, false, []attribute.Key{keyAgentID, keyAgentName}, ""},
	hooks.OpConsensus: {"evaluate_consensus", trace.SpanKindInternal, false, []attribute.Key{keyStrategy}, ""},
	hooks.OpModel:     {"chat", trace.SpanKindClient, true, []attribute.Key{keyRequestModel}, ""},
	hooks.OpTool:      {"execute_tool", trace.SpanKindInternal, true, []attribute.Key{keyTool}, ""},
	hooks.OpSend:      {publishName, trace.SpanKindProducer, false, []attribute.Key{keyDestination}, publishType},
	hooks.OpProcess:   {processName, trace.SpanKindConsumer, false, []attribute.Key{keyDestination}, processType},
}

// keysOf are the conventions' names of the attributes of ops. Others keep
// theirs.
var keysOf = map[string]attribute.Key{
	hooks.AttrProvider: keyProvider, hooks.AttrModel: keyModel, hooks.AttrFinish: keyFinish, hooks.AttrCost: keyCost, hooks.AttrTry: keyTry,
	hooks.AttrPolicy: keyPolicy, hooks.AttrOutcome: keyOutcomeOf,
	hooks.AttrInputTokens: keyInputTokens, hooks.AttrOutputTokens: keyOutputTokens, hooks.AttrCachedRead: keyCachedRead,
	hooks.AttrMost: keyMost, hooks.AttrTemperature: keyTemperature, hooks.AttrSeed: keyRequestSeed, hooks.AttrOutput: keyOutputType,
	hooks.AttrResponse: keyResponse, hooks.AttrFirstChunk: keyFirstChunk, hooks.AttrServer: keyServer, hooks.AttrPort: keyPort,
	hooks.AttrCall: keyCall, hooks.AttrToolType: keyToolType, hooks.AttrTransport: keyTransport,
	hooks.AttrMCPMethod: keyMCPMethod, hooks.AttrMCPProtocol: keyMCPProtocol,
}

func styleOf(name hooks.OpName) style {
	if s, known := styles[name]; known {
		return s
	}
	return style{verb: string(name), kind: trace.SpanKindInternal}
}

// tokenTypes are the values of gen_ai.token.type.
var tokenTypes = map[string]string{hooks.AttrInputTokens: "input", hooks.AttrOutputTokens: "output"}
