import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../../src/agent/description/agent.ts";
import { Crew } from "../../../../src/crew/crew.ts";
import type { CrewOptions } from "../../../../src/crew/crew-options.ts";
import { Task } from "../../../../src/crew/tasks/task.ts";
import { workspaceOf } from "../../../../src/files/workspace.ts";
import type { Script } from "../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { FilesWorld } from "../../../support/files-world.ts";
import { textOf } from "../../../support/http-app.ts";

/** Writes a text into the run's workspace. */
const note = tool({
  name: "note",
  description: "Write a note.",
  input: z.object({ path: z.string(), text: z.string() }),
  run: async ({ path, text }) => {
    await workspaceOf().write(path, text, "text/plain");
    return "written";
  },
});
const agent = new Agent({ role: "Writer", goal: "Write", backstory: "You write.", tools: [note] });
const task = (name: string, more: object = {}): Task =>
  new Task({ name, description: `Chore ${name}`, expectedOutput: "A text", agent, ...more });

/** Notes the name of its task, once. */
const noting: Script = ({ messages }) => {
  const last = messages.at(-1);
  if (last?.role === "tool") return `Done: ${last.content}`;
  const [, name = ""] = /Chore ([\w-]+)/.exec(JSON.stringify(messages)) ?? [];
  return { toolCalls: [{ name: "note", arguments: { path: `notes/${name}.txt`, text: name } }] };
};

const crew = (tasks: readonly Task[], options: Partial<CrewOptions> = {}): Crew =>
  new Crew({ name: "notes", tasks, ...options });

async function ran(world: FilesWorld, id: string, name = "notes"): Promise<void> {
  await world.kickoff(name, { id });
  const { json } = await world.get(`/runs/${id}`);
  if (json["status"] !== ("completed" as unknown)) throw new Error(JSON.stringify(json["error"]));
}

async function pathsOf(world: FilesWorld, id: string): Promise<readonly string[]> {
  const { json } = await world.get(`/runs/${id}/files`);
  return (json["items"] as unknown as { path: string }[]).map(({ path }) => path);
}

describe("the files of a run over HTTP", () => {
  const crews = { notes: crew([task("one", { outputFile: "reports/one.md" })]) };

  it("are those written by its tools and its tasks", async () => {
    const world = new FilesWorld({ crews, script: noting });
    await ran(world, "r");
    const { status, json } = await world.get("/runs/r/files");
    expect([status, json["items"]]).toMatchObject([
      200,
      [
        { path: "notes/one.txt", mediaType: "text/plain", bytes: 3 },
        { path: "reports/one.md", mediaType: "text/markdown; charset=utf-8", bytes: 13 },
      ],
    ]);
    const file = await world.get("/runs/r/files/reports/one.md");
    expect([file.status, file.text]).toEqual([200, "Done: written"]);
    expect(Object.fromEntries(file.headers)).toMatchObject({
      "content-disposition": `attachment; filename="one.md"; filename*=UTF-8''one.md`,
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
    });
    expect((await world.get("/runs/r/files/reports/one.md", { range: "bytes=0-3" })).text).toBe(
      "Done",
    );
    expect((await world.get("/runs/r/files/reports%2Fone.md")).status).toBe(200);
  });

  it("are those of this run of this tenant alone", async () => {
    const world = new FilesWorld({ crews, script: noting, auth: { mode: "keys", adminKey: "op" } });
    const keyOf = async (tenant: string): Promise<string> => {
      const made = await world.ask("/keys", {
        json: { tenant, scopes: ["run", "read"] },
        key: "op",
      });
      return textOf(made.json["key"]);
    };
    const [acme, other] = [await keyOf("acme"), await keyOf("other")];
    await world.ask("/crews/notes/kickoff", { json: { id: "r" }, key: acme });
    await world.ask("/crews/notes/kickoff", { json: { id: "q" }, key: other });
    await world.clock.settle();
    const statusOf = async (path: string, key: string): Promise<number> =>
      (await world.ask(path, { key })).status;
    expect(await statusOf("/runs/r/files", acme)).toBe(200);
    expect(await statusOf("/runs/r/files", other)).toBe(404);
    expect(await statusOf("/runs/r/files/notes/one.txt", other)).toBe(404);
    expect(await statusOf("/runs/none/files", acme)).toBe(404);
    for (const path of ["notes", "gone", "NOTES/one.txt"])
      expect(await statusOf(`/runs/r/files/${path}`, acme)).toBe(404);
    for (const path of ["..%2Fq%2Fnotes%2Fone.txt", "%2Fetc%2Fx", "a%5Cb", "a%00b"])
      expect(await statusOf(`/runs/r/files/${path}`, acme)).toBe(400);
    expect(
      (await world.ask("/runs/r/files", { method: "POST", body: "x", key: acme })).status,
    ).toBe(405);
    expect(
      (await world.ask("/runs/r/files/a/b", { method: "PUT", body: "x", key: acme })).status,
    ).toBe(405);
  });

  it("are copied to a fork, and go with their run", async () => {
    const two = { notes: crew([task("one"), task("two")]) };
    const world = new FilesWorld({ crews: two, script: noting });
    await ran(world, "r");
    const objects = world.bucket.keys.length;
    await world.ask("/runs/r/fork", { json: { id: "f", fromTask: "two" } });
    await world.clock.settle();
    expect(await pathsOf(world, "f")).toEqual(["notes/one.txt", "notes/two.txt"]);
    expect(world.bucket.keys).toHaveLength(objects); // entries alone
    expect((await world.ask("/runs/r", { method: "DELETE" })).status).toBe(204);
    await world.sweep();
    expect((await world.get("/runs/f/files/notes/one.txt")).text).toBe("one");
    await world.ask("/runs/f", { method: "DELETE" });
    await world.sweep();
    expect([
      world.rows("workspace_files"),
      world.rows("file_blobs"),
      world.bucket.keys.length,
    ]).toEqual([0, 0, 0]);
  });

  it("are written by child runs, too", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `t${index}`);
    const tasks = [...names.map((name) => task(name, { asyncExecution: true })), task("last")];
    const world = new FilesWorld({ crews: { notes: crew(tasks) }, script: noting });
    await ran(world, "r");
    expect(await pathsOf(world, "r")).toEqual(
      [...names, "last"].map((name) => `notes/${name}.txt`).toSorted(),
    );
  });

  it("may be in a shared workspace, which stays", async () => {
    const workspace = { name: "team" };
    const shared = {
      notes: crew([task("one")], { workspace }),
      more: crew([task("two")], { workspace }),
    };
    const world = new FilesWorld({ crews: shared, script: noting });
    await ran(world, "r");
    await ran(world, "q", "more");
    const both = ["notes/one.txt", "notes/two.txt"];
    expect([await pathsOf(world, "r"), await pathsOf(world, "q")]).toEqual([both, both]);
    await world.ask("/runs/q/fork", { json: { id: "f", fromTask: "two" } });
    await world.clock.settle();
    expect(await pathsOf(world, "f")).toEqual(both);
    for (const id of ["r", "q", "f"]) await world.ask(`/runs/${id}`, { method: "DELETE" });
    await world.sweep();
    expect([world.rows("workspace_files"), world.rows("run_workspaces")]).toEqual([2, 0]);
  });
});

it.each([["team"], [{ name: "../x" }], [{ name: "a", more: 1 }], [{}]])(
  "a crew's workspace is not %j",
  (workspace) => {
    const options = { workspace } as unknown as Partial<CrewOptions>;
    expect(() => crew([task("one")], options)).toThrow(/workspace/);
  },
);
