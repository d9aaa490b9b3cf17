import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../src/agent/description/agent.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { Task } from "../../../src/crew/tasks/task.ts";
import { defineFlow } from "../../../src/flow/define-flow.ts";
import { schemaType } from "../../../src/cli/schema-type.ts";
import { Terminal, WORKER } from "../../support/cli-world.ts";
import { projectFolder } from "../../support/project-folder.ts";

const agent = new Agent({ role: "Clerk", goal: "Answer on {topic}", backstory: "Plain." });
const titled = new Crew({
  name: "titled",
  tasks: [
    new Task({
      description: "Write about {topic}",
      expectedOutput: "A page",
      agent,
      output: z.object({
        title: z.string().describe("Ends with */ nothing"),
        parts: z.array(z.string()),
      }),
    }),
  ],
});
const asked = new Crew({
  name: "asked",
  tasks: [new Task({ description: "Write on {topic}", expectedOutput: "A page", agent })],
  inputSchema: z.object({ topic: z.string(), tone: z.enum(["dry", "warm"]).default("dry") }),
});
const flow = defineFlow({
  name: "sort",
  state: z.object({ mail: z.string(), kind: z.enum(["bill", "other"]).default("other") }),
  methods: { begin: { start: true, run: () => "done" } },
});

const world = (folder = projectFolder({})) =>
  new Terminal({
    cwd: folder,
    crews: { titled, asked },
    flows: { sort: flow },
    agents: { clerk: agent },
  });

describe("edgecrew types", () => {
  it("APT1: writes the inputs and outputs of crews, flows and agents, without imports (CL23, CA25)", async () => {
    const cli = world();
    const { code, out } = await cli.run("types");
    expect([code, out]).toEqual([0, "src/edgecrew.d.ts\n"]);
    const text = readFileSync(join(cli.folder, "src/edgecrew.d.ts"), "utf8");
    expect(text).not.toMatch(/\bimport\b/);
    expect(text).toMatchInlineSnapshot(`
      "// Written by \`edgecrew types\`: changes here are lost.

      /** What an input may be. */
      export type JsonValue =
        | string
        | number
        | boolean
        | null
        | ReadonlyArray<JsonValue>
        | { readonly [name: string]: JsonValue };

      /** What can be started here: what each takes, and what it gives. */
      export type Api = {
        crews: {
          asked: {
            inputs: {
              "topic": string;
              "tone"?: "dry" | "warm";
            };
            output: unknown;
          };
          titled: {
            inputs: {
              "topic": JsonValue;
              [name: string]: JsonValue;
            };
            output: {
              /** Ends with *\\/ nothing */
              "title": string;
              "parts": Array<string>;
            };
          };
        };
        flows: {
          sort: {
            inputs: {
              "mail": string;
              "kind"?: "bill" | "other";
            };
            state: {
              "mail": string;
              "kind": "bill" | "other";
            };
            result: unknown;
          };
        };
        agents: {
          clerk: {
            inputs: {
              "topic": JsonValue;
              [name: string]: JsonValue;
            };
            output: unknown;
          };
        };
        conversations: {};
      };
      "
    `);
    expect((await cli.run("types")).out).toContain("is up to date");
  });

  it("fails with --check when the file is stale or missing, and writes no file (CL23, CC1)", async () => {
    const cli = world();
    const missing = await cli.run("types --check --out api.d.ts");
    expect([missing.code, missing.out, missing.err]).toEqual([
      1,
      "",
      expect.stringMatching(/api\.d\.ts is not there[\s\S]*edgecrew types --out api\.d\.ts/),
    ]);
    expect(existsSync(join(cli.folder, "api.d.ts"))).toBe(false);
    await cli.run("types --out api.d.ts");
    const path = join(cli.folder, "api.d.ts");
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replaceAll("\n", "\r\n"));
    expect((await cli.run("types --out api.d.ts --check")).code).toBe(0);
    writeFileSync(path, text.replace("title", "titel"));
    expect((await cli.run("types --out api.d.ts --check")).err).toContain("out of date");
    expect(readFileSync(path, "utf8")).toContain("titel");
  });

  it("accepts a file and not a folder", async () => {
    const cli = world();
    mkdirSync(join(cli.folder, "types"));
    for (const folder of ["types", "other/", `${cli.folder}/`]) {
      const { code, err } = await cli.run(`types --out ${folder}`);
      expect([code, err]).toEqual([2, expect.stringContaining("expected a file")]);
    }
  });

  it("APT2: is not stale after a crew was stored", async () => {
    const cli = world();
    await cli.run("types");
    await cli.ask(`${WORKER}/crews/later`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        agents: { a: { role: "A", goal: "B", backstory: "C" } },
        tasks: [{ name: "t", description: "D", expectedOutput: "E", agent: "a" }],
      }),
    });
    expect((await cli.run("types --check")).code).toBe(0);
  });

  it("needs a Worker when there is no project", async () => {
    const cli = new Terminal({ cwd: projectFolder({}), variables: {} });
    expect((await cli.run("types")).code).toBe(4);
  });
});

