// A person reads an answer, over HTTP and through everything that can happen to a run meanwhile.
import { evictDurableObject } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { Agent, Crew, Task } from "../../src/index.ts";
import type { Problem } from "../../src/parts/problem.ts";
import type { Run } from "../../src/runtime/run.ts";
import { registry } from "./support/crews.ts";
import { killAll, ringSoon } from "./support/faults.ts";
import { heldCalls, holdCalls, keysCalled, letGo, note, notesOf } from "./support/ledger.ts";
import { plays } from "./support/models.ts";
import { eventsOf, newId, reaches, SOON, start, stubOf } from "./support/runs.ts";

const REFUSED = { ok: false, error: "say please" } as const;

beforeAll(() => {
  const llm = plays("first", "second", "third");
  const agent = new Agent({ role: "Writer", goal: "write", backstory: "made for a test", llm });
  const page = { description: "Write {topic}", expectedOutput: "a page", agent };
  registry["reviewed"] = new Crew({
    name: "reviewed",
    tasks: [new Task({ ...page, name: "page", humanInput: true })],
  });
  registry["guarded"] = new Crew({
    name: "guarded",
    tasks: [
      new Task({
        ...page,
        name: "page",
        guardrail: ({ raw, description }) => {
          const [, id = ""] = /Write (.*)/.exec(description) ?? [];
          note(id, raw);
          return notesOf(id).length < 3 ? REFUSED : { ok: true };
        },
      }),
    ],
  });
});

function http(path: string, body?: object): Promise<Response> {
  const init = {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  };
  return exports.default.fetch(
    new Request(`https://api.test${path}`, body === undefined ? {} : init),
  );
}

async function waiting(id: string): Promise<Run> {
  await expect
    .poll(async () => (await (await http(`/runs/${id}`)).json<Run>()).status, SOON)
    .toBe("waiting");
  return (await http(`/runs/${id}`)).json<Run>();
}

describe("humanInput", () => {
  it("DC2: goes its rounds over HTTP, with evictions while it waits and kills while it works", async () => {
    const started = await http("/crews/reviewed/kickoff", { inputs: { topic: "tea" } });
    const { id } = await started.json<Run>();
    expect((await waiting(id)).waits).toMatchObject([
      { key: "task:page/human:1", kind: "human", prompt: expect.stringMatching(/^first\n/) },
    ]);
    await evictDurableObject(stubOf(id, "default"));
    holdCalls(id);
    expect((await http(`/runs/${id}/resume`, { feedback: "shorter" })).status).toBe(200);
    await expect.poll(() => heldCalls(id), SOON).toEqual(["task:page/revision:1/turn:1/llm"]);
    await killAll(id);
    letGo(id);
    expect((await waiting(id)).waits).toMatchObject([
      { key: "task:page/human:2", prompt: expect.stringMatching(/^second\n/) },
    ]);
    await killAll(id);
    await http(`/runs/${id}/resume`, {
      key: "task:page/human:2",
      approve: true,
      feedback: "good",
    });
    await expect
      .poll(async () => (await (await http(`/runs/${id}`)).json<Run>()).status, SOON)
      .toBe("completed");
    const run = await (await http(`/runs/${id}`)).json<Run>();
    expect(run.output).toMatchObject({ raw: "second", tasks: [{ humanFeedback: "good" }] });
    expect([...new Set(keysCalled(id))]).toEqual([
      "task:page/turn:1/llm",
      "task:page/revision:1/turn:1/llm",
    ]);
    expect(keysCalled(id)).toHaveLength(3); // the one that was killed was made again
  });

  it("refuses an answer without a wait with 409", async () => {
    const id = await startReviewed();
    await http(`/runs/${id}/resume`, { approve: true });
    await expect
      .poll(async () => (await (await http(`/runs/${id}`)).json<Run>()).status, SOON)
      .toBe("completed");
    const late = await http(`/runs/${id}/resume`, { feedback: "too late" });
    expect(late.status).toBe(409);
    expect((await late.json<Problem>()).code).toBe("conflict");
  });

  it("DC7: takes one of two answers at once, and refuses the other", async () => {
    const id = await startReviewed();
    const key = "task:page/human:1";
    const answers = await Promise.all(
      (["shorter", "longer"] as const).map((feedback) =>
        http(`/runs/${id}/resume`, { key, feedback }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    expect((await waiting(id)).waits).toMatchObject([{ key: "task:page/human:2" }]);
    await http(`/runs/${id}/resume`, { approve: true });
  });

  async function startReviewed(): Promise<string> {
    const { id } = await (
      await http("/crews/reviewed/kickoff", { inputs: { topic: "tea" } })
    ).json<Run>();
    await waiting(id);
    return id;
  }
});

describe("a guardrail", () => {
  it("DC1: is asked once for each answer, though the run is killed in the middle of its retries", async () => {
    const id = newId("guarded");
    holdCalls(id, /guardrail-retry/);
    await start("guarded", { id, inputs: { topic: id } });
    for (const retry of [1, 2]) {
      const key = `task:page/guardrail-retry:${retry}/turn:1/llm`;
      await expect.poll(() => heldCalls(id), SOON).toEqual([key]);
      await killAll(id);
      ringSoon(id);
      await expect.poll(() => heldCalls(id), SOON).toEqual([key]);
      letGo(id, key);
    }
    expect((await reaches(id, "completed")).output).toMatchObject({ raw: "third" });
    expect(notesOf(id)).toEqual(["first", "second", "third"]);
    const verdicts = (await eventsOf(id)).filter(({ type }) => type === "llm_guardrail_completed");
    expect(verdicts.map(({ path }) => path)).toEqual([
      "task:page/guardrail:0",
      "task:page/guardrail-retry:1/guardrail:0",
      "task:page/guardrail-retry:2/guardrail:0",
    ]);
  });
});
