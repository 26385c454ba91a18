// The values of the API: see swarm/console/api and its openapi.json. Only what the page shows.

export interface Solve {
  id: string; run: string; thread: string; team?: string; task: string;
  state: "running" | "waiting" | "decided" | "undecided" | "interrupted" | "failed";
  stop?: string; detail?: string; answer?: string; revised?: boolean;
  leader?: Leader; threshold: number; spark: number[]; quorate: number; voters: number; quorum: number;
  agents: number; rounds: number; signals: number; waits: number;
  began: string; ended?: string; updated: string; seq: number;
  budget?: { limit: string; used: number }; cost: Cost;
  saying?: Record<string, string>; // what its agents are saying now, by agent: in no log
}
export interface Leader { proposal: string; content: string; support: number; confidence: number; learned: boolean }
export interface Cost { calls: number; inputTokens: number; cachedTokens?: number; outputTokens: number; dollars?: number; seconds?: number }

export interface Detail extends Solve {
  context?: string; terms: Terms; lanes: string[]; people?: string[];
  proposals: Proposal[]; votes: Vote[]; steps: Step[]; roundList: Round[]; said: Said[];
  conflicts: Conflict[]; debates: Debate[]; escalations: Escalation[]; calls: Item[]; costs: (Cost & { agent: string })[]; obstacles: string[];
  decision?: Decision; revision?: Revision; synthesis?: Synthesis; fields?: Field[]; turn?: Turning; rests: Rest[]; trace?: { id: string; url?: string };
}
export interface Terms { strategy: string; reason?: string; threshold: number; quorum: number; electorate?: string[]; learns: boolean }
export interface Proposal {
  id: string; letter: string; seq: number; round: number; by: string[]; aliases?: string[]; content: string; reasoning?: string; lost?: boolean;
  agree: number; disagree: number; abstain: number; for: number; against: number; support: number; probability: number;
}
export type Stance = "agree" | "disagree" | "abstain";
export interface Was { seq: number; proposal: string; stance: Stance; weight: number }
export interface Vote { seq: number; round: number; voter: string; proposal: string; stance: Stance; weight: number; reasoning?: string; counts: boolean; out?: number; was?: Was }
export interface Step { seq: number; support: Record<string, number>; none: number; leader?: string; confidence: number; outcome: string; voters: number }
export interface Round { round: number; seq: number; time: string; turns: string[]; debate?: string; late?: string[]; failed?: string[]; passed?: string[] }
export interface Said {
  seq: number; id: string; time: string; round: number; by: string; kind: string; form: string; about: "argument" | "vote" | "person" | "system";
  text: string; reason?: string; proposal?: string; target?: number; stance?: Stance; weight?: number; severity?: string; level?: string;
  sure: number; was?: Was; to?: string[]; error?: boolean; millis?: number;
}
export interface Conflict { solve: string; seq: number; time: string; a: string; b: string; textA: string; textB: string; open: boolean; how?: string; winner?: string; reason?: string; settled?: number }
export interface Debate { a: string; b: string; forA: string; forB: string; seq: number; ended?: number; winner?: string; reason?: string; arguments: Argument[] }
export interface Argument { seq: number; by: string; for: string; part: string; text: string }
export interface Escalation { seq: number; by: string; time: string; reason: string; context?: string; item?: string; answer?: Answered }
export interface Decision {
  strategy: string; outcome: string; choice?: string; leaders: string[]; support: number; none: number; confidence: number; learned: boolean;
  voters: number; reason: string; because?: string; firmness?: string; note?: string; withheld?: string; dissent: Vote[]; uncounted: { voter: string; proposal: string; cause: string; votes: number }[];
}
export interface Revision extends Decision { said: number[]; changed: boolean }
export interface Synthesis { text: string; by?: string; why?: string }
export interface Field { path: string; value?: string; agree: number; of: number; other?: { value?: string; by: string[] }[] }
export interface Turning { seq: number; by: string; text: string; from?: string; to: string; changers: string[]; cause?: number }
export interface Rest { voter: string; outcome: string; choice?: string; support: number; falls: boolean }
export interface Cell { strategy: string; threshold: number; outcome: string; choice?: string; leader?: string; support: number; confidence: number; withheld?: string; same: boolean }
export interface WhatIf { at: number; actual: Cell; strategies: { strategy: string; support: Record<string, number>; none: number; cells: Cell[] }[]; thresholds: number[] }

export interface Item {
  id: string; type: "question" | "tool"; solve: string; run: string; task: string; asks: string; seq: number; since: string; open: boolean;
  reason: string; context?: string; options: Option[]; tool?: Call; answer?: Answered;
}
export interface Option { proposal: string; letter: string; content: string; support: number; for: string[]; against: string[] }
export interface Call { agent: string; tool: string; args: unknown; why: string; detail: string; shown?: string; changed: boolean; solve: boolean; verdicts?: Verdict[] }
export type Verdict = "once" | "solve" | "deny" | "edit" | "respond";
export interface Answered { by: string; from?: "person" | "agent" | "program"; time: string; text?: string; vote?: string; stance?: string; verdict?: string; args?: string; seq?: number }

