import { expect, it } from "vitest";
import { HttpWorld } from "../../support/http-app.ts";

const agents = { a: { role: "A", goal: "B", backstory: "C" } };

it.each([
  ["one text with a repeated input", ["{a}".repeat(100)], "placeholders filled"],
  [
    "texts too long together",
    Array.from({ length: 12 }, () => "{a}"),
    "may have 4194304 characters",
  ],
])("%s is refused before the model is called", async (_, texts, message) => {
  const world = new HttpWorld({
    limits: { maxBodyBytes: 4 * 1024 * 1024 },
    script: () => "y".repeat(900_000),
  });
  const tasks = texts.map((text, index) => ({
    name: `t${index}`,
    description: `Do ${text}`,
    expectedOutput: "E",
    agent: "a",
  }));
  expect((await world.ask("/crews/mine", { method: "PUT", json: { agents, tasks } })).status).toBe(
    201,
  );
  const a = "x".repeat(900_000);
  const started = await world.ask("/crews/mine/kickoff", { json: { id: "one", inputs: { a } } });
  expect(started.status).toBe(202);
  await world.clock.settle();
  const { json } = await world.ask("/runs/one");
  expect(json["error"]).toMatchObject({ code: "value_too_large" });
  expect(json["error"]?.["message"]).toContain(message);
  const longest = Math.max(
    0,
    ...world.model.calls.map(({ request }) => JSON.stringify(request).length),
  );
  expect(longest).toBeLessThan(9 * 1024 * 1024);
});
