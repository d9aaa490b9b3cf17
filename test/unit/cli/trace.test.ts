import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { redactTrace, withoutValues } from "../../../src/cli/redact-trace.ts";
import type { ExportedRun } from "../../../src/client/index.ts";
import { Terminal } from "../../support/cli-world.ts";
import { briefing } from "../../support/http-app.ts";
import { replayRun } from "../../../src/testing/replay-run.ts";

const SCREEN = { columns: 100, rows: 24 };
const SECRET = "marked-secret-words";

/** A world with a run that called a tool, and a project in its folder. */
async function worldOf(): Promise<Terminal> {
  const world = new Terminal({
    script: ({ messages }) => {
      if (messages.at(-1)?.role === "tool") return `The answer: ${SECRET}`;
      if (!JSON.stringify(messages).includes("Research")) return `A page: ${SECRET}`;
      return { toolCalls: [{ name: "ask", arguments: { question: `Which ${SECRET}?` } }] };
    },
  });
  await world.run(`run briefing --input topic=${SECRET} --id saved-1 --detach`);
  await world.http.clock.settle();
  await world.run(`waits answer saved-1 --feedback ${SECRET}`);
  await world.http.clock.settle();
  return world;
}

const readTrace = (world: Terminal, name: string): ExportedRun =>
  JSON.parse(readFileSync(`${world.folder}/${name}`, "utf8")) as ExportedRun;

