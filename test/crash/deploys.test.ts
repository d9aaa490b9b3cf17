// Puts other code under the waiting runs of a real Worker, and the first code back again.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { migrate, WranglerDev } from "../support/wrangler-dev.ts";

type Held = { readonly code: string; readonly key?: string; readonly codeVersion: string };
type Run = {
  readonly status: string;
  readonly held?: Held;
  readonly changes?: readonly unknown[];
  readonly output?: { readonly raw: string };
};

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(`${tmpdir()}/edgecrew-deploys-`);
const project = { cwd: folder, persistTo: `${folder}/state` };
const patience = { timeout: 60_000, interval: 100 };
let dev: WranglerDev | undefined;

/** A crew whose second task waits for a person. */
type CrewCode = { readonly draft?: string; readonly wording?: string; readonly more?: boolean };

/** A conversation of a scribe, an expert, a person and a closer, or of some of them. */
type TalkCode = { readonly prompt?: string; readonly members?: readonly string[] };

const FIRST: Readonly<Record<string, CrewCode>> = { prompt: {}, added: {}, renamed: {}, gone: {} };

beforeAll(async () => {
  writeFileSync(
    `${folder}/wrangler.toml`,
    `name = "edgecrew-deploys"
main = "worker.ts"
compatibility_date = "2026-08-15"
compatibility_flags = ["nodejs_compat"]
vars = { EDGECREW_AUTH = "open" }
version_metadata = { binding = "VERSION" }
durable_objects = { bindings = [{ name = "CREW_RUN", class_name = "CrewRun" }] }
migrations = [{ tag = "v1", new_sqlite_classes = ["CrewRun"] }]
triggers = { crons = ["* * * * *"] }
[[d1_databases]]
binding = "DB"
database_name = "edgecrew"
database_id = "local"
migrations_dir = "${root}/migrations"
`,
  );
  write("first", FIRST);
  migrate(project);
  dev = await WranglerDev.start(project);
});

afterAll(async () => {
  await dev?.kill();
  rmSync(folder, { recursive: true, force: true });
});

function write(
  release: string,
  crews: Readonly<Record<string, CrewCode | readonly CrewCode[]>>,
  talks: Readonly<Record<string, TalkCode>> = {},
): void {
  const code = (
    name: string,
    { draft = "draft", wording = "Ask about {topic}", more = false }: CrewCode,
  ): string => `crew(${JSON.stringify({ name, draft, wording, more })})`;
  const entries = Object.entries(crews).map(([name, listed]) => {
    if (!Array.isArray(listed)) return `${name}: ${code(name, listed as CrewCode)},`;
    const all = listed.map((each: CrewCode, n) => `"v${n + 1}": ${code(name, each)}`);
    return `${name}: versions({ current: "v${all.length}", ${all.join(", ")} }),`;
  });
  const all = ["scribe", "expert", "ana", "closer"];
  const spoken = Object.entries(talks).map(
    ([name, { prompt = "Be brief.", members = all }]) =>
      `${name}: talk(${JSON.stringify({ name, prompt, members })}),`,
  );
  writeFileSync(
    `${folder}/worker.ts`,
    `import { agentTarget, Conversation, ConversableAgent, DefaultPattern, Handoffs, terminateTarget } from "${root}/src/conversation/index.ts";
import { Agent, Crew, Task } from "${root}/src/index.ts";
import { defineApp, versions } from "${root}/src/worker.ts";
const agent = new Agent({ role: "Writer", goal: "Write", backstory: "Careful.", llm: "offline/demo" });
const crew = ({ name, draft, wording, more }: { name: string; draft: string; wording: string; more: boolean }) =>
  new Crew({ name, tasks: [
    new Task({ name: draft, description: "Draft {topic}", expectedOutput: "A text", agent }),
    new Task({ name: "ask", description: wording, expectedOutput: "A text", agent, humanInput: true }),
    ...(more ? [new Task({ name: "more", description: "Go on about {topic}", expectedOutput: "A text", agent })] : []),
  ] });
const talk = ({ name, prompt, members }: { name: string; prompt: string; members: string[] }) => {
  const agents = members.map((each, index) => {
    const of = new ConversableAgent({ name: each, systemMessage: prompt, humanInputMode: each === "ana" ? "ALWAYS" : "NEVER", llm: "offline/demo" });
    const next = members[index + 1];
    of.handoffs = new Handoffs().setAfterWork(next === undefined ? terminateTarget() : agentTarget(next));
    return of;
  });
  return new Conversation({ name, pattern: new DefaultPattern({ agents, initialAgent: agents[0]! }) });
};
const app = defineApp({ conversations: { ${spoken.join(" ")} }, crews: { ${entries.join(" ")} "${release}": crew({ name: "${release}", draft: "draft", wording: "-", more: false }) } });
export default app;
export const { CrewRun } = app.durableObjects;
`,
  );
}

