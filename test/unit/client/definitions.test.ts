import { expect, it } from "vitest";
import { EdgecrewClient } from "../../../src/client/index.ts";
import { HttpWorld } from "../../support/http-app.ts";

it("definitions are checked, stored on condition, listed as versions and restored", async () => {
  const world = new HttpWorld();
  const { crews } = new EdgecrewClient({
    baseUrl: "http://crews.test/",
    clock: world.clock,
    fetch: (url, init) => Promise.resolve(world.app.request(url, init)),
  });
  const source = `agents: { a: { role: A, goal: B, backstory: C } } # alone
tasks: { t: { description: D, expected_output: E, agent: a } }
`;
  expect(await crews.check("agents: 1")).toMatchObject({ ok: false });
  expect(await crews.check(source, { name: "mine" })).toMatchObject({ ok: true });
  expect(await crews.put("mine", source, { ifNew: true })).toMatchObject({ version: 1 });
  const changed = source.replace("goal: B", "goal: X");
  const put = crews.put("mine", changed, { ifVersion: 1, note: "why" });
  expect(await put).toMatchObject({ version: 2 });
  await expect(crews.put("mine", source, { ifVersion: 1 })).rejects.toMatchObject({
    code: "precondition_failed",
  });
  const { items } = await crews.versions("mine", { limit: 1 });
  expect(items).toMatchObject([{ version: 2, note: "why" }]);
  expect((await crews.version("mine", 1)).source).toBe(source);
  expect(await crews.restore("mine", 1, { ifVersion: 2 })).toMatchObject({ version: 3 });
  const run = await crews.kickoff("mine", { version: 2, id: "r" });
  expect(run.id).toBe("r");
  await crews.delete("mine");
});
