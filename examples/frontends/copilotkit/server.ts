// CopilotKit's runtime on Node: it has the key of the Worker, pages have none.
import { createServer } from "node:http";
import { HttpAgent } from "@ag-ui/client";
import { CopilotRuntime, InMemoryAgentRunner } from "@copilotkit/runtime/v2";
import { createCopilotNodeListener } from "@copilotkit/runtime/v2/node";

const {
  EDGECREW_URL = "http://localhost:8787",
  EDGECREW_KEY = "",
  AGENTS = "clerk",
  PORT = "4000",
} = process.env;

/** An agent of the Worker. */
class WorkerAgent extends HttpAgent {
  /** A run outlives its connection, so the stop button says that it is to end. */
  override abortRun(): void {
    const { url, threadId, headers } = this;
    void fetch(`${url}/threads/${threadId}/cancel`, { method: "POST", headers });
    super.abortRun();
  }
}

const agents = Object.fromEntries(
  AGENTS.split(",").map((agentId) => {
    const url = `${EDGECREW_URL}/ag-ui/${agentId}`;
    return [
      agentId,
      new WorkerAgent({ agentId, url, headers: { authorization: `Bearer ${EDGECREW_KEY}` } }),
    ];
  }),
);

/** Shows threads as the Worker has them, also after a restart of this server. */
class WorkerThreads extends InMemoryAgentRunner {
  override connect({ threadId, agentId = "" }: Parameters<InMemoryAgentRunner["connect"]>[0]) {
    const agent = agents[agentId];
    if (agent === undefined) throw new Error(`there is no agent ${agentId}`);
    const nothing = { messages: [], tools: [], context: [] };
    return agent.clone().run({ threadId, runId: crypto.randomUUID(), ...nothing });
  }
}

const runtime = new CopilotRuntime({ agents, runner: new WorkerThreads() });
createServer(createCopilotNodeListener({ runtime, basePath: "/api/copilotkit" })).listen(
  Number(PORT),
  "127.0.0.1",
);