describe("a saved run", () => {
  it("is a private file, and is overwritten only after a yes (CL19, CL21)", async () => {
    const world = await worldOf();
    const { code, out } = await world.run("trace download saved-1");
    expect([code, out]).toEqual([0, `${world.folder}/saved-1.json\n`]);
    expect(statSync(`${world.folder}/saved-1.json`).mode & 0o777).toBe(0o600);
    expect(readTrace(world, "saved-1.json")).toMatchObject({ run: { status: "completed" } });
    const again = await world.run("trace download saved-1");
    expect([again.code, again.err]).toEqual([2, expect.stringContaining("--yes")]);
    const asked = await world.run("trace download saved-1", { terminal: SCREEN, answers: [true] });
    expect(asked.asked[0]).toMatch(/^Overwrite 1 file, /);
    const piped = await world.run("trace download saved-1 -o -");
    expect(JSON.parse(piped.out)).toMatchObject({ format: "edgecrew.run/1" });
  });

  it("is shown without a Worker (CL19)", async () => {
    const world = await worldOf();
    await world.run("trace download saved-1 -o run.json");
    const offline = { variables: {} };
    const { code, out } = await world.run("trace show run.json --journal", offline);
    expect(code).toBe(0);
    expect(out).toMatch(/^crew briefing {2}completed/);
    expect(out).toMatch(/done {5}task:research\/turn:1\/tool:ask#0/);
    const json = JSON.parse((await world.run("trace show run.json --json", offline)).out) as object;
    expect(json).toMatchObject({ id: "saved-1", status: "completed" });
  });

  it("is read from the lines of the API, and refused without their end", async () => {
    const world = await worldOf();
    await world.run("trace download saved-1 -o run.json");
    const { steps, events, ...head } = JSON.parse(
      readFileSync(`${world.folder}/run.json`, "utf8"),
    ) as { steps: object[]; events: object[] };
    const lines = [
      head,
      ...steps.map((step) => ({ step })),
      ...events.map((event) => ({ event })),
      { end: { steps: steps.length, events: events.length } },
    ].map((line) => JSON.stringify(line));
    writeFileSync(`${world.folder}/run.ndjson`, `${lines.join("\n")}\n`);
    writeFileSync(`${world.folder}/cut.ndjson`, lines.slice(0, -1).join("\n"));
    const shown = await world.run("trace show run.ndjson");
    expect(shown.out).toBe((await world.run("trace show run.json")).out);
    const cut = await world.run("trace show cut.ndjson");
    expect([cut.code, cut.err]).toEqual([2, expect.stringContaining("broken or cut off")]);
  });

  it("is refused when it is broken, newer or something else (BI16)", async () => {
    const world = new Terminal();
    const file = (name: string, text: string): void =>
      writeFileSync(`${world.folder}/${name}`, text);
    file("cut.json", '{"format":"edgecrew.run/1","ru');
    file("newer.json", '{"format":"edgecrew.run/9"}');
    file("other.json", "[]");
    for (const [name, message] of [
      ["cut.json", "cut.json is broken or cut off"],
      ["newer.json", "has the format edgecrew.run/9; this version reads edgecrew.run/1"],
      ["other.json", "other.json is no saved run"],
      ["none.json", "there is no file none.json"],
    ] as const) {
      const { code, err } = await world.run(`trace show ${name}`);
      expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    }
  });

  it("RDT1: has no text of any person once it is redacted (CL19)", async () => {
    const world = await worldOf();
    await world.run("trace download saved-1 --redact -o run.json");
    const text = readFileSync(`${world.folder}/run.json`, "utf8");
    for (const word of [SECRET, "Research ", "You dig deep", "Which"])
      expect([word, text.includes(word)]).toEqual([word, false]);
    const whole = readTrace(world, "run.json");
    expect(whole.steps.map(({ key }) => key)).toContain("task:research/turn:1/tool:ask#0");
    expect(whole.start.inputs).toEqual({ topic: `«${SECRET.length} characters»` });
  });

  it("RDT2: keeps shapes, also of JSON within a text", () => {
    const trace = {
      run: { output: { raw: '{"list":["secret",1,{"deep":"secret"}]}', name: "n" } },
      steps: [{ key: "k", value: { text: "secret", n: 1, ok: true, nothing: null } }],
    } as unknown as ExportedRun;
    const redacted = redactTrace(trace) as unknown as {
      run: { output: { raw: string } };
      steps: { value: object }[];
    };
    expect(JSON.parse(redacted.run.output.raw)).toEqual({
      list: ["«6 characters»", 1, { deep: "«6 characters»" }],
    });
    expect(redacted.steps[0]?.value).toEqual({
      text: "«6 characters»",
      n: 1,
      ok: true,
      nothing: null,
    });
  });

  it("has its steps without values on request", async () => {
    const world = await worldOf();
    await world.run("trace download saved-1 --no-values -o run.json");
    const { steps } = readTrace(world, "run.json");
    expect(steps.length).toBeGreaterThan(3);
    expect(steps.every((step) => !("value" in step) && !("request" in step))).toBe(true);
    expect(withoutValues({ steps: [] } as never).steps).toEqual([]);
  });

  it("RX3: fits its own code, redacted or whole (CL19)", async () => {
    const world = await worldOf();
    await world.run("trace download saved-1 -o whole.json");
    await world.run("trace download saved-1 --redact -o redacted.json");
    const models = () => world.http.model;
    for (const name of ["whole.json", "redacted.json"]) {
      const before = world.http.model.calls.length;
      const result = await replayRun(readTrace(world, name), briefing, { models });
      expect([name, result.fits, world.http.model.calls.length - before]).toEqual([name, true, 0]);
    }
  });
});

describe("trace test", () => {
  const root = fileURLToPath(new URL("../../..", import.meta.url));

  /** A project whose module has the crew `briefing`, as it was or changed. */
  function project(world: Terminal, change: (source: string) => string = (source) => source): void {
    const installed = `${world.folder}/node_modules/edgecrew`;
    mkdirSync(installed, { recursive: true });
    symlinkSync(`${root}/src`, `${installed}/src`);
    symlinkSync(`${root}/node_modules`, `${installed}/node_modules`);
    const exports = { ".": "./src/index.ts", "./testing": "./src/testing/index.ts" };
    const manifest = { name: "edgecrew", type: "module", exports };
    writeFileSync(`${installed}/package.json`, JSON.stringify(manifest));
    writeFileSync(`${world.folder}/package.json`, '{"type":"module"}');
    writeFileSync(
      `${world.folder}/crews.ts`,
      change(`
import { Agent, Crew, Task, tool } from "${root}/src/index.ts";
import * as z from "${root}/node_modules/zod/index.js";
const ask = tool({ name: "ask", description: "Ask a person.",
  input: z.object({ question: z.string(), choices: z.array(z.string()).optional() }),
  run: () => { throw new Error("a tool was called"); } });
const researcher = new Agent({ role: "Researcher", goal: "Find facts about {topic}", backstory: "You dig deep.", tools: [ask], llm: "openai/never-called" });
const writer = new Agent({ role: "Writer", goal: "Write", backstory: "You write short.", llm: "openai/never-called" });
const research = new Task({ name: "research", description: "Research {topic}", expectedOutput: "Facts", agent: researcher });
const report = new Task({ name: "report", description: "Write about {topic}", expectedOutput: "A page", agent: writer });
const extra = new Task({ name: "extra", description: "More about {topic}", expectedOutput: "A page", agent: writer });
export const briefing = new Crew({ name: "briefing", tasks: [research, report] });
export const other = new Crew({ name: "other", tasks: [extra] });
`),
    );
  }

  it.each([
    ["the same code", (text: string) => text, /^run.json\tfits\t\n$/, 0],
    [
      "a changed prompt",
      (text: string) => text.replace("Write about", "Write on"),
      /task:report/,
      1,
    ],
    ["a removed tool", (text: string) => text.replace("tools: [ask], ", ""), /task:research/, 1],
    [
      "a new task",
      (text: string) => text.replace("[research, report]", "[research, report, extra]"),
      /task:extra/,
      1,
    ],
  ])(
    "reports whether %s fits, and calls no model (CL19)",
    async (...[, change, message, expected]) => {
      const world = await worldOf();
      await world.run("trace download saved-1 -o run.json");
      project(world, change);
      const { code, out, err } = await world.run("trace test run.json --code crews.ts");
      expect([code, err]).toEqual([expected, ""]);
      expect(out).toMatch(message);
    },
  );

  it.each([
    ["trace test run.json", /say which code/],
    ["trace test run.json --code crews.ts#nope", /exports no nope; .*briefing, other/],
    ["trace test run.json --code none.ts", /none.ts cannot be loaded/],
  ])("%s is wrong use", async (line, message) => {
    const world = await worldOf();
    await world.run("trace download saved-1 -o run.json");
    project(world);
    const { code, err } = await world.run(line);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });
});
