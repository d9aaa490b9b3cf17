// The client that the protocol's conformance suite starts: a crew whose agent calls every tool that the server at the last argument has.
import { Agent } from "../../src/agent/description/agent.ts";
import { Crew } from "../../src/crew/crew.ts";
import { Task } from "../../src/crew/tasks/task.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/base/json.ts";
import { mcpServer } from "../../src/entry/mcp.ts";
import { scriptedModel } from "../../src/llm/scripted/scripted-model.ts";
import { isTerminal } from "../../src/runtime/run.ts";
import { sanitizeToolName } from "../../src/wire/tool-name.ts";

type Context = {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly toolCalls?: ReadonlyArray<{ readonly name: string; readonly arguments: JsonObject }>;
};

/** Where the suite expects the client's own metadata, as the id of a client that has not registered. */
const METADATA = "https://conformance-test.local/client-metadata.json";
const url = process.argv.at(-1) ?? "";
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Context;
const { client_id: registered, client_secret: clientSecret } = context;
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const signsIn = scenario.startsWith("auth/") && !scenario.includes("client-credentials");
const clientId = scenario.includes("cimd") ? METADATA : registered;
const redirectUrl = "http://localhost:3000/callback";

const model = scriptedModel(({ messages, tools = [] }) => {
  const done = messages.filter(({ role }) => role === "tool").length;
  const named = context.toolCalls?.[done];
  if (named !== undefined)
    return {
      toolCalls: [{ name: `s_${sanitizeToolName(named.name)}`, arguments: named.arguments }],
    };
  const tool = context.toolCalls === undefined ? tools[done] : undefined;
  if (tool === undefined) return "done";
  return { toolCalls: [{ name: tool.name, arguments: filled(tool.parameters) }] };
});

/** A value for each field of a schema. */
function filled({ properties }: JsonObject): JsonObject {
  const fields = Object.entries(isJsonObject(properties) ? properties : {});
  return Object.fromEntries(fields.map(([name, field]) => [name, valueFor(field)]));
}

function valueFor(field: JsonValue): JsonValue {
  if (!isJsonObject(field)) return "x";
  if (field["default"] !== undefined) return field["default"];
  switch (field["type"]) {
    case "integer":
    case "number":
      return 5;
    case "boolean":
      return true;
    case "object":
      return { any: "thing" };
    default:
      return "x";
  }
}

/** What a person does who signs in, at a server that asks nothing of them. */
async function signedIn(address: string): Promise<string> {
  const { headers } = await fetch(address, { redirect: "manual" });
  return headers.get("location") ?? "";
}

const server = mcpServer(
  {
    url,
    name: "s",
    ...(signsIn || clientSecret !== undefined
      ? {
          auth: {
            oauth: { clientId, clientSecret, ...(signsIn ? { redirectUrl } : undefined) },
          },
        }
      : undefined),
  },
  { outbound: { allowPrivate: true } },
);
const agent = new Agent({
  role: "Tester",
  goal: "Call every tool",
  backstory: "You are thorough.",
  llm: model,
  maxIter: 50,
  mcps: [server],
});
const task = new Task({ description: "Call every tool", expectedOutput: "done", agent });
const run = new Crew({ tasks: [task] }).start({});
const answered = new Set<string>();
for await (const { type } of run.events()) {
  // A server of an older revision waits for the answer while its call is open, and the run is not waiting yet.
  if (type !== "run_waiting" && type !== "wait_opened") continue;
  for (const { key, kind, schema, data } of (await run.status()).waits) {
    if (kind !== "human" || answered.has(key)) continue;
    answered.add(key);
    const { mode, url: asked } = (data?.["mcp"] ?? {}) as { mode?: string; url?: string };
    const value = mode === "sign-in" ? await signedIn(asked ?? "") : filled(schema ?? {});
    await run.resume({ key, value });
  }
}
const { status, error } = await run.status();
if (!isTerminal(status) || error !== undefined) throw new Error(error?.message ?? status);