describe("a type of a JSON Schema", () => {
  it.each([
    [{ type: "integer" }, "number"],
    [{ type: ["string", "null"] }, "string | null"],
    [{ const: "a" }, '"a"'],
    [{ enum: ["a", 1, null, true] }, '"a" | 1 | null | true'],
    [{ enum: [{ a: 1 }] }, "unknown"],
    [
      { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } },
      "Array<string | number>",
    ],
    [{ type: "array" }, "Array<unknown>"],
    [{ type: "array", prefixItems: [{ type: "string" }], items: false }, "[string]"],
    [
      { type: "array", prefixItems: [{ type: "string" }], items: { type: "number" } },
      "[string, ...Array<number>]",
    ],
    [{ type: "object", additionalProperties: { type: "number" } }, "Record<string, number>"],
    [{ type: "object", additionalProperties: false }, "Record<string, never>"],
    [{ anyOf: [{ type: "string" }, {}] }, "unknown"],
    [{ allOf: [{ type: "string" }, { enum: ["a", "b"] }] }, 'string & ("a" | "b")'],
    [{ $ref: "#/$defs/x", $defs: { x: { type: "boolean" } } }, "boolean"],
    [{ $ref: "#/$defs/nope" }, "unknown"],
    [{ $ref: "https://elsewhere.example/schema" }, "unknown"],
    [undefined, "unknown"],
    [true, "unknown"],
    [false, "never"],
    [{ properties: { "a-b": { type: "string" } } }, '{\n  "a-b"?: string;\n}'],
  ])("SCT1: %j is %s", (schema, type) => {
    expect(schemaType(schema as never)).toBe(type);
  });

  it("SCT1: cuts a recursive type at a limit", () => {
    const tree = {
      type: "object",
      properties: { children: { type: "array", items: { $ref: "#" } } },
    };
    const inner = schemaType(tree);
    expect(inner.match(/children/g)).toHaveLength(2);
    expect(inner).toContain("unknown");
  });

  it("SCT1: of zod compiles, accepts fitting values and refuses others", () => {
    const schema = z.object({
      id: z.union([z.string(), z.number()]),
      at: z.iso.datetime().optional(),
      tags: z.record(z.string(), z.array(z.boolean())),
      pair: z.tuple([z.string(), z.number()]),
      kind: z.discriminatedUnion("type", [
        z.object({ type: z.literal("a"), a: z.number() }),
        z.object({ type: z.literal("b"), b: z.string().nullable() }),
      ]),
      with: z.intersection(z.object({ x: z.number() }), z.object({ y: z.number() })),
      open: z.looseObject({ "odd name": z.string() }),
    });
    const type = schemaType(z.toJSONSchema(schema, { io: "input" }) as never);
    const folder = projectFolder({
      "a.ts": `type T = ${type};
const pair: [string, number] = ["a", 1];
export const fits: T = { id: 1, tags: { t: [true] }, pair, kind: { type: "b", b: null }, with: { x: 1, y: 2 }, open: { "odd name": "o", more: 1 } };
// @ts-expect-error a field of another kind
export const wrong: T["kind"] = { type: "a", b: "x" };
// @ts-expect-error a field is missing
export const less: T["with"] = { x: 1 };
`,
    });
    const tsc = join(import.meta.dirname, "../../../node_modules/.bin/tsc");
    const flags = ["--noEmit", "--strict", "--ignoreConfig", "--types", "", join(folder, "a.ts")];
    expect(() => execFileSync(tsc, flags, { encoding: "utf8", stdio: "pipe" })).not.toThrow();
  });
});
