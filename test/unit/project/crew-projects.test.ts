import { expect, it } from "vitest";
import { definitionReaders } from "../../../src/project/definition-readers.ts";
import { HttpWorld } from "../../support/http-app.ts";

const FILES = {
  "config/agents.yaml": "clerk: { role: Clerk, goal: Count, backstory: You count. }",
  "config/tasks.yaml":
    "count: { description: 'Count {items}', expected_output: A number, agent: clerk }",
};

const put = (world: HttpWorld) =>
  world.ask("/crews/counting", { method: "PUT", json: { files: FILES } });

it("stores a crew from the files of a project in an app with crewProjects()", async () => {
  expect(await put(new HttpWorld())).toMatchObject({ status: 201, json: { name: "counting" } });
});

it("answers 409 with the option's name in an app that refuses it, and still reads YAML", async () => {
  const world = new HttpWorld({ readers: definitionReaders(undefined) });
  expect(await put(world)).toMatchObject({
    status: 409,
    json: { code: "conflict", detail: expect.stringContaining("`projects: false`") as string },
  });
  const body = `agents:\n  ${FILES["config/agents.yaml"]}\ntasks:\n  ${FILES["config/tasks.yaml"]}\n`;
  const headers = { "content-type": "application/yaml" };
  expect(await world.ask("/crews/counting", { method: "PUT", body, headers })).toMatchObject({
    status: 201,
  });
});
