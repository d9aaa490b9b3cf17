// A program over the generated types: at least 20 calls of 10 kinds, compiled with `tsc --strict` and run.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.d.ts";

const [baseUrl = "", key = ""] = process.argv.slice(2);
const api = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });

/** Prints what came of a call, and returns its data. */
async function call<Data>(
  kind: string,
  name: string,
  made: Promise<{ readonly data?: Data; readonly error?: unknown; readonly response: Response }>,
): Promise<Data> {
  const { data, error, response } = await made;
  const { status, ok } = response;
  const said = ok ? "" : JSON.stringify(error).slice(0, 300);
  console.log(JSON.stringify({ kind, name, status, ok, said }));
  return data as Data;
}

/** The id of a started run: the answer may also be a stream of its events, which is a text. */
function idOf(started: string | { readonly id: string }): string {
  if (typeof started === "string") throw new Error("expected a run, got a stream");
  return started.id;
}

const named = <Name extends string>(name: Name) => ({ path: { name } });
const ofRun = (id: string) => ({ path: { id } });
const soon = { Prefer: "wait=20" } as const;

const haiku: components["schemas"]["CrewDefinition"] = {
  agents: { poet: { role: "Poet", goal: "Write about {topic}", backstory: "You write short." } },
  tasks: [
    {
      name: "draft",
      description: "Write a haiku about {topic}",
      expectedOutput: "Three lines",
      agent: "poet",
    },
  ],
};

await call("crews", "put", api.PUT("/crews/{name}", { params: named("haiku"), body: haiku }));
await call("crews", "list", api.GET("/crews", { params: { query: { limit: 5 } } }));
await call("crews", "get", api.GET("/crews/{name}", { params: named("haiku") }));
const run = await call(
  "crews",
  "kickoff",
  api.POST("/crews/{name}/kickoff", {
    params: { ...named("haiku"), header: soon },
    body: { inputs: { topic: "rain" } },
  }),
);
const runId = idOf(run);
await call("runs", "get", api.GET("/runs/{id}", { params: ofRun(runId) }));
await call("runs", "list", api.GET("/runs", { params: { query: { kind: "crew", limit: 2 } } }));
await call("runs", "journal", api.GET("/runs/{id}/journal", { params: ofRun(runId) }));
await call(
  "runs",
  "step",
  api.GET("/runs/{id}/step", { params: { ...ofRun(runId), query: { key: "task:draft" } } }),
);

const letter = await call(
  "waits",
  "kickoff",
  api.POST("/crews/{name}/kickoff", {
    params: { ...named("answer-a-letter"), header: soon },
    body: { inputs: {} },
  }),
);
const letterId = idOf(letter);
await call("waits", "list", api.GET("/waits", { params: { query: { run: letterId } } }));
await call(
  "waits",
  "resume",
  api.POST("/runs/{id}/resume", {
    params: ofRun(letterId),
    body: { feedback: "Looks good", approve: true },
  }),
);

await call(
  "memory",
  "save",
  api.POST("/memory", { body: { content: "Acme pays by invoice", scope: "/customers/acme" } }),
);
await call("memory", "recall", api.POST("/memory/recall", { body: { query: "How is it paid?" } }));

await call(
  "knowledge",
  "add",
  api.POST("/knowledge/{collection}/sources", {
    params: { path: { collection: "handbook" } },
    body: { name: "handbook.md", text: "The warranty lasts two years." },
  }),
);
await call(
  "knowledge",
  "query",
  api.POST("/knowledge/{collection}/query", {
    params: { path: { collection: "handbook" } },
    body: { query: "How long is the warranty?", limit: 3 },
  }),
);

await call(
  "files",
  "upload",
  api.POST("/files", {
    params: { query: { name: "note.txt" } },
    body: "A note",
    bodySerializer: (text) => text,
    headers: { "content-type": "text/plain" },
  }),
);
await call("files", "list", api.GET("/files", { params: { query: { kind: "text" } } }));

await call(
  "schedules",
  "create",
  api.POST("/schedules", {
    body: {
      id: "weekdays",
      cron: "0 7 * * 1-5",
      target: { kind: "crew", name: "answer-a-letter" },
    },
  }),
);
await call("schedules", "get", api.GET("/schedules/{id}", { params: ofRun("weekdays") }));

await call(
  "hooks",
  "put",
  api.PUT("/hooks/{name}", {
    params: named("orders"),
    body: {
      scheme: "github",
      secret: "a secret shared with GitHub",
      target: { kind: "crew", name: "answer-a-letter" },
    },
  }),
);
await call("hooks", "list", api.GET("/hooks"));

const version = { "A2A-Version": "1.0" } as const;
await call(
  "a2a",
  "send",
  api.POST("/a2a/{name}/{verb}", {
    params: { path: { name: "clerk", verb: "message:send" }, header: version },
    body: { message: { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "Hello" }] } },
  }),
);
await call(
  "a2a",
  "tasks",
  api.GET("/a2a/{name}/tasks", { params: { ...named("clerk"), header: version } }),
);
await call(
  "a2a",
  "json-rpc",
  api.POST("/a2a/{name}", {
    params: { ...named("clerk"), header: version },
    body: { jsonrpc: "2.0", id: 1, method: "ListTasks", params: {} },
  }),
);

await call("compat", "inputs", api.GET("/compat/{name}/inputs", { params: named("haiku") }));
await call(
  "compat",
  "kickoff",
  api.POST("/compat/{name}/kickoff", {
    params: named("haiku"),
    body: { inputs: { topic: "snow" } },
  }),
);

await call(
  "mcp",
  "tools",
  // The answer is a stream of messages.
  api.POST("/mcp", { body: { jsonrpc: "2.0", id: 1, method: "tools/list" }, parseAs: "text" }),
);
await call(
  "openai",
  "chat",
  api.POST("/v1/chat/completions", {
    body: { model: "agent/clerk", messages: [{ role: "user", content: "Hello" }] },
  }),
);
