// Crews whose agents remember: what goes into a prompt before a task, and what is kept after it.
import { describe, expect, it } from "vitest";
import { Memory } from "../../../src/memory/memory.ts";
import { memoryService } from "../../../src/memory/make-memory-service.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { inMemoryStorage } from "../../../src/memory/in-memory-records.ts";
import type { MemoryOptions } from "../../../src/memory/memory-options.ts";
import type { MemoryStorage } from "../../../src/memory/memory-records.ts";
import {
  calling,
  lastTold,
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  soloCrew,
  taskFor,
} from "../../support/crew-harness.ts";
import { analysisOf, COMPLETE, memoryScript, saidEmbedder } from "../../support/memory-harness.ts";

/** A memory whose model draws one statement from each answer. */
function memoryOf(options: MemoryOptions = {}) {
  const storage = inMemoryStorage();
  const model = memoryScript({
    extraction: (text) => ({ memories: [`learned ${/Result:\n(.*)/.exec(text)?.[1] ?? text}`] }),
    analysis: analysisOf("/notes", 0.7),
    exploration: "nothing",
  });
  const memory = new Memory({ llm: model, embedder: saidEmbedder(), storage, ...options });
  return { memory, model, storage };
}

async function storedIn(storage: MemoryStorage): Promise<readonly string[]> {
  const { items } = await storage.records.list({}, { limit: 100 });
  return items.map(({ scope, content }) => `${scope} ${content}`).toSorted();
}

