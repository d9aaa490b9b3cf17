import { describe, expect, it } from "vitest";
import { FileServer } from "../../../../console/pages/open/file-server.ts";
import { readExport } from "../../../../console/pages/open/read-export.ts";
import { pictureOf } from "../../../../console/pages/open/run-picture.ts";
import { Agent, Crew, Task } from "../../../../src/index.ts";
import type { LocalRun } from "../../../../src/runtime/handle/local-run.ts";
import { scriptedModel } from "../../../../src/testing/index.ts";

async function exported(): Promise<string> {
  const model = scriptedModel(["Ten facts", "A report"]);
  const agent = new Agent({ role: "Writer", goal: "Write", backstory: "Old", llm: model });
  const facts = new Task({ name: "facts", description: "Find", expectedOutput: "Facts", agent });
  const report = new Task({
    name: "report",
    description: "Report",
    expectedOutput: "A page",
    agent,
    context: [facts],
  });
  const crew = new Crew({ name: "briefing", agents: [agent], tasks: [facts, report] });
  const run = crew.start({ inputs: {} });
  await run.output();
  return JSON.stringify(await (run as unknown as LocalRun).export());
}

type Lines = { readonly steps: readonly object[]; readonly events: readonly object[] };

describe("a run's file", () => {
  it("is read whole, without a note (CO29)", async () => {
    const { run, steps, events, notes } = readExport(await exported());
    expect(notes).toEqual([]);
    expect(run).toMatchObject({ name: "briefing", status: "completed" });
    expect(steps.map(({ key }) => key)).toContain("task:facts");
    expect(events.at(-1)?.type).toBe("run_completed");
  });

  it("marks the steps that a fork took over", async () => {
    const opened = readExport(await exported());
    const facts = opened.steps.filter(({ key }) => key.startsWith("task:facts"));
    const createdAt = new Date(
      2 + Math.max(...opened.steps.map(({ endedAtMs }) => endedAtMs ?? 0)),
    );
    const steps = opened.steps.map((step) =>
      facts.includes(step) ? step : { ...step, endedAtMs: createdAt.getTime() + 1 },
    );
    const run = { ...opened.run, createdAt: createdAt.toISOString(), origin: { runId: "run-0" } };
    const server = new FileServer({ ...opened, run, steps });
    const address = `http://file/runs/${encodeURIComponent(run.id)}/journal`;
    const response = server.answer(new URL(address), new Headers()) ?? Response.json({});
    const { items } = (await response.json()) as {
      items: readonly { readonly key: string; readonly cause?: object }[];
    };
    const copied = items.filter(({ cause }) => cause !== undefined && "run" in cause);
    expect(copied.map(({ key }) => key)).toEqual(facts.map(({ key }) => key));
  });

  it("shows the readable steps of a file cut anywhere (CO29)", async () => {
    const text = await exported();
    const whole = readExport(text);
    const begin = text.indexOf('"steps":');
    for (let end = begin; end < text.length; end += 97) {
      const { run, steps, notes } = readExport(text.slice(0, end));
      expect(run.id).toBe(whole.run.id);
      const sure = steps.slice(0, -1); // of the last one a part may be missing
      expect(sure).toEqual(whole.steps.slice(0, sure.length));
      expect(notes[0]).toContain("cut or damaged");
    }
  });

  it("is read in lines too, and shows the readable steps without its end (CO29)", async () => {
    const { steps, events, ...head } = JSON.parse(await exported()) as Lines;
    const lines = [
      head,
      ...steps.map((step) => ({ step })),
      ...events.map((event) => ({ event })),
      { end: { steps: steps.length, events: events.length } },
    ].map((line) => JSON.stringify(line));
    const whole = readExport(`${lines.join("\n")}\n`);
    expect(whole).toEqual(readExport(JSON.stringify({ ...head, steps, events })));
    const cut = lines.slice(0, steps.length).join("\n");
    const opened = readExport(cut.slice(0, -5));
    expect(opened.steps).toEqual(whole.steps.slice(0, steps.length - 2));
    expect(opened.notes[0]).toContain("its end is missing");
  });

  it("is marked when it has a newer format, and shows its readable steps (CO29)", async () => {
    const value = JSON.parse(await exported()) as { steps: object[] };
    const newer = { ...value, format: "edgecrew.run/7", steps: [...value.steps, { what: "?" }] };
    const { steps, notes } = readExport(JSON.stringify(newer));
    expect(steps).toHaveLength(value.steps.length);
    expect(notes.join(" ")).toContain("edgecrew.run/7");
    expect(notes.join(" ")).toContain("1 step could not be read");
  });

  it.each([
    ["", "no JSON"],
    ["hello", "no JSON"],
    ["[1,2]", "no export of a run"],
    ['{"name":"x"}', "no export of a run"],
    ['{"format":"edgecrew.run/1","exportedAt":"2026-01-01T00:00:00Z"', "ends before"],
  ])("names the kind of %j (CO29)", (text, says) => {
    expect(() => readExport(text)).toThrow(says);
  });

  it("answers like the Worker (CO29)", async () => {
    const opened = readExport(await exported());
    const server = new FileServer(opened);
    const ask = async (path: string, accept = "application/json"): Promise<Response> => {
      const url = new URL(`http://x.test/runs/${opened.run.id}${path}`);
      const answer = server.answer(url, new Headers({ accept }));
      if (answer === undefined) throw new Error("not answered");
      return answer;
    };
    const journal = (await (await ask("/journal?limit=2")).json()) as {
      items: { key: string; startedAt: string }[];
      nextCursor?: string;
    };
    expect(journal.items).toHaveLength(2);
    expect(journal.nextCursor).toBeDefined();
    expect(journal.items[0]?.startedAt).toMatch(/^\d{4}-/);
    const key = opened.steps.find(({ kind }) => kind === "model")?.key ?? "";
    const call = (await (await ask(`/call?key=${encodeURIComponent(key)}`)).json()) as {
      request: { messages: unknown[] };
      response: { text: string };
    };
    expect(call.response.text).toBe("Ten facts");
    expect(call.request.messages.length).toBeGreaterThan(0);
    expect((await ask("/step?key=nope")).status).toBe(404);
    expect((await ask("/graph")).status).toBe(404);
    const stream = await (await ask("/events", "text/event-stream")).text();
    expect(stream.match(/^id: /gm)).toHaveLength(opened.events.length);
    expect(server.answer(new URL("http://x.test/runs/other"), new Headers())).toBeUndefined();
  });

  it("has a picture of its tasks (CO29)", async () => {
    const opened = readExport(await exported());
    const graph = pictureOf(
      opened.run,
      opened.steps.map((step) => ({
        ...step,
        startedAt: new Date(step.startedAtMs).toISOString(),
        ...(step.endedAtMs === null ? {} : { endedAt: new Date(step.endedAtMs).toISOString() }),
        bytes: 0,
      })) as never,
    );
    expect(graph.nodes.map(({ label, state }) => [label, state?.state])).toEqual([
      ["facts", "done"],
      ["report", "done"],
    ]);
  });
});
