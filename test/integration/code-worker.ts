// Agents that run the code that they are sent, in isolates of the local runtime.
import { env } from "cloudflare:workers";
import { codeRunners, runCode } from "../../src/entry/code.ts";
import { conversations } from "../../src/conversation/index.ts";
import { Agent } from "../../src/index.ts";
import type { Tool } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { defineApp } from "../../src/worker.ts";

const { TEST_HOST } = env as unknown as { readonly TEST_HOST: string };

/** Runs what it is told, and says what came of it. */
const coder = (role: string, run: Tool): Agent =>
  new Agent({
    role,
    goal: "Run code",
    backstory: "You do as you are told.",
    tools: [run],
    llm: scriptedModel(({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === "tool") return last.content;
      return { toolCalls: [{ name: "run_code", arguments: { code: String(last?.content) } }] };
    }),
  });

const app = defineApp({
  agents: {
    coder: coder("Coder", runCode()),
    online: coder("Online", runCode({ network: { hosts: [TEST_HOST] }, needsApproval: false })),
  },
  conversations: conversations({}),
  models: {
    "test/writer": scriptedModel(({ messages }) =>
      messages.some(({ content }) => content.startsWith("exitcode: "))
        ? "TERMINATE"
        : "```js\nconsole.log(6 * 7)\n```",
    ),
  },
  code: codeRunners(),
  files: "d1",
});

export default app;
export const { CrewRun } = app.durableObjects;