/** Writes other code, and resolves once the Worker runs it. */
async function deploy(...[release, ...code]: Parameters<typeof write>): Promise<void> {
  write(release, ...code);
  await expect
    .poll(async () => (await fetch(`${dev?.url}/crews/${release}`)).status, patience)
    .toBe(200);
}

async function get(id: string): Promise<Run> {
  return (await (await fetch(`${dev?.url}/runs/${id}`)).json()) as Run;
}

async function post(path: string, body: object): Promise<number> {
  const response = await fetch(`${dev?.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.status;
}

const statusOf = (id: string) => async () => (await get(id)).status;
const names = Object.keys(FIRST);

it("a deploy ends no run: matching runs go on, the others wait for matching code and keep their answers (DP16)", async () => {
  for (const id of names) {
    expect(await post(`/crews/${id}/kickoff`, { id, inputs: { topic: "tea" } })).toBe(202);
    await expect.poll(statusOf(id), patience).toBe("waiting");
  }

  await deploy("second", {
    prompt: { wording: "Ask kindly about {topic}" },
    added: { more: true },
    renamed: { draft: "sketch" },
  });
  for (const id of names) expect(await post(`/runs/${id}/resume`, { approve: true })).toBe(200);
  for (const id of ["prompt", "added"]) await expect.poll(statusOf(id), patience).toBe("completed");
  expect((await get("prompt")).changes).toMatchObject([{ key: "task:ask/turn:1/llm" }]);
  expect(await get("added")).not.toHaveProperty("changes");

  const heldOf = (id: string) => async () => (await get(id)).held?.code;
  await expect.poll(heldOf("renamed"), patience).toBe("journal_mismatch");
  await expect.poll(heldOf("gone"), patience).toBe("not_found");
  const listed = async (): Promise<string[]> => {
    const page = (await (await fetch(`${dev?.url}/runs?held=1`)).json()) as {
      items: { id: string }[];
    };
    return page.items.map(({ id }) => id).toSorted();
  };
  await expect.poll(listed, patience).toEqual(["gone", "renamed"]);
  expect((await get("renamed")).held).toMatchObject({ key: "task:draft" });

  await deploy("third", FIRST);
  await fetch(`${dev?.url}/cdn-cgi/local/scheduled`);
  for (const id of ["renamed", "gone"]) await expect.poll(statusOf(id), patience).toBe("completed");
  expect(await get("renamed")).not.toHaveProperty("held");
  await expect.poll(listed, patience).toEqual([]);
});

it("a held run goes on by itself when the process starts again with matching code", async () => {
  expect(await post("/crews/renamed/kickoff", { id: "restarted", inputs: { topic: "tea" } })).toBe(
    202,
  );
  await expect.poll(statusOf("restarted"), patience).toBe("waiting");
  await deploy("fourth", { renamed: { draft: "sketch" } });
  await post("/runs/restarted/resume", { approve: true });
  await expect.poll(async () => (await get("restarted")).held?.key, patience).toBe("task:draft");
  await dev?.kill();
  write("fifth", FIRST);
  dev = await WranglerDev.start(project);
  await fetch(`${dev.url}/cdn-cgi/local/scheduled`);
  const listed = async (): Promise<string | undefined> => {
    const page = (await (await fetch(`${dev?.url}/runs?name=renamed`)).json()) as {
      items: { id: string; status: string }[];
    };
    return page.items.find(({ id }) => id === "restarted")?.status;
  };
  await expect.poll(listed, patience).toBe("completed");
});

it("versions side by side: open runs keep theirs, new runs take the current one, and one with a removed version is held until it is back (DP17)", async () => {
  const before = {};
  const now = { draft: "sketch", more: true };
  await deploy("sixth", { side: before });
  expect(await post("/crews/side/kickoff", { id: "side-1", inputs: { topic: "tea" } })).toBe(202);
  await expect.poll(statusOf("side-1"), patience).toBe("waiting");
  await deploy("seventh", { side: [before, now] });
  expect(await post("/crews/side/kickoff", { id: "side-2", inputs: { topic: "tea" } })).toBe(202);
  await expect.poll(statusOf("side-2"), patience).toBe("waiting");
  for (const id of ["side-1", "side-2"]) {
    await post(`/runs/${id}/resume`, { approve: true });
    await expect.poll(statusOf(id), patience).toBe("completed");
  }
  const tasksOf = async (id: string): Promise<readonly string[]> =>
    ((await get(id)) as unknown as { tasks: { name: string }[] }).tasks.map(({ name }) => name);
  expect(await tasksOf("side-1")).toEqual(["draft", "ask"]);
  expect(await tasksOf("side-2")).toEqual(["sketch", "ask", "more"]);
  const page = (await (await fetch(`${dev?.url}/runs?definitionVersion=v2`)).json()) as {
    items: unknown[];
  };
  expect(page.items).toMatchObject([{ id: "side-2", definitionVersion: "v2" }]);

  await deploy("back", { side: before, kept: [before] });
  expect(await post("/crews/kept/kickoff", { id: "kept-1", inputs: { topic: "tea" } })).toBe(202);
  await expect.poll(statusOf("kept-1"), patience).toBe("waiting");
  await deploy("without", { kept: now });
  await post("/runs/kept-1/resume", { approve: true });
  await expect.poll(async () => (await get("kept-1")).held?.key, patience).toBe("task:draft");
  await deploy("with", { kept: [before, now] });
  await fetch(`${dev?.url}/cdn-cgi/local/scheduled`);
  await expect.poll(statusOf("kept-1"), patience).toBe("completed");
  expect(await tasksOf("kept-1")).toEqual(["draft", "ask"]);
});

it("a conversation continues with its messages: with another prompt, without an earlier member, and not without the person it asks", async () => {
  const ids = ["prompted", "shortened", "unasked"];
  const said = async (id: string): Promise<readonly string[]> => {
    const answer = await fetch(`${dev?.url}/runs/${id}/messages`);
    const { items } = (await answer.json()) as { items: { name: string }[] };
    return items.map(({ name }) => name);
  };
  await deploy("eighth", {}, { prompted: {}, shortened: {}, unasked: {} });
  for (const id of ids) {
    expect(await post(`/conversations/${id}/kickoff`, { id, message: "Tea is out." })).toBe(202);
    await expect.poll(statusOf(id), patience).toBe("waiting");
    expect(await said(id)).toEqual(["user", "scribe", "expert"]);
  }
  await deploy(
    "ninth",
    {},
    {
      prompted: { prompt: "Be kind." },
      shortened: { members: ["expert", "ana", "closer"] },
      unasked: { members: ["scribe", "expert", "closer"] },
    },
  );
  for (const id of ids)
    expect(await post(`/runs/${id}/resume`, { feedback: "Buy some" })).toBe(200);
  for (const id of ["prompted", "shortened"]) {
    await expect.poll(statusOf(id), patience).toBe("completed");
    expect(await said(id)).toEqual(["user", "scribe", "expert", "ana", "closer"]);
  }
  const heldOf = async (): Promise<Held | undefined> => (await get("unasked")).held;
  await expect.poll(heldOf, patience).toMatchObject({ code: "journal_mismatch" });
  expect(await said("unasked")).toEqual(["user", "scribe", "expert"]);

  await deploy("tenth", {}, { prompted: {}, shortened: {}, unasked: {} });
  await fetch(`${dev?.url}/cdn-cgi/local/scheduled`);
  await expect.poll(statusOf("unasked"), patience).toBe("completed");
  expect(await said("unasked")).toEqual(["user", "scribe", "expert", "ana", "closer"]);
});
