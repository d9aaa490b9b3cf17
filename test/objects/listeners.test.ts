// Listeners in a Durable Object: what they hear over evictions, and that the object stays until they are through.
import { expect, it } from "vitest";
import { Crew, onEvent, type Listeners } from "../../src/index.ts";
import { registry, task } from "./support/crews.ts";
import { alarmOf, evict, eventsOf, newId, reaches, runs, start, TENANT } from "./support/runs.ts";

const ASK = [[{ name: "ask_person", arguments: { question: "How many?" } }]] as const;

function listening(name: string, listeners: Listeners): void {
  const crew = new Crew({ name, tasks: [task("ask", [...ASK])], listeners });
  registry[name] = crew;
}

it("DC3: receive each event once, in order, although the object was evicted in between", async () => {
  const heard: string[] = [];
  const name = newId("heard");
  listening(name, [onEvent("*", ({ id }) => heard.push(id))]);
  const id = await start(name);
  await reaches(id, "waiting");
  await expect.poll(() => heard.at(-1)).toMatch(/run_waiting/);
  await evict(id);
  await runs.resume(TENANT, id, { feedback: "three" });
  await reaches(id, "completed");
  await expect.poll(() => heard.at(-1)).toBe("run_completed");
  expect(heard).toEqual((await eventsOf(id)).map((event) => event.id));
});

it("end before the object goes idle", async () => {
  const stage = { reached: false, over: false };
  const heard: string[] = [];
  const name = newId("slow");
  listening(name, [
    onEvent("run_waiting", async ({ type }) => {
      stage.reached = true;
      while (!stage.over) await new Promise<void>((resolve) => setTimeout(resolve, 5));
      heard.push(type);
    }),
  ]);
  const id = await start(name);
  await expect.poll(() => stage.reached).toBe(true);
  await runs.resume(TENANT, id, { feedback: "three" });
  await reaches(id, "completed");
  stage.over = true;
  await expect.poll(() => heard).toEqual(["run_waiting"]);
  await expect.poll(() => alarmOf(id), { timeout: 5000 }).toBeNull();
});
