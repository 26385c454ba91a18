// Client is an agent of A2A, made with the SDK of JavaScript, that asks a team: it follows the
// team's task, answers its question, and prints the decision and the dissent.
//
//	node client.mjs http://127.0.0.1:7333/api/a2a/platform TOKEN "TASK" [PROPOSAL]
//
// The SDK speaks A2A 1.0, and with legacyCompat the team's 0.3, too. Without it, it is refused.
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from "@a2a-js/sdk/client";
import { Role, TaskState } from "@a2a-js/sdk";

const [url, token, task, vote] = process.argv.slice(2);
const fetchImpl = (input, init = {}) => fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), Authorization: `Bearer ${token}` } });
const speaks = (legacyCompat) =>
  new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl, legacyCompat })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl, legacyCompat }),
  }).createFromUrl(url, `${url}/.well-known/agent-card.json`.slice(new URL(url).origin.length));

// What agents say must not control the terminal.
const print = (text) => console.log(text.replace(/[^\P{C}\n]/gu, "\ufffd"));
const part = ($case, value) => ({ content: { $case, value }, metadata: undefined, filename: "", mediaType: "" });
const words = (parts) => parts.filter((p) => p.content?.$case === "text").map((p) => p.content.value).join("\n");

// send sends a message, and returns the task as it stops or asks.
async function send(client, taskId, parts) {
  const message = { messageId: crypto.randomUUID(), contextId: "", taskId, role: Role.ROLE_USER, parts, metadata: undefined, extensions: [], referenceTaskIds: [] };
  const made = { id: taskId, artifacts: [], updates: 0 };
  for await (const { payload } of client.sendMessageStream({ tenant: "", message, configuration: undefined, metadata: undefined })) {
    const { $case, value } = payload;
    if ($case === "task") made.id = value.id;
    if ($case === "artifactUpdate") made.artifacts.push(value.artifact);
    if ($case === "statusUpdate") {
      made.updates++;
      made.status = value.status;
      if (value.status.state === TaskState.TASK_STATE_WORKING) print(words(value.status.message.parts));
    }
  }
  return made;
}

let refused;
try {
  await send(await speaks(undefined), "", [part("text", task)]);
} catch (error) {
  refused = error.message;
}
if (!refused) throw new Error("a client that speaks 1.0 alone is not refused");
print(`A2A 1.0 alone is refused: ${refused}\n`);

const client = await speaks({ enabled: true });
let done = await send(client, "", [part("text", task)]);
while (done.status.state === TaskState.TASK_STATE_INPUT_REQUIRED) {
  print(`? ${words(done.status.message.parts)}\n> ${vote}`);
  const asked = done.status.message.parts.find((p) => p.content?.$case === "data").content.value;
  done = await send(client, done.id, [part("data", { id: asked.id, vote })]);
}
for (const a of done.artifacts) print(`\n${a.name}: ${words(a.parts)}`);
const again = await client.getTask({ tenant: "", id: done.id, historyLength: undefined });
if (again.status.state !== done.status.state || again.artifacts.length !== done.artifacts.length || again.history.length !== 1) {
  throw new Error(`the task differs: ${JSON.stringify(again)}`);
}
print(`\n${TaskState[done.status.state] ?? done.status.state}: ${done.updates} updates`);
