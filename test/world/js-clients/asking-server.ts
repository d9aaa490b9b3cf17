// Agents of ours with a server of others that asks during its calls: `@modelcontextprotocol/server-everything`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Agent } from "../../../src/agent/description/agent.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { Task } from "../../../src/crew/tasks/task.ts";
import { mcpServer } from "../../../src/entry/mcp.ts";
import type { ResumeRequest } from "../../../src/runtime/handle/run-handle.ts";
import { isTerminal } from "../../../src/runtime/run.ts";
import { scriptedModel } from "../../../src/testing/index.ts";
import { freePort } from "../../support/free-port.ts";
import type { PartContext } from "../part.ts";
import type { Call } from "./calls.ts";

const CLIENT = "server-everything";
const LIMIT_MS = 60_000;
const PAUSE_MS = 100;
const PERSON = { value: { name: "Ann", check: true } };

/** Starts the server, and has its tools called that ask. */
export async function askingServer(folder: string, { atEnd }: PartContext): Promise<Call[]> {
  const port = await freePort();
  const program = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";
  const server = spawn(process.execPath, [join(folder, program), "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  atEnd(() => void server.kill());
  await once(server.stderr, "data");
  const url = `http://127.0.0.1:${port}/mcp`;
  return [
    await checked("a form, and the person's answer", async () => {
      const said = await called(url, "trigger-elicitation-request", PERSON);
      assert.match(said, /action.*accept.*name.*Ann/);
    }),
    await checked("a form, declined", async () => {
      const said = await called(url, "trigger-elicitation-request", { approve: false });
      assert.match(said, /action.*decline/);
    }),
    await checked("a page, opened", async () => {
      const said = await called(url, "trigger-url-elicitation", { approve: true });
      assert.match(said, /action.*accept/);
    }),
    await checked("a question to the agent's model", async () => {
      const said = await called(url, "trigger-sampling-request", { settings: { sampling: true } });
      assert.match(said, /I am the model\./);
    }),
    await checked("no question to a model without the setting", async () => {
      assert.match(await called(url, "trigger-sampling-request", {}), /no such tool/);
    }),
  ];
}

async function checked(name: string, check: () => Promise<void>): Promise<Call> {
  return check().then(
    () => ({ client: CLIENT, name, ok: true }),
    (error: unknown) => ({ client: CLIENT, name, ok: false, said: String(error) }),
  );
}

/** The output of a run whose agent calls this tool, and whose person gives this answer. */
async function called(
  url: string,
  tool: string,
  { settings = {}, ...answer }: Omit<ResumeRequest, "key"> & { readonly settings?: object },
): Promise<string> {
  const llm = scriptedModel(({ messages, tools = [] }) => {
    if (messages[0]?.content.includes("comes from the MCP server")) return "I am the model.";
    const result = messages.findLast(({ role }) => role === "tool");
    if (result !== undefined) return `Final: ${result.content}`;
    const offered = tools.find(({ name }) => name === `every_${tool.replaceAll("-", "_")}`);
    if (offered === undefined) return "no such tool";
    const args = tool.includes("url")
      ? { url: "https://example.com/pay" }
      : { prompt: "Who are you?" };
    return { toolCalls: [{ name: offered.name, arguments: args }] };
  });
  const mcps = [mcpServer({ url, name: "every", ...settings })];
  const agent = new Agent({ role: "Asker", goal: "Ask", backstory: "You ask.", llm, mcps });
  const task = new Task({ name: "ask", description: "Ask", expectedOutput: "All of it", agent });
  const handle = new Crew({ tasks: [task] }).start({ inputs: {} });
  const untilMs = Date.now() + LIMIT_MS;
  for (let answered = false; Date.now() < untilMs;) {
    const run = await handle.status();
    if (isTerminal(run.status)) return JSON.stringify(run.output ?? run.error);
    const [wait] = run.waits;
    if (wait !== undefined && !answered) {
      await handle.resume({ ...answer, key: wait.key });
      answered = true;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`the call of ${tool} is not over after ${LIMIT_MS} ms`);
}
