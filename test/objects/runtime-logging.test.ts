// The runtime log in D1, of runs in Durable Objects whose agents follow scripts.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { Agent, Crew, Task } from "../../src/index.ts";
import { runtimeLogging, sqlLog } from "../../src/entry/telemetry.ts";
import { scriptedReplies, toolCall, toolsMessage } from "../../src/testing/index.ts";
import { registry } from "./support/crews.ts";
import { evict, eventsOf, newId, reaches, runs, start, TENANT } from "./support/runs.ts";
import { TOOLS } from "./support/tools.ts";

type Row = Readonly<Record<string, unknown>>;

async function rowsOf(table: string, session?: string): Promise<readonly Row[]> {
  const statement =
    session === undefined
      ? env.DB.prepare(`SELECT * FROM ${table} ORDER BY rowid`)
      : env.DB.prepare(`SELECT * FROM ${table} WHERE session_id = ? ORDER BY rowid`).bind(session);
  return (await statement.all<Row>()).results;
}

it("RLG1, SRP1: has each row once, and each agent its replies, although the object was evicted between two of them", async () => {
  const llm = scriptedReplies({
    Asker: [
      toolsMessage(
        toolCall("look_up", { about: "tea" }),
        toolCall("ask_person", { question: "Well?" }),
      ),
      "asked",
    ],
    Writer: [toolCall("look_up", { about: "ink" }), "written"],
  });
  const agent = (role: string): Agent =>
    new Agent({ role, goal: "g", backstory: "b", llm, tools: TOOLS });
  const tasks = ["Asker", "Writer"].map(
    (role) =>
      new Task({ name: role, description: role, expectedOutput: "a line", agent: agent(role) }),
  );
  const name = newId("logged");
  registry[name] = new Crew({ name, tasks, listeners: [runtimeLogging(sqlLog(env.DB))] });
  const id = await start(name);
  await reaches(id, "waiting");
  await expect
    .poll(async () => (await rowsOf("chat_completions", id).catch(() => [])).length)
    .toBe(1);
  await evict(id);
  await runs.resume(TENANT, id, { feedback: "three" });
  await reaches(id, "completed");
  await expect.poll(async () => (await rowsOf("chat_completions", id)).length).toBe(4);

  const completions = await rowsOf("chat_completions", id);
  expect(completions.map(({ source_name: source }) => source)).toEqual([
    "Asker",
    "Asker",
    "Writer",
    "Writer",
  ]);
  expect(completions.map(({ wrapper_id: wrapper }) => wrapper)).toContain("scripted/Writer");
  expect((await rowsOf("agents", id)).map(({ wrapper_id: wrapper }) => wrapper)).toEqual([
    "scripted/Asker",
    "scripted/Writer",
  ]);
  expect(await rowsOf("version")).toEqual([{ id: 1, version_number: 1 }]);
  const calls = (await rowsOf("function_calls")).map(({ function_name: called }) => String(called));
  expect(calls.toSorted((a, b) => a.localeCompare(b))).toEqual([
    "ask_person",
    "look_up",
    "look_up",
  ]);
  const logged = (await rowsOf("events")).filter(({ id: row }) => String(row).startsWith(`${id}@`));
  const told = (await eventsOf(id)).filter(({ type }) => !/^(llm_call|tool_usage)_/.test(type));
  expect(logged.map(({ event_name: event }) => event)).toEqual(told.map(({ type }) => type));
});
