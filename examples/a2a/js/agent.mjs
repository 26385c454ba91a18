// Agent is an agent of A2A made with the SDK of JavaScript: it answers each message with a
// proposal and a vote for it, as the members of a team of swarmbus are asked to.
//
//	node agent.mjs VERSION ANSWER        # 1.0 or 0.3; it prints its address
import express from "express";
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server";
import { agentCardHandler, jsonRpcHandler, UserBuilder } from "@a2a-js/sdk/server/express";
import { TaskState } from "@a2a-js/sdk";

const [version, answer] = process.argv.slice(2);
const executor = {
  async execute(context, bus) {
    const { taskId, contextId, userMessage } = context;
    bus.publish(AgentEvent.task({ id: taskId, contextId, status: { state: TaskState.TASK_STATE_WORKING }, artifacts: [], history: [userMessage] }));
    const said = {
      say: [
        { type: "proposal", content: answer, reasons: "it is free", confidence: 0.9 },
        { type: "vote", proposal: "new", reasons: "it is free", stance: "agree", confidence: 0.9 },
      ],
    };
    const parts = [{ content: { $case: "text", value: JSON.stringify(said) }, filename: "", mediaType: "application/json" }];
    bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, artifact: { artifactId: "said", name: "said", description: "", parts, extensions: [] }, append: false, lastChunk: true }));
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: { state: TaskState.TASK_STATE_COMPLETED } }));
    bus.finished();
  },
  async cancelTask() {},
};
const app = express();
const server = app.listen(0, "127.0.0.1", () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  const card = {
    name: "voter", description: "Votes", version: "1", skills: [], signatures: [], defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain", "application/json"],
    capabilities: { streaming: true, extensions: [] }, securitySchemes: {}, securityRequirements: [], provider: undefined,
    supportedInterfaces: [{ url: `${url}/rpc`, protocolBinding: "JSONRPC", protocolVersion: version, tenant: "" }],
  };
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  const legacyCompat = { enabled: version === "0.3" };
  app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: requestHandler, legacyCompat }));
  app.use("/rpc", jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication, legacyCompat }));
  console.log(url);
});