describe("before a task", () => {
  it("MK1: adds at most five memories with their scores, after the task and its context", async () => {
    const { memory } = memoryOf();
    for (let index = 0; index < 7; index++)
      await memory.remember(`fact ${index} cos=0.9`, { ...COMPLETE, categories: ["sea"] });
    const { agent, model } = scriptedAgent(["Answer"]);
    const crew = soloCrew(agent, { description: "base", crew: { memory } });
    await runCrewToEnd(crew);
    const told = lastTold(model, 0);
    const [task = "", block = ""] = told.split("What you remember");
    expect(task).toContain("Expected result: A result");
    expect(block).toContain("may be incomplete");
    expect(block.match(/- \(score=0\.\d\d\) fact/g)).toHaveLength(5);
    expect(block).toContain("categories: sea");
  });

  it("has events, and adds no text without memories", async () => {
    const { memory } = memoryOf();
    const { agent, model } = scriptedAgent(["Answer"]);
    const { kept } = await runCrewToEnd(soloCrew(agent, { crew: { memory } }));
    expect(lastTold(model, 0)).not.toContain("remember");
    expect(kept("memory_retrieval_started", "memory_retrieval_completed")).toMatchObject([
      { taskId: "work" },
      { taskId: "work", memoryContent: "" },
    ]);
  });

  it("MK2: continues when the memory cannot be asked", async () => {
    const storage = inMemoryStorage();
    const records = new Proxy(storage.records, {
      get: () => () => Promise.reject(new Error("the records are gone")),
    });
    const { memory } = memoryOf({ storage: { ...storage, records } });
    const { agent } = scriptedAgent(["Answer"]);
    const crew = soloCrew(agent, { crew: { memory } });
    const { kept, result } = await runCrewToEnd(crew);
    expect(result.raw).toBe("Answer");
    expect(kept("memory_retrieval_failed")).toMatchObject([{ taskId: "work" }]);
  });

  it("uses the crew's own words if it has some", async () => {
    const { memory } = memoryOf();
    await memory.remember("fact cos=0.9", COMPLETE);
    const { agent, model } = scriptedAgent(["Answer"]);
    const prompts = { slices: { memory: "ONCE: {memory}" } };
    await runCrewToEnd(soloCrew(agent, { description: "base", crew: { memory, prompts } }));
    expect(lastTold(model, 0)).toMatch(/\n\nONCE: - \(score=/);
  });
});

describe("after a task", () => {
  it("stores lessons from the task, the agent, the expected result and the answer", async () => {
    const { memory, model, storage } = memoryOf();
    const { agent } = scriptedAgent(["The sea is salty"]);
    await runCrewToEnd(soloCrew(agent, { description: "Ask the sea", crew: { memory } }));
    expect(model.calls[0]?.request.messages.at(-1)?.content).toBe(
      "<text>\nTask: Ask the sea\n\nDone by: Researcher\n\nExpected result: A result\n\nResult:\nThe sea is salty\n</text>",
    );
    expect(await storedIn(storage)).toEqual(["/notes learned The sea is salty"]);
  });

  it("MK4: stores them below the memory's root, at the agent's part", async () => {
    const { memory, storage } = memoryOf({ rootScope: "/crew/desk" });
    const { agent } = scriptedAgent(["Salt"], { role: "Sea Expert #1" });
    await runCrewToEnd(soloCrew(agent, { crew: { memory: memory.scope("/notes") } }));
    expect(await storedIn(storage)).toEqual(["/crew/desk/notes/agent/sea-expert-1 learned Salt"]);
  });

  it("is there for the next task", async () => {
    const { memory } = memoryOf();
    const first = scriptedAgent(["Salt axis=4"], { role: "First" });
    const second = scriptedAgent(["Done"], { role: "Second" });
    const tasks = [taskFor(first.agent), taskFor(second.agent, { description: "axis=4" })];
    await runCrewToEnd(new Crew({ tasks, memory }));
    expect(lastTold(second.model, 0)).toContain("learned Salt axis=4");
  });

  it.each([
    ["a read-only memory", { readOnly: true }, "Answer"],
    ["delegated work", {}, "Thought: no\nAction: delegate_work_to_coworker"],
  ])("stores no memory of %s", async (_, options, answer) => {
    const { memory, model, storage } = memoryOf(options);
    const { agent } = scriptedAgent([answer, answer, answer], { maxRetryLimit: 0 });
    await runCrewToEnd(soloCrew(agent, { crew: { memory } }));
    expect(model.kinds()).not.toContain("extraction");
    expect(await storedIn(storage)).toEqual([]);
  });

  it("ends the run after all memories are saved, also a failed one", async () => {
    const { memory, storage } = memoryOf();
    const first = scriptedAgent(["Salt"], { role: "First" });
    const second = scriptedAgent([{ error: new Error("no") } as never], {
      role: "Second",
      maxRetryLimit: 0,
    });
    const crew = new Crew({ tasks: [taskFor(first.agent), taskFor(second.agent)], memory });
    const { kept } = await runCrewToFailure(crew);
    expect(await storedIn(storage)).toEqual(["/notes learned Salt"]);
    const types = kept("memory_save_completed", "crew_kickoff_failed").map(({ type }) => type);
    expect(types).toEqual(["memory_save_completed", "crew_kickoff_failed"]);
  });
});

describe("the memory of an agent", () => {
  it("AS1: is its own if it has one, else the crew's", async () => {
    const [own, shared] = [memoryOf(), memoryOf()];
    const keeper = scriptedAgent(["Mine"], { role: "Keeper", memory: own.memory });
    const other = scriptedAgent(["Ours"], { role: "Other" });
    const tasks = [taskFor(keeper.agent), taskFor(other.agent)];
    await runCrewToEnd(new Crew({ tasks, memory: shared.memory }));
    expect(await storedIn(own.storage)).toEqual(["/notes learned Mine"]);
    expect(await storedIn(shared.storage)).toEqual(["/notes learned Ours"]);
  });

  it("AS3: is made by the deployment, at a root of the crew's name, for `true`", async () => {
    const service = memoryService({ embedder: "offline/hash-embed" });
    const { agent } = scriptedAgent(({ responseSchema }) =>
      responseSchema === undefined ? "Salt" : JSON.stringify({ memories: ["Salt is salty"] }),
    );
    const crew = soloCrew(agent, { crew: { name: "Sea Desk", memory: true } });
    await crew.kickoff({ services: { memory: service } });
    const [stored] = await storedIn(service);
    expect(stored).toMatch(/^\/crew\/sea-desk\/agent\/researcher/);
  });

  it("is an error with the remedy, when `true` has no service", async () => {
    const { agent, model } = scriptedAgent(["Answer"]);
    const { error } = await runCrewToFailure(soloCrew(agent, { crew: { memory: true } }));
    expect(error).toMatchObject({ code: "invalid_definition" });
    expect(error.message).toContain("set memory to new Memory()");
    expect(error.message).toContain("services.memory");
    expect(model.calls).toHaveLength(0);
  });

  it("needs no service and no settings in a process of its own", async () => {
    const memory = new Memory();
    const { agent, model } = scriptedAgent(({ responseSchema }) =>
      responseSchema === undefined
        ? "The tide comes at noon"
        : JSON.stringify({ memories: ["The tide comes at noon"] }),
    );
    const crew = soloCrew(agent, { description: "When does the tide come?", crew: { memory } });
    await crew.kickoff();
    await crew.kickoff();
    const last = model.calls.findLast(({ request }) => request.responseSchema === undefined);
    expect(last?.request.messages.at(-1)?.content).toContain("The tide comes at noon");
  });

  it.each([
    [{ memory: "yes" as never }, "memory must be a boolean, a Memory"],
    [{ knowledge: 3 as never }, "knowledge must be a Knowledge, or names"],
    [{ knowledge: [] }, "knowledge must be a Knowledge, or names"],
    [{ knowledgeSources: "a.txt" as never }, "knowledgeSources must be a list of sources"],
    [{ knowledgeConfig: { resultsLimit: 0 } }, "knowledgeConfig.resultsLimit must be"],
    [{ knowledgeConfig: { scoreThreshold: 2 } }, "knowledgeConfig.scoreThreshold must be"],
    [{ embedder: 1 as never }, "embedder must be"],
  ])("refuses %j", (options, message) => {
    expect(() => scriptedAgent(["x"], options)).toThrow(message);
    const { agent } = scriptedAgent(["x"]);
    expect(() => soloCrew(agent, { crew: options })).toThrow(message);
  });
});

describe("tools", () => {
  it("has tools to search and save, unless the agent has tools of these names", async () => {
    const { memory, storage } = memoryOf();
    await memory.remember("fact axis=9", COMPLETE);
    const { agent, model } = scriptedAgent([
      calling("search_memory", { queries: ["axis=9"] }),
      calling("save_to_memory", { contents: ["kept axis=7"] }),
      "Done",
    ]);
    await runCrewToEnd(soloCrew(agent, { crew: { memory } }));
    expect(model.calls[0]?.request.tools?.map(({ name }) => name)).toEqual([
      "search_memory",
      "save_to_memory",
    ]);
    expect(lastTold(model, 1)).toContain("fact axis=9");
    expect(await storedIn(storage)).toContain("/notes kept axis=7");
  });

  it("has only the search tool for a read-only memory", async () => {
    const { memory } = memoryOf({ readOnly: true });
    const { agent, model } = scriptedAgent(["Done"]);
    await runCrewToEnd(soloCrew(agent, { crew: { memory } }));
    expect(model.calls[0]?.request.tools?.map(({ name }) => name)).toEqual(["search_memory"]);
  });
});

it("puts the shape of the answer into the prompt when the memory's tools replace the schema", async () => {
  const { memory } = memoryOf();
  const { agent, model } = scriptedAgent(['{"a":1}']);
  const schema = { type: "object", properties: { a: { type: "number" } } };
  const output = { responseModel: schema };
  await runCrewToEnd(soloCrew(agent, { ...output, crew: { memory } }));
  expect(lastTold(model, 0)).toContain('"a"');
});

it("adds memories of delegated work to the prompts of coworkers", async () => {
  const { memory } = memoryOf();
  await memory.remember("fact axis=9", COMPLETE);
  const chief = scriptedAgent(
    [
      calling("delegate_work_to_coworker", { task: "axis=9", context: "", coworker: "Helper" }),
      "Done",
    ],
    { role: "Chief", allowDelegation: true },
  );
  const helper = scriptedAgent(["Helped"], { role: "Helper" });
  const crew = new Crew({ agents: [helper.agent], tasks: [taskFor(chief.agent)], memory });
  await runCrewToEnd(crew);
  expect(lastTold(helper.model, 0)).toContain("fact axis=9");
});

it("CM2: recalls in tests of the crew, and stores no memory of them", async () => {
  const { memory, storage } = memoryOf();
  const { agent, model } = scriptedAgent(() => "Salt");
  const judge = scriptedAgent(() => JSON.stringify({ score: 5, reason: "ok" })).model;
  await memory.remember("fact cos=0.9", COMPLETE);
  const crew = soloCrew(agent, { description: "base", crew: { memory } });
  await crew.test({ iterations: 1, evalModel: judge }).catch(() => undefined);
  expect(lastTold(model, 0)).toContain("fact cos=0.9");
  expect(await storedIn(storage)).toEqual(["/ fact cos=0.9"]);
});
