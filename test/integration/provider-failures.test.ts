// A provider that fails in every way a provider fails, behind a real Worker: each run ends or goes on as designed, and a
// run beside it notices nothing.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startModelServer, type ServedReply, type ServedRequest } from "../support/model-server.ts";
import { migrate, WranglerDev } from "../support/wrangler-dev.ts";

type Case = {
  readonly name: string;
  /** What the server answers to the first calls; after these it answers well. */
  readonly replies: readonly ServedReply[];
  readonly status: "completed" | "failed";
  readonly code?: string;
  readonly message?: string;
  readonly calls: number;
  /** @default one less than calls, each a further attempt of one step */
  readonly retries?: number;
};

const refused: ServedReply = { status: 401, error: { message: "Incorrect API key provided" } };
const broken: ServedReply = { status: 500, error: { message: "The server had an error" } };
const limited: ServedReply = {
  status: 429,
  error: { message: "Rate limit reached" },
  headers: { "retry-after": "1" },
};

const CASES: readonly Case[] = [
  {
    name: "401",
    replies: [refused],
    status: "failed",
    code: "model_unauthorized",
    message: "Incorrect API key",
    calls: 1,
  },
  { name: "429 with Retry-After, once", replies: [limited], status: "completed", calls: 2 },
  { name: "500, twice", replies: [broken, broken], status: "completed", calls: 3 },
  { name: "no answer at all, once", replies: [{ fault: "hang" }], status: "completed", calls: 2 },
  {
    name: "a stream that is cut in half, once",
    replies: [{ text: "Half of a long answer", fault: "cut" }],
    status: "completed",
    calls: 2,
  },
  {
    name: "a connection that is closed, once",
    replies: [{ fault: "reset" }],
    status: "completed",
    calls: 2,
  },
  { name: "garbage, once", replies: [{ fault: "garbage" }], status: "completed", calls: 2 },
  { name: "an empty body, once", replies: [{ fault: "empty" }], status: "completed", calls: 2 },
  {
    name: "an answer of nothing, once",
    replies: [{ text: "" }],
    status: "completed",
    calls: 2,
    retries: 0,
  },
  {
    name: "500 for ever",
    replies: Array.from({ length: 50 }, () => broken),
    status: "failed",
    code: "model_failed",
    message: "The server had an error",
    calls: 3,
  },
];

const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-failures-`);
const project = { cwd: fileURLToPath(new URL("../crash/", import.meta.url)), persistTo };
const left = new Map<string, ServedReply[]>();
let models: Awaited<ReturnType<typeof startModelServer>>;
let dev: WranglerDev | undefined;

beforeAll(async () => {
  models = await startModelServer({ reply });
  migrate(project);
  const key = { OPENAI_API_KEY: "test", ANTHROPIC_API_KEY: "test", OUTSIDE_URL: models.url };
  const urls = { OPENAI_BASE_URL: `${models.url}/v1`, ANTHROPIC_BASE_URL: models.url };
  dev = await WranglerDev.start({ ...project, vars: { ...key, ...urls } });
});

afterAll(async () => {
  await dev?.kill();
  await models.stop();
  rmSync(persistTo, { recursive: true, force: true });
  rmSync(`${project.cwd}/.wrangler`, { recursive: true, force: true });
});

describe.each([
  { provider: "openai", stream: false },
  { provider: "openai", stream: true },
  { provider: "anthropic", stream: true },
])("$provider, streaming: $stream", ({ provider, stream }) => {
  it.each(CASES)(
    "$name",
    async ({ name, replies, status, code, message, calls, retries = calls - 1 }) => {
      const model = `${provider}-${stream}-${name}`.replaceAll(/[^a-z0-9]+/g, "-");
      left.set(model, [...replies]);
      const beside = run(`${provider}/beside`, stream);
      const { run: ended, events } = await run(`${provider}/${model}`, stream);
      expect(ended.status).toBe(status);
      expect(ended.error?.code).toBe(code);
      expect(ended.error?.message ?? "").toContain(message ?? "");
      expect(models.calls.filter((call) => call.model === model)).toHaveLength(calls);
      const keys = new Set(
        models.calls.filter((call) => call.model === model).map((call) => call.idempotencyKey),
      );
      expect(keys.size).toBe(calls - retries);
      expect(events.filter((type) => type === "step_retrying")).toHaveLength(retries);
      expect((await beside).run.status).toBe("completed");
    },
  );
});

function reply({ model }: ServedRequest): ServedReply {
  return left.get(model)?.shift() ?? { text: "A good answer." };
}

/** Stores a crew on this model, runs it to its end, and reads what it told. */
async function run(model: string, stream: boolean) {
  const url = dev?.url ?? "";
  const name = model.replaceAll("/", "-");
  const json = { "content-type": "application/json" };
  const llm = { model, timeoutMs: 1500, stream };
  const agent = {
    role: "Clerk",
    goal: "Answer",
    backstory: "Plain.",
    llm,
    maxRetryLimit: 0,
    stream,
  };
  const tasks = [
    { name: "answer", description: "Answer", expectedOutput: "An answer", agent: "clerk" },
  ];
  const definition = JSON.stringify({ agents: { clerk: agent }, tasks });
  const stored = await fetch(`${url}/crews/${name}`, {
    method: "PUT",
    headers: json,
    body: definition,
  });
  if (!stored.ok) throw new Error(await stored.text());
  const kickoff = await fetch(`${url}/crews/${name}/kickoff`, {
    method: "POST",
    headers: { ...json, prefer: "wait=30" },
    body: "{}",
  });
  const ended = (await kickoff.json()) as {
    id: string;
    status: string;
    error?: { code: string; message: string };
  };
  const told = await (await fetch(`${url}/runs/${ended.id}/events`)).text();
  const events = Array.from(told.matchAll(/^event: (.*)$/gm), (match) => match[1]);
  return { run: ended, events };
}
