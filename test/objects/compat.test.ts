// The whole round of a frontend made for CrewAI's hosted API, over real objects.
import { evictDurableObject } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";
import { Agent, Crew, Task } from "../../src/index.ts";
import type { JsonObject } from "../../src/base/json.ts";
import { killAll } from "./support/faults.ts";
import { registry, task } from "./support/crews.ts";
import { plays } from "./support/models.ts";
import { receiver } from "./support/receivers.ts";
import { SOON, stubOf, owedBy } from "./support/runs.ts";

beforeAll(() => {
  const agent = new Agent({
    role: "Writer",
    goal: "write",
    backstory: "made for a test",
    llm: plays("first draft", "second draft"),
  });
  registry["their-crew"] = new Crew({
    name: "their-crew",
    tasks: [
      task("research", [[{ name: "look_up", arguments: { about: "tea" } }]]),
      new Task({
        name: "draft",
        description: "Write about {topic}",
        expectedOutput: "a page",
        agent,
        humanInput: true,
      }),
    ],
  });
});

async function api(path: string, body?: object): Promise<{ status: number; json: JsonObject }> {
  const init = {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  };
  const response = await exports.default.fetch(
    new Request(`https://api.test/compat/their-crew${path}`, body === undefined ? {} : init),
  );
  return { status: response.status, json: await response.json<JsonObject>() };
}

it("goes the whole round: inputs, kickoff, status, a rejection, an approval, the result, the webhooks", async () => {
  expect(await api("/inputs")).toEqual({ status: 200, json: { inputs: ["topic"] } });
  expect((await api("/kickoff", { inputs: {} })).status).toBe(422);

  const [tasks, steps, crew] = [receiver(), receiver(), receiver()];
  const started = await api("/kickoff", {
    inputs: { topic: "tea" },
    meta: { order: 7 },
    taskWebhookUrl: tasks.url,
    step_webhook_url: steps.url,
    crewWebhookUrl: crew.url,
  });
  const id = started.json["kickoff_id"] as string;
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  const pending = async (): Promise<unknown> =>
    (await api(`/status/${id}`)).json["pending_human_input"];
  const asked = (output: string) => ({
    task_id: "draft",
    output,
    prompt: expect.stringMatching(new RegExp(`^${output}\n`)) as string,
  });

  await expect.poll(pending, SOON).toEqual(asked("first draft"));
  expect((await api(`/status/${id}`)).json).toMatchObject({
    status: "running",
    state: "RUNNING",
    current_task: "draft",
    progress: { completed_tasks: 1, total_tasks: 2 },
  });
  await evictDurableObject(stubOf(id, "default"));

  const answer = { execution_id: id, task_id: "draft" };
  const rejected = await api("/resume", {
    ...answer,
    human_feedback: "shorter",
    is_approve: false,
  });
  expect(rejected).toMatchObject({ status: 200, json: { status: "retrying" } });
  await expect.poll(pending, SOON).toEqual(asked("second draft"));
  const owed = (): Promise<readonly unknown[]> => owedBy(id, "default");
  await expect.poll(owed, SOON).toEqual([]); // what is under way when it is killed comes twice
  await killAll(id);
  expect(
    (
      await api("/resume", {
        ...answer,
        task_id: "task:other",
        human_feedback: "",
        is_approve: true,
      })
    ).status,
  ).toBe(404);
  const approved = await api("/resume", { ...answer, human_feedback: "good", is_approve: true });
  expect(approved).toMatchObject({ status: 200, json: { status: "completed" } });
  const late = await api("/resume", { ...answer, human_feedback: "", is_approve: true });
  expect(late).toMatchObject({ status: 400, json: { code: "conflict" } });

  const ended = (await api(`/status/${id}`)).json;
  expect(ended).toEqual({
    status: "completed",
    state: "SUCCESS",
    result: {
      output: "second draft",
      tasks: [
        {
          task_id: "research",
          output: expect.any(String) as string,
          agent: "research agent",
          execution_time: expect.any(Number) as number,
        },
        {
          task_id: "draft",
          output: "second draft",
          agent: "Writer",
          execution_time: expect.any(Number) as number,
        },
      ],
    },
    execution_time: expect.any(Number) as number,
  });

  const seq = expect.any(Number) as number;
  const common = { kickoff_id: id, meta: { order: 7 }, seq };
  await expect
    .poll(() => tasks.deliveries.map(({ body }) => [body["task_id"], body["output"]]), SOON)
    .toEqual([
      ["research", expect.any(String)],
      ["draft", "first draft"],
      ["draft", "second draft"],
      ["draft", "second draft"],
    ]);
  expect(tasks.deliveries[1]?.body).toEqual({
    ...common,
    task_id: "draft",
    output: "first draft",
    agent: "Writer",
    pending_human_input: true,
  });
  expect(tasks.deliveries[3]?.body).toEqual({
    ...common,
    task_id: "draft",
    output: "second draft",
    agent: "Writer",
  });
  await expect
    .poll(() => steps.deliveries.map(({ body }) => body["tool"] ?? body["result"]), SOON)
    .toContain("look_up");
  const { status, result, execution_time } = ended;
  await expect
    .poll(() => crew.deliveries.map(({ body }) => body), SOON)
    .toEqual([{ ...common, status, result, execution_time }]);
  for (const { verify, body } of [...tasks.deliveries, ...steps.deliveries, ...crew.deliveries])
    expect(verify()).toEqual(body);
});
