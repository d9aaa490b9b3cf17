import { expect, it } from "vitest";
import { askingScript, HttpWorld, textOf } from "../../support/http-app.ts";

const world = (): HttpWorld => new HttpWorld({ script: askingScript("Which?", ["tea", "ink"]) });

it("lists open waits of runs, the oldest question first, until the answer", async () => {
  const asked = world();
  await asked.kickoff("briefing", { id: "run-1", inputs: { topic: "tea" } });
  await asked.clock.advance(1000);
  await asked.kickoff("briefing", { id: "run-2", inputs: { topic: "ink" } });
  const { json } = await asked.ask("/waits");
  expect(json["items"]).toMatchObject([
    {
      key: expect.stringContaining("task:research/"),
      kind: "human",
      prompt: "Which?",
      choices: ["tea", "ink"],
      run: { id: "run-1", kind: "crew", name: "briefing" },
    },
    { run: { id: "run-2" } },
  ]);
  expect(json).not.toHaveProperty("nextCursor");
  await asked.ask("/runs/run-1/resume", { json: { value: "tea" } });
  await asked.clock.settle();
  expect((await asked.ask("/waits")).json["items"]).toMatchObject([{ run: { id: "run-2" } }]);
});

it("pages through them", async () => {
  const asked = world();
  for (const id of ["a", "b", "c"]) await asked.kickoff("briefing", { id, inputs: { topic: "t" } });
  const first = await asked.ask("/waits?limit=2");
  expect(first.json["items"]).toMatchObject([{ run: { id: "a" } }, { run: { id: "b" } }]);
  const rest = await asked.ask(
    `/waits?limit=2&cursor=${encodeURIComponent(textOf(first.json["nextCursor"]))}`,
  );
  expect(rest.json).toMatchObject({ items: [{ run: { id: "c" } }] });
  expect(rest.json).not.toHaveProperty("nextCursor");
});

it("shows nothing of other tenants", async () => {
  const asked = world();
  await asked.kickoff("briefing", { inputs: { topic: "tea" } });
  const { json } = await asked.ask("/keys", { json: { tenant: "other", scopes: ["read"] } });
  const theirs = await asked.ask("/waits", { key: textOf(json["key"]) });
  expect(theirs.json).toEqual({ items: [] });
});
