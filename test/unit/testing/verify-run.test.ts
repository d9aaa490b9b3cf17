import { expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { defineFlow } from "../../../src/flow/index.ts";
import { modelCatalog } from "../../../src/llm/model-catalog.ts";
import type { ExportedRun } from "../../../src/runtime/export-run.ts";
import type { LocalRun } from "../../../src/runtime/handle/local-run.ts";
import { versions } from "../../../src/parts/versions.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { verifyApp } from "../../../src/testing/verify-app.ts";
import { verifyRun, type VerifyPorts } from "../../../src/testing/verify-run.ts";
import { scriptedAgent, startCrew, taskFor } from "../../support/crew-harness.ts";

type Code = { program(): ReturnType<VerifyPorts["program"]> };

/** A crew whose second task waits for a person. */
function crewOf({
  names = ["draft", "ask"],
  goal = "Find facts",
  script = ["drafted", "asked"],
}: {
  readonly names?: readonly string[];
  readonly goal?: string;
  readonly script?: readonly string[];
} = {}) {
  const { agent, model } = scriptedAgent([...script], { goal });
  const tasks = names.map((name) =>
    taskFor(agent, { name, description: `Do ${name}`, humanInput: name === "ask" }),
  );
  return { crew: new Crew({ name: "briefing", tasks }), model };
}

async function waiting(crew: Crew): Promise<ExportedRun> {
  const run = startCrew(crew, { topic: "tea" });
  expect((await run.settle()).status).toBe("waiting");
  const exported = await (run.handle as LocalRun).export();
  return JSON.parse(JSON.stringify(exported)) as ExportedRun;
}

const portsOf = (code: Code, more: Partial<VerifyPorts> = {}): VerifyPorts => ({
  program: () => code.program(),
  models: modelCatalog({ variables: {} }),
  ...more,
});

it("VFY1: a run goes on with the code of its start", async () => {
  const exported = await waiting(crewOf().crew);
  expect(await verifyRun(exported, portsOf(crewOf().crew))).toEqual({
    verdict: "goes on",
    changes: [],
  });
});

it("VFY1, VFY2: a further task is not a fault, and no model is asked for it", async () => {
  const exported = await waiting(crewOf().crew);
  const asked = exported.steps.map((step) => {
    if (step.kind !== "wait") return step;
    const answer = { feedback: "", approve: true };
    return { ...step, state: "done" as const, value: answer, endedSeq: 99, endedAtMs: 1 };
  });
  const { crew, model } = crewOf({ names: ["draft", "ask", "more"] });
  expect(await verifyRun({ ...exported, steps: asked }, portsOf(crew))).toMatchObject({
    verdict: "goes on",
  });
  expect(model.calls).toEqual([]);
});

it("VFY1: a changed prompt of unfinished work is listed, one of a finished task is not", async () => {
  const exported = await waiting(crewOf().crew);
  const { crew } = crewOf({ goal: "Find rumours" });
  expect(await verifyRun(exported, portsOf(crew))).toEqual({
    verdict: "goes on",
    changes: ["task:ask/turn:1/llm"],
  });
  expect(await verifyRun(exported, portsOf(crew, { onChange: "hold" }))).toMatchObject({
    verdict: "held",
    step: "task:ask/turn:1/llm",
  });
  expect(await verifyRun(exported, portsOf(crew, { onChange: "fail" }))).toMatchObject({
    verdict: "failed",
  });
});

it.each([
  ["a finished task has another name", ["sketch", "ask"], "task:draft"],
  ["the waiting task is gone", ["draft"], "task:ask/turn:1/llm"],
])("VFY1: a run is held when %s", async (_, names, step) => {
  const exported = await waiting(crewOf().crew);
  const { crew, model } = crewOf({ names });
  expect(await verifyRun(exported, portsOf(crew))).toMatchObject({ verdict: "held", step });
  expect(model.calls).toEqual([]);
});

it("VFY1: a run is held when its definition is gone", async () => {
  const exported = await waiting(crewOf().crew);
  const program = (): never => {
    throw new EngineError("not_found", `"briefing" has no version "1" any more`);
  };
  expect(await verifyRun(exported, portsOf(crewOf().crew, { program }))).toEqual({
    verdict: "held",
    message: `"briefing" has no version "1" any more`,
  });
});

/** A flow whose first method does something, and then asks. */
function flowOf(work: () => Promise<string>) {
  return defineFlow({
    name: "ask",
    methods: {
      begin: {
        start: true,
        run: async (flow) => {
          const text = await work();
          const answer = await flow.step("read", () => Promise.resolve(text));
          return flow.ask(answer);
        },
      },
    },
  });
}

/** Fails before its first step. */
function brokenCode(): Code {
  const { crew } = crewOf();
  const fail = (): Promise<never> => Promise.reject(new Error("no such setting here"));
  return { program: () => ({ ...crew.program(), run: fail }) };
}

async function waitingFlow(): Promise<ExportedRun> {
  const clock = new SimulatedClock();
  const run = flowOf(() => Promise.resolve("Ready?")).start({ id: "flow-1", clock });
  for (let turn = 0; turn < 50; turn++) {
    await clock.settle();
  }
  return (run as unknown as LocalRun).export();
}

it("VFY2, VFY3: code that calls an address outside of a step is blocked, and the run's fate is unknown", async () => {
  const exported = await waitingFlow();
  expect(exported.run.status).toBe("waiting");
  const quiet = flowOf(() => Promise.resolve("Ready?"));
  expect(await verifyRun(exported, portsOf(quiet))).toMatchObject({ verdict: "goes on" });
  const network = globalThis.fetch;
  const calling = flowOf(async () => (await fetch("http://127.0.0.1:1/x")).text());
  expect(await verifyRun(exported, portsOf(calling))).toEqual({
    verdict: "not known",
    message: "its code calls http://127.0.0.1:1/x outside of a step",
  });
  expect(globalThis.fetch).toBe(network);
  const failing = flowOf(() => Promise.reject(new Error("no such setting here")));
  expect(await verifyRun(exported, portsOf(failing))).toMatchObject({
    verdict: "held",
    step: "method:begin/read",
  });
  expect(await verifyRun({ ...exported, steps: [] }, portsOf(brokenCode()))).toEqual({
    verdict: "not known",
    message: "here it fails: no such setting here",
  });
});

it("answers over HTTP with its verdict on a run, and its listed versions", async () => {
  const { crew } = crewOf();
  const app = verifyApp({
    verifiable: () => ({
      ...portsOf(crew),
      versioned: {
        crew: { briefing: versions({ current: "2", "1": crew, "2": crew }), other: crew },
        flow: undefined,
      },
    }),
  });
  const ask = async (path: string, body?: unknown): Promise<unknown> => {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    return (await app.fetch(new Request(`http://worker.test${path}`, init), {})).json();
  };
  expect(await ask("/healthz")).toEqual({ status: "ok" });
  expect(await ask("/verify", await waiting(crew))).toMatchObject({ verdict: "goes on" });
  expect(await ask("/verify", {})).toMatchObject({
    message: expect.stringContaining("edgecrew.run/1"),
  });
  expect(await ask("/versions")).toEqual([
    { kind: "crew", name: "briefing", current: "2", all: ["1", "2"] },
  ]);
});
