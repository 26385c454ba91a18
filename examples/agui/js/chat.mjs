// Chat is a frontend without a page: the client of AG-UI gives a team a task, prints what its
// agents say, and answers what they ask a person: a proposal, or once, solve or deny for a tool.
//
//	node chat.mjs http://127.0.0.1:7333/api/agui/teams/platform TOKEN "TASK" [ANSWER]
//
// Each event is checked against the schemas of the protocol, and the state that the client has
// in the end against that of a run that shows the solve again.
import { isDeepStrictEqual } from "node:util";
import { HttpAgent, buildResumeArray } from "@ag-ui/client";
import { EventSchemas } from "@ag-ui/core/schemas";

const [url, token, task, answer] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${token}` };
// What agents say must not control the terminal.
const print = (text) => console.log(text.replace(/[^\P{C}\n]/gu, "\ufffd"));
const warned = [];
console.warn = (...words) => warned.push(words.join(" "));
const kinds = new Set();

// watch runs an agent, and returns the outcome.
async function watch(agent, parameters, show) {
  let outcome;
  await agent.runAgent(parameters, {
    onEvent({ event }) {
      EventSchemas.parse(event);
      kinds.add(event.type);
    },
    onTextMessageEndEvent({ event, textMessageBuffer }) {
      const by = agent.messages.find((m) => m.id === event.messageId)?.name;
      if (show) print(`${by}: ${textMessageBuffer}`);
    },
    onRunFinishedEvent(params) {
      outcome = params.event.outcome;
    },
    onRunErrorEvent({ event }) {
      throw new Error(event.message);
    },
  });
  return outcome;
}

const agent = new HttpAgent({ url, headers });
agent.addMessage({ id: "1", role: "user", content: task });
let outcome = await watch(agent, {}, true);
while (outcome.type === "interrupt") {
  const answers = {};
  for (const asked of outcome.interrupts) {
    print(`? ${asked.message}\n> ${answer}`);
    const payload = asked.reason === "tool_call" ? { verdict: answer } : { vote: answer };
    answers[asked.id] = { status: "resolved", payload };
  }
  outcome = await watch(agent, { resume: buildResumeArray(outcome.interrupts, answers) }, true);
}
const { solve, decision } = agent.state;
print(`\n${outcome.type}: ${solve.state}: ${solve.answer}\n${decision.reason}`);

// The same solve, shown again to a frontend that comes later.
const later = new HttpAgent({ url: new URL(`../solves/${solve.id}`, url).href, headers });
await watch(later, {}, false);
if (!isDeepStrictEqual(later.state.proposals, agent.state.proposals) || !isDeepStrictEqual(later.state.decision, decision)) {
  throw new Error(`the states differ: ${JSON.stringify(agent.state)} and ${JSON.stringify(later.state)}`);
}
const ids = (a) => a.messages.filter((m) => m.role !== "user").map((m) => m.id);
const lost = ids(later).filter((id) => !agent.messages.some((m) => m.id === id));
if (lost.length > 0 || warned.length > 0) throw new Error(`lost: ${lost}; warnings: ${warned}`);
print(`${ids(later).length} messages, ${kinds.size} kinds of events: ${[...kinds].sort().join(" ")}`);
