// A crew is trained over HTTP, and does better afterwards; the object that runs the training is evicted and killed meanwhile.
import { evictDurableObject } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";
import { Agent, Crew, Task } from "../../src/index.ts";
import { scriptedModel } from "../../src/llm/scripted/scripted-model.ts";
import type { Run } from "../../src/runtime/run.ts";
import { registry } from "./support/crews.ts";
import { killAll } from "./support/faults.ts";
import { heldCalls, holdCalls, keysCalled, letGo } from "./support/ledger.ts";
import { recorded } from "./support/models.ts";
import { SOON, stubOf } from "./support/runs.ts";

const LESSON = { suggestions: ["Name sources"], quality: 8, finalSummary: "better" };

beforeAll(() => {
  const llm = recorded(
    scriptedModel(({ messages }) => {
      if (messages[0]?.content.startsWith("You look at how somebody learned"))
        return JSON.stringify(LESSON);
      return `told: ${messages[1]?.content.split("\n").slice(1).join(" ")}`;
    }),
  );
  const agent = new Agent({ role: "Writer", goal: "write", backstory: "made for a test", llm });
  const page = { description: "Write", expectedOutput: "a page", agent };
  registry["pupil"] = new Crew({
    name: "pupil",
    trained: true,
    tasks: [new Task({ ...page, name: "page" })],
  });
});

async function http<T>(path: string, body?: object): Promise<T> {
  const init = {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  };
  const request = new Request(`https://api.test${path}`, body === undefined ? {} : init);
  return (await exports.default.fetch(request)).json<T>();
}

async function reached(id: string, status: Run["status"]): Promise<Run> {
  await expect.poll(async () => (await http<Run>(`/runs/${id}`)).status, SOON).toBe(status);
  return http<Run>(`/runs/${id}`);
}

it("DC1, DC2: training goes its iterations over HTTP, through evictions while it waits and kills while it learns", async () => {
  const id = "train-1";
  await http("/crews/pupil/train", { id, iterations: 2 });
  for (const iteration of [1, 2]) {
    const key = `iteration:${iteration}/task:page/human:1`;
    expect((await reached(id, "waiting")).waits).toMatchObject([{ key, kind: "human" }]);
    await evictDurableObject(stubOf(id, "default"));
    if (iteration === 2) holdCalls(id, /^learn:/);
    await http(`/runs/${id}/resume`, { key, feedback: `point ${iteration}` });
    // The next iteration may not have begun yet: the same wait must not be met twice.
    await expect
      .poll(async () => (await http<Run>(`/runs/${id}`)).waits.map((wait) => wait.key), SOON)
      .not.toContain(key);
  }
  await expect.poll(() => heldCalls(id), SOON).toEqual(["learn:Writer/output:1/llm"]);
  // An answer leaves the object when what it has written is on disk; the calls of this model are no requests, which would wait for that.
  await http(`/runs/${id}`);
  await killAll(id);
  letGo(id);
  const run = await reached(id, "completed");
  expect(run.output).toEqual({ name: "pupil", agents: { Writer: LESSON } });
  expect([...new Set(keysCalled(id))]).toEqual([
    "iteration:1/task:page/turn:1/llm",
    "iteration:1/task:page/revision:1/turn:1/llm",
    "iteration:2/task:page/turn:1/llm",
    "iteration:2/task:page/revision:1/turn:1/llm",
    "learn:Writer/output:1/llm",
  ]);
  expect(keysCalled(id)).toHaveLength(6); // the one that was killed was made again
  expect(await http("/trainings/pupil")).toEqual(run.output);

  await http("/crews/pupil/kickoff", { id: "taught-1" });
  const { output } = await reached("taught-1", "completed");
  expect(output).toMatchObject({ raw: expect.stringContaining("- Name sources") });

  await http("/crews/pupil/test", { id: "test-1", iterations: 1, evalModel: "scripted/judge" });
  const tested = await reached("test-1", "completed");
  const { items } = await http<{ items: object[] }>("/crews/pupil/evaluations");
  expect(items).toMatchObject([{ runId: "test-1", report: tested.output }]);

  await http("/crews/pupil/test", { id: "test-2", iterations: 1, evalModel: "offline/demo" });
  const { error } = await reached("test-2", "failed");
  expect(error).toMatchObject({ code: "model_rejected" });
});
