// What programs read: JSON on standard output, and nothing else there.
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Terminal } from "../../support/cli-world.ts";
import { storesWorker } from "../../support/stores-worker.ts";

const list = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ items: z.array(item).min(1), nextCursor: z.string().optional() });
const document = z.object({
  id: z.string(),
  name: z.string(),
  state: z.string(),
  hash: z.string(),
});
const record = z.object({ id: z.string(), content: z.string(), scope: z.string() });

/** Commands that read, with the form of what they print. */
const READING: readonly (readonly [string, z.ZodType])[] = [
  ["memory", z.strictObject({ tree: z.string(), console: z.url() })],
  ["memory tree", z.strictObject({ tree: z.string() })],
  ["memory ls", list(record)],
  [
    "memory recall tea --depth shallow",
    z.object({ items: z.array(z.object({ record, score: z.number() })) }),
  ],
  ["knowledge ls", list(z.object({ name: z.string(), documents: z.number() }))],
  ["knowledge ls handbook", list(document)],
  ["knowledge query handbook tea", z.object({ items: z.array(z.object({ text: z.string() })) })],
  ["files ls", list(z.object({ id: z.string(), bytes: z.number(), sha256: z.string() }))],
  ["schedules ls", list(z.object({ id: z.string(), cron: z.string(), next: z.array(z.string()) }))],
  ["hooks ls", list(z.object({ name: z.string(), scheme: z.string(), path: z.string() }))],
  ["hooks deliveries h", list(z.object({ runId: z.string(), delivery: z.string() }))],
  [
    "triggers ls",
    z.strictObject({
      schedules: z.array(z.object({ id: z.string() })),
      webhooks: z.array(z.object({ name: z.string() })),
    }),
  ],
  ["keys ls", list(z.object({ id: z.string(), scopes: z.array(z.string()) }))],
  ["config ls", list(z.object({ name: z.string(), hasKey: z.boolean(), isCurrent: z.boolean() }))],
  ["config get", z.strictObject({ profile: z.string(), url: z.string() })],
  ["config path", z.strictObject({ path: z.string() })],
  ["version", z.object({ edgecrew: z.string(), worker: z.string() })],
  ["docs", list(z.strictObject({ topic: z.string(), title: z.string() }))],
  ["docs memory", z.strictObject({ topic: z.string(), markdown: z.string() })],
  [
    "help crewai",
    z.object({ items: z.array(z.object({ crewai: z.string(), here: z.array(z.string()) })) }),
  ],
  ["plot review", z.object({ nodes: z.unknown() })],
  ["runs ls", list(z.object({ id: z.string(), status: z.string() }))],
];

async function filled(): Promise<Terminal> {
  const world = new Terminal({ worker: storesWorker(), variables: {} });
  writeFileSync(`${world.folder}/tea.md`, "Green tea.");
  writeFileSync(`${world.folder}/secret.txt`, "a secret of sixteen and more");
  writeFileSync(`${world.folder}/p.json`, "{}");
  for (const line of [
    "login --url http://worker.test --name local",
    "memory remember tea --scope /a --category b --importance 0.5",
    "knowledge add handbook tea.md",
    "files put tea.md",
    "schedules add s --cron @daily --crew greeting",
    "hooks add h --crew greeting --secret secret.txt",
    "triggers run h --payload p.json --secret secret.txt",
    "keys create",
  ]) {
    const { code, err } = await world.run(line);
    if (code !== 0) throw new Error(`${line}: ${err}`);
  }
  return world;
}

describe("--json", () => {
  it("OUT1: has one document of the right form for each reading command (CL3)", async () => {
    const world = await filled();
    for (const [line, schema] of READING) {
      const { code, out } = await world.run(`${line} --json`);
      const parsed = schema.safeParse(JSON.parse(out));
      expect([line, code, parsed.error?.message]).toEqual([line, 0, undefined]);
    }
  });

  it("leaves standard output empty when a command fails (CL3)", async () => {
    const world = new Terminal({ fetch: () => Promise.reject(new Error("down")) });
    for (const [line] of READING.filter(([each]) => !/^(?:config|version|docs|help)/.test(each))) {
      const { code, out, err } = await world.run(`${line} --json`);
      expect([line, code, out]).toEqual([line, 4, ""]);
      expect(JSON.parse(err)).toHaveProperty("error.code", "unavailable");
    }
  });
});
