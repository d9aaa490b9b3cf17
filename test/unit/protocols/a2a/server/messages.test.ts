// Messages to a task that works.
import { expect, it } from "vitest";
import type { Task } from "../../../../../src/protocols/a2a/schema.ts";
import { Latch } from "../../../../support/journal-harness.ts";
import { A2AWorld } from "./world.ts";

it("a message to a working task reaches its agent, once by its id, and is in its history", async () => {
  const answer = new Latch<string>();
  const world = new A2AWorld({
    script: ({ messages }) =>
      JSON.stringify(messages).includes("in euros") ? "In euros." : answer.promise,
  });
  const configuration = { returnImmediately: true };
  const started = await world.rpc(
    "SendMessage",
    { message: world.message("Prices?"), configuration },
    { agent: "writer" },
  );
  const { id } = (started.json["result"] as unknown as { task: Task }).task;
  await world.clock.settle();
  const message = world.message("in euros", { taskId: id });
  for (let time = 0; time < 2; time++) {
    const sent = await world.rpc("SendMessage", { message, configuration }, { agent: "writer" });
    expect(sent.json["result"]).toMatchObject({
      task: { id, status: { state: expect.stringContaining("WORKING") } },
    });
  }
  expect((await world.ask(`/runs/${id}/messages`)).json["items"]).toHaveLength(1);
  answer.resolve("In dollars.");
  await world.clock.settle();
  const { json } = await world.rpc("GetTask", { id }, { agent: "writer" });
  expect(JSON.stringify(json["result"])).toContain("In euros.");
  const texts = (json["result"]?.["history"] as unknown as Task["history"])?.map(
    ({ parts }) => parts[0]?.text,
  );
  expect(texts).toEqual(["Prices?", "in euros"]);
});