export interface Room { room: string; log: string; seq: number; head: string; ix: number; members: Member[]; unread: { urgent: number; normal: number; background: number }; mark: string; readTo: number; last?: string }
export interface Member { name: string; running: boolean; urgent: number; normal: number; background: number; mail: number; credits: number; next?: string; paused?: string }
export interface RoomEvent {
  id: string; type: "dialogue" | "tool" | "mailbox" | "pass" | "system" | "user" | "signal"; room: string; from: string; priority: string; ts: string; turn: number; seq?: number;
  stream?: string; part?: number; chunk?: string; done?: boolean; content?: string; why?: string; to?: string[] | string; refs?: Record<string, string>;
  ix?: number; tool_name?: string; args?: Record<string, unknown>; result?: string | null; label?: string; stub?: string | null; status?: "pending" | "running" | "done" | "error"; duration_ms?: number | null;
  subject?: string; body?: string; mailbox_id?: number; kind?: string; by?: string;
}
export interface Receipt { seq: number; id: string; priority: string; why: string; queued: string[]; full: string[] }

export interface Team { name: string; description?: string; run: string; agents: string[]; strategy: string; threshold: number; budget?: string; tasks?: string[]; deadline?: string; problem?: string }
export interface Agent {
  id: string; name: string; team?: string; rooms: string[]; role?: string; model?: string; group?: string; weight?: number; listens?: string[]; canEmit?: string[];
  tools: { tool: string; policy: string }[]; routes: number; state?: string; reliability: Reliability; solves: number; votes: number; cost: Cost; last?: string;
}
export interface Reliability { known: boolean; rate: number; right: number; told: number; low: number; high: number; weight?: number; repeats?: string }
export interface Explanation { agent: string; state?: string; signal?: number; action: string; tier?: string; route?: string; error?: string; routes: { tier: string; name: string; action: string; verdict: string }[] }

export interface Report { id: string; run: string; seq: number; time: string; worker: string; task?: string; turn: string; model?: string; status?: string; raw?: unknown; accepted: Part[]; rejected: Part[]; then: Part[]; receipt: string }
export interface Part { seq: number; kind: string; text: string; reason?: string; body: unknown }
export interface Fact { id: string; team: string; content: string; category: string; state: string; importance: number; score: number; time: string; said: { source: string; group?: string; thread: string; time: string }[] }

export interface Run { name: string; type: "solves" | "rooms" | "other"; team?: string; live: boolean; writer?: string; bytes: number; changed?: string; solves?: number; signals?: number; problem?: string }
export interface Difference { seq: number; thread?: string; what: string; a: string; b: string }
export interface ReplayCheck { run: string; identical: boolean; signals: number; conflicts: number; decisions: number; outcomes: number; difference?: Difference; problem?: string; millis: number }
export interface Verification { run: string; whole: boolean; first: number; last: number; chain: string; torn?: number; problem?: string; rooms: { room: string; events: number; head: string; fault?: string }[]; millis: number }
export interface Comparison { a: Side; b: Side; identical: boolean; common: number; difference?: Difference; rows: { a?: Said; b?: Said; same: boolean }[] }
export interface Side { solve: string; task: string; stop: string; answer: string; signals: number; rounds: number; support: number; cost: Cost }

export interface Health { ok: boolean; version: string; demo: boolean; boot: string; started: string; now: string; jaeger?: string; logs: LogHealth[]; feed: { clients: Client[]; frames: number; resyncs: number }; memory: number; goroutines: number }
export interface LogHealth { run: string; seq: number; problem?: string; published: number; held: number; account: Account; readers: Reader[] }
export interface Account { intended: number; delivered: number; filtered: number; pending: number; dead: number; balanced: boolean }
export interface Reader { name: string; site: string; pending: number; lag?: string; slow: boolean; account: Account }
export interface Client { id: string; type: string; since: string; queue: number; sent: number; resyncs: number; slow: boolean; filter: string }
export interface Session { demo: boolean; version: string; boot: string; user: string; reading?: Reading[] }
export interface Reading { run: string; type: "solves" | "rooms"; share: number }

// A Frame is one message of the feed.
export interface Frame {
  type: "hello" | "signal" | "saying" | "room" | "resync" | "alive"; log?: string; seq?: number; time?: string; kind?: string;
  solve?: Solve; said?: Said; vote?: Vote; step?: Step; changes?: string[]; item?: Item;
  room?: string; event?: RoomEvent; boot?: string; cursor?: Record<string, number>; reason?: string;
}
