import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ConditionalTask } from "../../../src/crew/tasks/conditional-task.ts";
import { Crew } from "../../../src/crew/crew.ts";
import type { CrewOptions } from "../../../src/crew/crew-options.ts";
import type { Task } from "../../../src/crew/tasks/task.ts";
import { InMemoryFileStore } from "../../../src/files/in-memory-file-store.ts";
import { on } from "../../../src/hooks/hook.ts";
import { DOCUMENT_READERS } from "../../../src/knowledge/readers/document-readers.ts";
import { RunScope } from "../../../src/events/run-scope.ts";
import { workspaceOf } from "../../../src/files/workspace.ts";
import { tool } from "../../../src/tools/tool.ts";
import {
  calling,
  lastTold,
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  startCrew,
  taskFor,
} from "../../support/crew-harness.ts";
import { docxBytes } from "../../support/sample-files.ts";

/** A store that tells what was written, and fails where it is told to. */
class CountingStore extends InMemoryFileStore {
  readonly writes: string[] = [];

  override async put(
    ...[path, content, mediaType]: Parameters<InMemoryFileStore["put"]>
  ): Promise<void> {
    this.writes.push(`${path} ${mediaType}`);
    await super.put(path, content, mediaType);
  }
}

const answering = (raw: string, options: Parameters<typeof taskFor>[1] = {}): Task =>
  taskFor(scriptedAgent(() => raw).agent, options);

describe("an output file", () => {
  it("CF2: is written under a path filled from the inputs", async () => {
    const files = new CountingStore();
    const crew = new Crew({ tasks: [answering("text", { outputFile: "/out/{topic}.md" })] });
    await runCrewToEnd(crew, { topic: "x" }, { files });
    expect(files.text("out/x.md")).toBe("text");
    expect(files.writes).toEqual(["out/x.md text/markdown; charset=utf-8"]);
    expect(crew.placeholders).toEqual(["topic"]);
  });

  it("holds the object as indented JSON if there is one", async () => {
    const files = new CountingStore();
    const output = z.object({ name: z.string() });
    const crew = new Crew({
      tasks: [answering('x {"name":"Bär"}', { output, outputFile: "a.json" })],
    });
    await runCrewToEnd(crew, {}, { files });
    expect(files.text("a.json")).toBe('{\n  "name": "Bär"\n}');
  });

  it("is written after the callback and before the task has completed", async () => {
    const order: string[] = [];
    const files = new CountingStore();
    const task = answering("text", {
      outputFile: "a.txt",
      callback: () => order.push(`callback, ${files.writes.length} written`),
    });
    const run = await runCrewToEnd(new Crew({ tasks: [task] }), {}, { files });
    expect(order).toEqual(["callback, 0 written"]);
    expect(run.kept("task_completed")).toHaveLength(1);
  });

  it("has the output after the hooks", async () => {
    const files = new CountingStore();
    const crew = new Crew({
      tasks: [answering("text", { outputFile: "a.txt" })],
      hooks: [
        on("post_step", ({ kind, payload }) => {
          if (kind === "task") payload.raw = "other text";
        }),
      ],
    });
    await runCrewToEnd(crew, {}, { files });
    expect(files.text("a.txt")).toBe("other text");
  });

  it("fails the task when it cannot be written", async () => {
    const files = new InMemoryFileStore();
    files.put = () => Promise.reject(new Error("the disk is full"));
    const run = startCrew(
      new Crew({ tasks: [answering("text", { outputFile: "a.txt" })] }),
      {},
      { files },
    );
    expect(await run.settle()).toMatchObject({
      status: "failed",
      error: { message: 'task "Do the work" (agent "Researcher"): the disk is full' },
    });
    await run.clock.settle();
    expect(run.kept("task_failed")).toHaveLength(1);
  });

  it("CF1: without a store fails the run before its first task", async () => {
    const first = scriptedAgent([]);
    const crew = new Crew({
      tasks: [taskFor(first.agent), answering("text", { name: "last", outputFile: "a.txt" })],
    });
    const { error } = await runCrewToFailure(crew);
    expect(error).toMatchObject({
      code: "invalid_definition",
      message: expect.stringMatching(
        /^task "last" has the outputFile "a.txt", but this run has no file store/,
      ),
    });
    expect(first.model.calls).toEqual([]);
  });

  it("CF2: with a bad path from inputs fails before the first task", async () => {
    const crew = new Crew({ tasks: [answering("text", { outputFile: "out/{topic}" })] });
    const run = startCrew(crew, { topic: "../secret" }, { files: new InMemoryFileStore() });
    expect((await run.settle()).error).toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(
        /^the outputFile of task ".*" must not contain "..", got "out/,
      ),
    });
  });

  it.each(["../a", "~/a", "a;b", "{1x}.md", 3])("CF2: cannot be %j", (outputFile) => {
    expect(() => answering("x", { outputFile: outputFile as string })).toThrow(/^outputFile must /);
  });

  it("of a skipped task is not written", async () => {
    const files = new CountingStore();
    const { agent } = scriptedAgent([]);
    const skipped = new ConditionalTask({
      description: "d",
      expectedOutput: "e",
      agent,
      outputFile: "b.txt",
      condition: () => false,
    });
    await runCrewToEnd(new Crew({ tasks: [answering("A"), skipped] }), {}, { files });
    expect(files.paths).toEqual([]);
  });
});

