// Remote agents asked from real objects: streams in workerd, and callbacks that wake an object.
import { evictDurableObject } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { Agent, Crew, Task } from "../../src/index.ts";
import { registry } from "./support/crews.ts";
import { plays } from "./support/models.ts";
import { CALLBACKS, callbackOf, slow, weather } from "./support/remote-agent.ts";
import { eventsOf, newId, reaches, start, stubOf } from "./support/runs.ts";

beforeAll(() => {
  const crewOf = (name: string, a2a: object, tool: string): Crew =>
    new Crew({
      name,
      tasks: [
        new Task({
          name: "ask",
          description: "Ask",
          expectedOutput: "An answer",
          agent: new Agent({
            role: "Asker",
            goal: "ask",
            backstory: "made for a test",
            llm: plays([{ name: tool, arguments: { message: "Rain?" } }], "It rains"),
            a2a: a2a as never,
          }),
        }),
      ],
    });
  registry["asks-elsewhere"] = crewOf(
    "asks-elsewhere",
    { endpoint: weather.url },
    "ask_weather_bot",
  );
  const updates = { type: "push", timeout: 86_400 };
  registry["waits-elsewhere"] = crewOf(
    "waits-elsewhere",
    { endpoint: slow.url, updates },
    "ask_slow_bot",
  );
});

describe("a remote agent", () => {
  it("streams its answer into a real object", async () => {
    const id = await start("asks-elsewhere", { id: newId("a2a") });
    const { output } = await reaches(id, "completed");
    expect(output).toMatchObject({ raw: "It rains" });
    const events = await eventsOf(id);
    const received = events.find(({ type }) => type === "a2a_response_received");
    expect(received).toMatchObject({ response: "You said: Rain?", status: "completed" });
  });

  it("AXR4: wakes an object evicted during its wait for the callback", async () => {
    const id = await start("waits-elsewhere", { id: newId("a2a") });
    const { waits } = await reaches(id, "waiting");
    expect(waits).toMatchObject([{ kind: "input" }]);
    await evictDurableObject(stubOf(id));
    const url = callbackOf(slow.sends().at(-1));
    const done = {
      id: "t-1",
      contextId: "c-1",
      status: { state: "TASK_STATE_COMPLETED" },
      artifacts: [{ artifactId: "a", parts: [{ text: "Rain" }] }],
    };
    const callback = (path: string): Promise<Response> =>
      exports.default.fetch(
        new Request(`https://api.test${path}`, {
          method: "POST",
          body: JSON.stringify({ task: done }),
          headers: { "content-type": "application/a2a+json" },
        }),
      );
    const path = url.slice(CALLBACKS.length);
    expect((await callback(`${path.slice(0, -6)}AAAAAA`)).status).toBe(404);
    expect((await callback(path)).status).toBe(204);
    expect((await reaches(id, "completed")).output).toMatchObject({ raw: "It rains" });
    expect((await callback(path)).status).toBe(204);
    const events = await eventsOf(id);
    expect(events.find(({ type }) => type === "a2a_push_notification_received")).toBeDefined();
    expect(events.find(({ type }) => type === "a2a_response_received")).toMatchObject({
      response: "Rain",
    });
  });
});
