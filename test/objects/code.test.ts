// Code that an agent runs, in a Durable Object with real isolates.
import { describe, expect, it } from "vitest";
import { killAll } from "./support/faults.ts";
import { heldCalls, holdCalls, keysCalled, letGo } from "./support/ledger.ts";
import { newId, reaches, runs, startOf, stepsOf, until } from "./support/runs.ts";

/** Has pieces of code run one after another, and returns the id of the run. */
async function start(...pieces: readonly string[]): Promise<string> {
  const id = newId("code");
  const inputs = { messages: pieces.join("\n---\n") };
  await runs.start(startOf("coder", { id, kind: "agent", inputs }));
  return id;
}

/** What the last piece came to. */
async function coded(...pieces: readonly string[]): Promise<string> {
  const { output } = await reaches(await start(...pieces), "completed");
  return (output as { readonly raw: string }).raw;
}

describe("code in a Durable Object", () => {
  it("is run, and its result is the tool's (CX1)", async () => {
    expect(await coded("console.log('hi'); return 6 * 7")).toContain("hi\nValue: 42");
    expect(await coded("typescript: const a: number = 6; return a * 7")).toContain("Value: 42");
  });

  it("leaves files behind for the next piece, in the workspace of its run", async () => {
    const raw = await coded(
      "require('fs').writeFileSync('a.csv', 'x,y')",
      "console.log(require('fs').readFileSync('a.csv', 'utf8'), require('fs').readdirSync('.'))",
    );
    expect(raw).toContain("x,y [ 'a.csv' ]");
    expect(await coded("return require('fs').readdirSync('.')")).toContain("Value: []");
  });

  it("calls tools of its run; killed meanwhile, it is repeated and calls only the unanswered ones (CX11, CX21)", async () => {
    const code =
      "const a = await tools.look_up({ about: 'tea' }); const b = await tools.look_up({ about: 'coffee' }); return [a.length, b.length]";
    const id = newId("code");
    holdCalls(id, /call:look_up/);
    await runs.start(startOf("coder", { id, kind: "agent", inputs: { messages: code } }));
    await until("the first call is held", async () => heldCalls(id).length === 1);
    letGo(id, heldCalls(id)[0]);
    await until(
      "the second call is held",
      async () => keysCalled(id).length === 2 && heldCalls(id).length === 1,
    );
    await killAll(id);
    letGo(id);
    const { output } = await reaches(id, "completed");
    expect(output).toMatchObject({ raw: expect.stringContaining("Value: [3,6]") });
    const calls = keysCalled(id).filter((key) => key.includes("look_up"));
    expect(calls).toHaveLength(3);
    expect(new Set(calls).size).toBe(2);
    expect(calls[0]).toMatch(/tool:run_code#0\/call:look_up:[\da-f]{8}#0\/tool:look_up$/);
  });

  it("runs in several runs at once", async () => {
    const codes = Array.from(
      { length: 6 },
      (_, n) => `await new Promise((r) => setTimeout(r, 50)); return ${n}`,
    );
    const all = await Promise.all(codes.map((code) => coded(code)));
    expect(all.map((raw) => /Value: (\d)/.exec(raw)?.[1])).toEqual(["0", "1", "2", "3", "4", "5"]);
  });

  it("is listed among the steps as one tool call", async () => {
    const id = await start("return 1");
    await reaches(id, "completed");
    const items = await stepsOf(id);
    const kinds = items.map(({ key, kind }) => `${kind} ${key.split("/").at(-1)}`);
    expect(kinds).toContain("tool tool:run_code#0");
    expect(kinds.filter((kind) => kind.startsWith("tool "))).toHaveLength(1);
  });
});