describe("input files", () => {
  const stored = async (): Promise<InMemoryFileStore> => {
    const files = new InMemoryFileStore();
    await files.put("up/a.txt", "Grüße", "text/plain; charset=utf-8");
    await files.put("up/b.bin", new Uint8Array([0, 255, 1]), "application/pdf");
    await files.put("up/c.json", new Uint8Array([0xc3, 0x28]), "application/json");
    return files;
  };
  const reading = (...names: readonly string[]) =>
    scriptedAgent([...names.map((name) => calling("read_file", { file_name: name })), "done"]);

  it("are in the conversation, and read with read_file by key, name or path", async () => {
    const { agent, model } = reading("notes", "a.txt", "up/a.txt", "nope");
    const crew = new Crew({
      tasks: [taskFor(agent, { inputFiles: { notes: "up/a.txt", b: "/up/b.bin" } })],
    });
    await runCrewToEnd(crew, {}, { files: await stored() });
    const first = lastTold(model, 0);
    expect(first).toContain("already in this conversation:\n- notes (a.txt, text/plain)\n");
    expect(first).toContain("tool read_file:\n- b (b.bin, application/octet-stream)\n");
    expect(first).toContain('\n\n<file name="a.txt">\nGrüße\n</file>');
    expect(model.calls[0]?.request.tools?.map(({ name }) => name)).toEqual(["read_file"]);
    for (const call of [1, 2, 3]) expect(lastTold(model, call)).toBe("Grüße");
    expect(lastTold(model, 4)).toBe(
      'Error: there is no file named "nope". Choose one of: notes, b',
    );
  });

  it.each(["name", "path"])("are read by the argument %s too", async (argument) => {
    const { agent, model } = scriptedAgent([calling("read_file", { [argument]: "notes" }), "done"]);
    const crew = new Crew({ tasks: [taskFor(agent, { inputFiles: { notes: "up/a.txt" } })] });
    await runCrewToEnd(crew, {}, { files: await stored() });
    expect(lastTold(model, 1)).toBe("Grüße");
    const [reader] = model.calls[0]?.request.tools ?? [];
    expect(reader?.parameters).toMatchObject({ required: ["file_name"] });
    expect(Object.keys(reader?.parameters["properties"] ?? {})).toEqual(["file_name", "raw"]);
  });

  it("in binary are read as base64, under any name; large ones are not shown", async () => {
    const { agent, model } = reading("b", "c", "d");
    const files = await stored();
    await files.put("up/d.bin", new Uint8Array(40_000), "application/octet-stream");
    const inputFiles = { b: "up/b.bin", c: "up/c.json", d: "up/d.bin" };
    const crew = new Crew({ tasks: [taskFor(agent, { inputFiles })] });
    await runCrewToEnd(crew, {}, { files });
    expect(lastTold(model, 1)).toBe("application/octet-stream, 3 bytes, as base64:\nAP8B");
    expect(lastTold(model, 2)).toBe("application/octet-stream, 2 bytes, as base64:\nwyg=");
    expect(lastTold(model, 3)).toBe(
      "application/octet-stream, 40000 bytes: nobody here makes text of it",
    );
  });

  it("in document formats are read by their reader", async () => {
    const { agent, model } = reading("d");
    const files = await stored();
    await files.put("d.docx", docxBytes("from Word"), "application/zip");
    const crew = new Crew({ tasks: [taskFor(agent, { inputFiles: { d: "d.docx" } })] });
    await crew.kickoff({ files, services: { fileReaders: DOCUMENT_READERS } });
    expect(lastTold(model, 0)).toContain('<file name="d.docx">\nfrom Word');
    expect(lastTold(model, 1)).toContain("from Word");
  });

  it("of the run's workspace are read by their paths", async () => {
    const write = tool({
      name: "write",
      description: "Writes.",
      input: z.object({}),
      run: async () => {
        const scope = RunScope.current();
        if (scope !== undefined) await workspaceOf(scope).write("out/x.md", "made here");
        return "ok";
      },
    });
    const { agent, model } = scriptedAgent(
      [calling("write"), calling("read_file", { path: "out/x.md" }), "done"],
      { tools: [write] },
    );
    const crew = new Crew({ tasks: [taskFor(agent, { inputFiles: { notes: "up/a.txt" } })] });
    await runCrewToEnd(crew, {}, { files: await stored() });
    expect(lastTold(model, 2)).toBe("made here");
  });

  it("RFS2: missing in the store end the run before it has cost anything (FT29)", async () => {
    const { agent, model } = reading("gone");
    const crew = new Crew({
      tasks: [taskFor(agent), taskFor(agent, { inputFiles: { a: "up/gone.txt" } })],
    });
    const run = startCrew(crew, {}, { files: await stored() });
    expect((await run.settle()).error).toMatchObject({
      code: "not_found",
      message: 'inputFiles.a: no file is stored at "up/gone.txt"',
    });
    expect(model.calls).toEqual([]);
  });

  it("of the kickoff's inputs take precedence over its inputFiles, these over the task's, and the crew's come last", async () => {
    const { agent, model } = scriptedAgent(() => "ok");
    const crew = new Crew({
      inputFiles: { a: "crew/a", b: "crew/b", c: "crew/c", d: "crew/d" },
      tasks: [
        taskFor(agent, { description: "Read {x}", inputFiles: { b: "task/b", d: "task/d" } }),
      ],
    });
    const inputs = { x: "it", c: { $file: "inputs/c" } };
    const inputFiles = { b: "files/b", c: "files/c" };
    const files = new InMemoryFileStore();
    for (const path of ["crew/a", "files/b", "inputs/c", "task/d"])
      await files.put(path, `from ${path}`, "text/plain");
    await runCrewToEnd(crew, inputs, { files, inputFiles });
    const told = lastTold(model, 0);
    expect([...told.matchAll(/from ([\w/]+)/g)].map(([, path]) => path)).toEqual([
      "crew/a",
      "files/b",
      "inputs/c",
      "task/d",
    ]);
  });

  it("CF2: of crew and task may have placeholders in their paths, which are checked once filled", async () => {
    const { agent, model } = scriptedAgent(() => "ok");
    const crew = new Crew({
      inputFiles: { a: "{day}/a" },
      tasks: [taskFor(agent, { name: "t", inputFiles: { b: "/{day}/{x}" } })],
    });
    const files = new InMemoryFileStore();
    await files.put("mon/a", "A", "text/plain");
    await files.put("mon/b", "B", "text/plain");
    await runCrewToEnd(crew, { day: "mon", x: "b" }, { files });
    expect(lastTold(model, 0)).toContain("- a (a, text/plain)\n- b (b, text/plain)\n");
    expect(crew.placeholders).toEqual(["day", "x"]);
    const bad = startCrew(crew, { day: "mon", x: "../tue" }, { files });
    expect((await bad.settle()).error).toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(/^task "t": inputFiles\["b"\] must not contain/),
    });
  });

  it("are no values: a placeholder for one is missing", async () => {
    const crew = new Crew({ tasks: [answering("x", { description: "Read {a} and {b}" })] });
    const { error } = await runCrewToFailure(crew, { a: { $file: "f" }, b: 1 });
    expect(error.message).toContain('needs the input "a"');
  });

  it.each([
    [{ inputFiles: { a: "../x" } }, 'task "t": inputFiles["a"] must not contain ".."'],
    [{ inputFiles: { a: 3 } }, 'task "t": inputFiles["a"] must be a path, an id, a URL, bytes'],
    [{ inputFiles: ["a"] }, 'task "t": inputFiles must be an object of names and files'],
  ])("cannot be %j", (options, message) => {
    expect(() => answering("x", { name: "t", ...(options as object) })).toThrow(message);
  });

  it("CF1, CF2: without a store, or with a bad path in the inputs, fail the run before its first task", async () => {
    const crew = new Crew({ tasks: [answering("x", { name: "t" })] });
    expect((await runCrewToFailure(crew, { a: { $file: "f" } })).error.message).toMatch(
      /^inputFiles.a: it is read from a file store, but this run has no file store/,
    );
    expect((await runCrewToFailure(crew, { a: { $file: "~f" } })).error).toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("inputs.a.$file must not start with"),
    });
  });

  it("stream() takes a store and files too", async () => {
    const files = new InMemoryFileStore();
    await files.put("notes.txt", "hello", "text/plain");
    const { agent, model } = scriptedAgent([calling("read_file", { name: "notes" }), "ok"]);
    const crew = new Crew({ tasks: [taskFor(agent)] });
    const stream = crew.stream({ files, inputFiles: { notes: "notes.txt" } });
    for await (const _ of stream) continue;
    expect(lastTold(model, 1)).toBe("hello");
  });

  it("kickoff() takes a store too", async () => {
    const { agent, model } = reading("a");
    const crew = new Crew({ tasks: [taskFor(agent)] });
    await crew.kickoff({ files: await stored(), inputFiles: { a: "up/a.txt" } });
    expect(lastTold(model, 1)).toBe("Grüße");
  });
});

describe("the log file", () => {
  const crewWith = (outputLogFile: CrewOptions["outputLogFile"]): Crew =>
    new Crew({
      ...(outputLogFile === undefined ? undefined : { outputLogFile }),
      tasks: [
        answering("out A", { name: "A", description: "Study {topic}" }),
        answering('say "B"', { name: "B", asyncExecution: true }),
        answering("out C", { name: "C" }),
      ],
    });

  it.each([
    [true, "logs.txt"],
    ["my.txt", "my.txt"],
    ["dir/my", "dir/my.txt"],
    ["my.json", "my.json"],
    ["my.log", "my.log.txt"],
  ])("named %j is %s", async (setting, path) => {
    const files = new CountingStore();
    await runCrewToEnd(crewWith(setting), {}, { files });
    expect(files.paths).toEqual([path]);
    expect(files.writes).toHaveLength(3);
  });

  it("may have placeholders in its name", async () => {
    const files = new InMemoryFileStore();
    const crew = crewWith("logs/{topic}.json");
    await runCrewToEnd(crew, { topic: "tea" }, { files });
    expect(files.paths).toEqual(["logs/tea.json"]);
    expect(crewWith("{day}").placeholders).toContain("day");
    const bad = startCrew(crew, { topic: "../tea" }, { files });
    expect((await bad.settle()).error?.code).toBe("invalid_input");
  });

  it("has a line for each start and each end of a task", async () => {
    const files = new InMemoryFileStore();
    await runCrewToEnd(crewWith(true), { topic: "tea" }, { files });
    const first = 'task_name="A", task="Study tea", agent="Researcher"';
    expect(files.text("logs.txt")?.split("\n")).toEqual([
      `2026-01-01 00:00:00: ${first}, status="started"`,
      `2026-01-01 00:00:00: ${first}, status="completed", output="out A"`,
      expect.stringContaining('task_name="B"'),
      expect.stringContaining(
        'task_name="B", task="Do the work", agent="Researcher", status="completed", output="say \\"B\\""',
      ),
      expect.stringContaining('task_name="C"'),
      expect.stringContaining('status="completed", output="out C"'),
      "",
    ]);
  });

  it("in JSON is one array", async () => {
    const files = new InMemoryFileStore();
    await runCrewToEnd(crewWith("l.json"), { topic: "tea" }, { files });
    const entries = JSON.parse(files.text("l.json") ?? "") as Array<Record<string, string>>;
    expect(entries.map(({ task_name, status }) => `${task_name} ${status}`)).toEqual([
      "A started",
      "A completed",
      "B started",
      "B completed",
      "C started",
      "C completed",
    ]);
    expect(entries[1]).toEqual({
      timestamp: "2026-01-01 00:00:00",
      task_name: "A",
      task: "Study tea",
      agent: "Researcher",
      status: "completed",
      output: "out A",
    });
  });

  it("keeps its times and entries when the run is replayed", async () => {
    const ask = tool({
      name: "ask",
      description: "Asks.",
      input: z.object({}),
      run: async (_, { wait }) => JSON.stringify(await wait("person", { kind: "human" })),
    });
    const { agent } = scriptedAgent([calling("ask"), "done"], { tools: [ask] });
    const crew = new Crew({
      outputLogFile: true,
      tasks: [answering("out A", { name: "A" }), taskFor(agent, { name: "B" })],
    });
    const files = new CountingStore();
    const run = startCrew(crew, {}, { files });
    await run.settle();
    await run.clock.advance(3_600_000);
    await run.handle.resume({ feedback: "go" });
    await run.output();
    expect(files.writes).toHaveLength(2);
    const times = files
      .text("logs.txt")
      ?.split("\n")
      .map((line) => line.slice(11, 19));
    expect(times).toEqual(["00:00:00", "00:00:00", "00:00:00", "01:00:00", ""]);
  });

  it("is off by default, and needs a store when it is on", async () => {
    await runCrewToEnd(crewWith(undefined));
    await runCrewToEnd(crewWith(false));
    expect((await runCrewToFailure(crewWith(true))).error.message).toMatch(
      /^outputLogFile is "logs.txt", but/,
    );
  });

  it.each([
    [3, 'crew "crew": outputLogFile must be a boolean or a text, got 3'],
    ["../x", 'outputLogFile must not contain ".."'],
  ])("cannot be %j", (setting, message) => {
    expect(() => crewWith(setting as string)).toThrow(message);
  });
});
