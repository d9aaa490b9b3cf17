// Every operation, over both bindings.
import * as z from "zod";
import { beforeEach, describe, expect, it } from "vitest";
import { askCaller } from "../../../../../src/entry/a2a.ts";
import { defineFlow } from "../../../../../src/flow/define-flow.ts";
import { Agent } from "../../../../../src/index.ts";
import type { StreamResponse, Task } from "../../../../../src/protocols/a2a/schema.ts";
import { textOf } from "../../../../support/http-app.ts";
import { A2AWorld, kindOf, updatesOf, dataOf, VERSION } from "./world.ts";

const ask = defineFlow({
  name: "ask",
  methods: {
    ask: {
      start: true,
      run: async ({ inputs }) => {
        const answer = await askCaller("Which colour?", { choices: ["Red", "Blue"] });
        return `${JSON.stringify(answer)} for ${JSON.stringify(inputs["topic"])}`;
      },
    },
  },
});
const login = defineFlow({
  name: "login",
  methods: {
    ask: { start: true, run: () => askCaller("Log in, please", { state: "auth-required" }) },
  },
});
const echo = defineFlow({
  name: "echo",
  state: z.object({ note: z.string(), files: z.json().default([]) }),
  methods: { say: { start: true, run: ({ inputs }) => ({ heard: inputs }) } },
});

let world: A2AWorld;

beforeEach(() => {
  world = new A2AWorld({
    flows: { ask, login, echo },
    a2a: {
      expose: {
        "flow/ask": { input: "topic" },
        "flow/login": true,
        "flow/echo": { input: "note", files: "files" },
      },
    },
  });
});

/** The same operation over each binding. */
const BINDINGS = {
  "JSON-RPC": {
    send: async (params: object, agent = "conformance") =>
      (await world.result("SendMessage", params, { agent })) as unknown as { task: Task },
    get: async (id: string, historyLength?: number, agent = "conformance") =>
      (await world.result("GetTask", { id, historyLength }, { agent })) as unknown as Task,
    cancel: async (id: string) => (await world.result("CancelTask", { id })) as unknown as Task,
    list: async (params: Record<string, string | number | boolean>) =>
      world.result("ListTasks", params),
    stream: async (params: object, agent = "conformance") =>
      updatesOf(await world.rpc("SendStreamingMessage", params, { agent })),
  },
  "HTTP+JSON": {
    send: async (params: object, agent = "conformance") =>
      (await world.rest("/message:send", { agent, json: params })).json as unknown as {
        task: Task;
      },
    get: async (id: string, historyLength?: number, agent = "conformance") =>
      (
        await world.rest(
          `/tasks/${id}${historyLength === undefined ? "" : `?historyLength=${historyLength}`}`,
          { agent },
        )
      ).json as unknown as Task,
    cancel: async (id: string) =>
      (await world.rest(`/tasks/${id}:cancel`, { method: "POST" })).json as unknown as Task,
    list: async (params: Record<string, string | number | boolean>) =>
      (
        await world.rest(
          `/tasks?${new URLSearchParams(Object.entries(params).map(([name, value]): [string, string] => [name, String(value)])).toString()}`,
        )
      ).json,
    stream: async (params: object, agent = "conformance") =>
      dataOf(
        (await world.rest("/message:stream", { agent, json: params })).text,
      ) as never as ReturnType<typeof updatesOf>,
  },
} as const;

describe.each(Object.entries(BINDINGS))("%s", (_, binding) => {
  it("waits for the end of a task, and answers with its artifacts", async () => {
    const { task } = await binding.send({ message: world.message("Hello") }, "writer");
    expect(task).toMatchObject({
      status: { state: "TASK_STATE_COMPLETED", timestamp: expect.stringMatching(/Z$/) },
      artifacts: [
        { artifactId: `result_${task.id}`, name: "result", parts: [{ text: "A fine answer" }] },
      ],
      history: [{ role: "ROLE_USER", parts: [{ text: "Hello" }], taskId: task.id }],
    });
    expect(await binding.get(task.id, undefined, "writer")).toEqual(task);
  });

  it.each([
    ["tck-artifact-text-1", [{ text: "Generated text content" }]],
    [
      "tck-artifact-file-1",
      [{ raw: expect.any(String), filename: "output.txt", mediaType: "text/plain" }],
    ],
    [
      "tck-artifact-file-url-1",
      [{ url: "https://example.com/output.txt", filename: "output.txt", mediaType: "text/plain" }],
    ],
    ["tck-artifact-data-1", [{ data: { key: "value", count: 42 }, mediaType: "application/json" }]],
  ])("gives artifacts of all kinds: %s", async (messageId, parts) => {
    const { task } = await binding.send({ message: world.message("go", { messageId }) });
    expect(task.artifacts).toEqual([expect.objectContaining({ artifactId: "output", parts })]);
  });

  it("answers at once with returnImmediately", async () => {
    const { task } = await binding.send({
      message: world.message("go", { messageId: "tck-slow-1" }),
      configuration: { returnImmediately: true },
    });
    expect(["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"]).toContain(task.status.state);
    await world.clock.advance(10_000);
    expect((await binding.get(task.id)).status.state).toBe("TASK_STATE_COMPLETED");
  });

  it("rejects a task, with the reason in its status", async () => {
    const { task } = await binding.send({
      message: world.message("go", { messageId: "tck-reject-task-1" }),
    });
    expect(task.status).toMatchObject({
      state: "TASK_STATE_REJECTED",
      message: { role: "ROLE_AGENT", parts: [{ text: "Task rejected" }] },
    });
  });

  it("answers with a message and no task, when the agent replies so", async () => {
    const params = { message: world.message("go", { messageId: "tck-message-response-1" }) };
    expect(await binding.send(params)).toEqual({
      message: {
        messageId: expect.any(String),
        contextId: expect.any(String),
        role: "ROLE_AGENT",
        parts: [{ text: "Direct message response" }],
      },
    });
    const streamed = { message: world.message("go", { messageId: "tck-message-response-2" }) };
    expect((await binding.stream(streamed)).map(kindOf)).toEqual(["message"]);
  });

  it("refuses a context that contradicts the task", async () => {
    const { task } = await binding.send({ message: world.message("tea") }, "ask");
    const message = world.message("Red", { taskId: task.id, contextId: "another" });
    const answer = await Promise.resolve(binding.send({ message }, "ask")).then(
      (json) => JSON.stringify(json),
      (error: unknown) => String(error),
    );
    expect(answer).toMatch(/another context/);
  });

  it("a message is the answer also when the task is wanted at once", async () => {
    const sent = binding.send({
      message: world.message("go", { messageId: "tck-message-response-now" }),
      configuration: { returnImmediately: true },
    });
    expect(await sent).toMatchObject({ message: { role: "ROLE_AGENT" } });
  });

  it("streams the task, then its updates in order, up to its end", async () => {
    const updates = await binding.stream({
      message: world.message("go", { messageId: "tck-stream-artifact-chunked-1" }),
    });
    expect(updates.map(kindOf)).toEqual([
      "task SUBMITTED",
      "status WORKING",
      "artifact chunked",
      "artifact chunked append last",
      "status COMPLETED",
    ]);
    const [first] = updates;
    const { id } = (first as { task: Task }).task;
    expect((await binding.get(id)).artifacts).toEqual([
      expect.objectContaining({
        artifactId: "chunked",
        parts: [{ text: "chunk-1 " }, { text: "chunk-2" }],
      }),
    ]);
  });

  it("AO3: a message to a waiting task answers it", async () => {
    const { task } = await binding.send({ message: world.message("tea") }, "ask");
    expect(task.status).toMatchObject({
      state: "TASK_STATE_INPUT_REQUIRED",
      message: {
        role: "ROLE_AGENT",
        parts: [{ text: expect.stringContaining("Which colour?") }],
        metadata: { waits: [{ choices: ["Red", "Blue"] }] },
      },
    });
    const again = await binding.send(
      { message: world.message("blue", { taskId: task.id }) },
      "ask",
    );
    expect(again.task).toMatchObject({
      id: task.id,
      contextId: task.contextId,
      status: { state: "TASK_STATE_COMPLETED" },
      artifacts: [{ parts: [{ text: '"Blue" for "tea"' }] }],
    });
    expect(
      again.task.history?.map(({ role, parts }) => `${role} ${parts[0]?.text?.split("\n")[0]}`),
    ).toEqual(["ROLE_USER tea", "ROLE_AGENT Which colour?", "ROLE_USER blue"]);
  });

  it("streams the events after an answer, and ends at the next question", async () => {
    const first = await binding.stream({ message: world.message("tea") }, "ask");
    expect(first.map(kindOf)).toEqual([
      "task SUBMITTED",
      "status WORKING",
      "status INPUT_REQUIRED",
    ]);
    const { id } = (first[0] as { task: Task }).task;
    const second = await binding.stream({ message: world.message("Red", { taskId: id }) }, "ask");
    expect(second.map(kindOf)).toEqual([
      "task WORKING",
      "artifact result last",
      "status COMPLETED",
    ]);
  });

  it("leaves the history out, or as long as it is asked for", async () => {
    const { task } = await binding.send(
      { message: world.message("tea"), configuration: { historyLength: 0 } },
      "ask",
    );
    expect(task.history).toBeUndefined();
    await binding.send({ message: world.message("Red", { taskId: task.id }) }, "ask");
    expect((await binding.get(task.id, 1, "ask")).history).toEqual([
      expect.objectContaining({ parts: [{ text: "Red" }] }),
    ]);
    expect((await binding.get(task.id, 0, "ask")).history).toBeUndefined();
    expect((await binding.get(task.id, undefined, "ask")).history).toHaveLength(3);
  });

  it("cancels a task, also again, but not a completed one", async () => {
    const { task } = await binding.send({
      message: world.message("go", { messageId: "tck-slow-2" }),
      configuration: { returnImmediately: true },
    });
    expect((await binding.cancel(task.id)).status.state).toBe("TASK_STATE_CANCELED");
    expect((await binding.cancel(task.id)).status.state).toBe("TASK_STATE_CANCELED");
    await world.clock.advance(10_000);
    expect((await binding.get(task.id)).status.state).toBe("TASK_STATE_CANCELED");
  });

  it("lists tasks in pages, the latest first, with all of them counted", async () => {
    for (const n of [1, 2, 3, 4, 5]) {
      await binding.send({ message: world.message("go", { messageId: `tck-list-${n}` }) });
      await world.clock.advance(1_000);
    }
    const first = await binding.list({ pageSize: 2 });
    expect(first).toMatchObject({
      pageSize: 2,
      totalSize: 5,
      nextPageToken: expect.stringMatching(/./),
    });
    const seen: string[] = [];
    let pageToken = "";
    for (let page = 0; page < 3; page++) {
      const { tasks, nextPageToken } = (await binding.list({
        pageSize: 2,
        pageToken,
      })) as unknown as {
        tasks: Task[];
        nextPageToken: string;
      };
      seen.push(...tasks.map(({ status }) => status.timestamp ?? ""));
      expect(
        tasks.every((task) => task.artifacts === undefined && task.history === undefined),
      ).toBe(true);
      pageToken = nextPageToken;
    }
    expect(pageToken).toBe("");
    expect(seen).toHaveLength(5);
    expect(seen).toEqual(seen.toSorted().toReversed());
    const [third = ""] = seen.slice(2);
    const since = await binding.list({ statusTimestampAfter: third });
    expect((since["tasks"] as unknown as Task[]).map(({ status }) => status.timestamp)).toEqual(
      seen.slice(0, 3),
    );
  });

  it("filters the list by state, context and with artifacts", async () => {
    const contextId = "the-context";
    await binding.send({
      message: world.message("go", { messageId: "tck-artifact-text-9", contextId }),
    });
    await binding.send({ message: world.message("go", { messageId: "tck-reject-task-9" }) });
    await binding.send({ message: world.message("go", { messageId: "tck-input-required-9" }) });
    const states = async (params: Record<string, string | boolean>): Promise<string[]> =>
      ((await binding.list(params))["tasks"] as unknown as Task[]).map(({ status }) =>
        status.state.slice(11),
      );
    expect(await states({ status: "TASK_STATE_COMPLETED" })).toEqual(["COMPLETED"]);
    expect(await states({ status: "TASK_STATE_REJECTED" })).toEqual(["REJECTED"]);
    expect(await states({ status: "TASK_STATE_INPUT_REQUIRED" })).toEqual(["INPUT_REQUIRED"]);
    expect(await states({ status: "TASK_STATE_AUTH_REQUIRED" })).toEqual([]);
    expect(await states({ contextId })).toEqual(["COMPLETED"]);
    const { tasks } = await binding.list({ contextId, includeArtifacts: true });
    expect(tasks).toMatchObject([{ artifacts: [{ artifactId: "output" }] }]);
  });
});

describe("subscriptions", () => {
  it("ASU1: begins with the task as it is now, and goes on from there", async () => {
    const { task } = (await world.result("SendMessage", {
      message: world.message("go", { messageId: "test-resubscribe-message-id-1" }),
      configuration: { returnImmediately: true },
    })) as unknown as { task: Task };
    await world.clock.settle();
    const responses = [
      world.request(`/a2a/conformance/tasks/${task.id}:subscribe`, {
        method: "POST",
        headers: VERSION,
      }),
      world.request(`/a2a/conformance/tasks/${task.id}:subscribe`, { headers: VERSION }),
      world.request("/a2a/conformance", {
        json: { jsonrpc: "2.0", id: 7, method: "SubscribeToTask", params: { id: task.id } },
        headers: VERSION,
      }),
    ];
    const texts = Promise.all((await Promise.all(responses)).map((response) => response.text()));
    for (let turn = 0; turn < 6; turn++) await world.clock.advance(1_000);
    const [post = "", get = "", rpc = ""] = await texts;
    expect(dataOf(post).map((data) => kindOf(data as never))).toEqual([
      "task WORKING",
      "status COMPLETED",
    ]);
    expect(dataOf(get)).toEqual(dataOf(post));
    expect(updatesOf({ text: rpc })).toEqual(dataOf(post));
  });

  it("ASU2: stays open when a credential is missing, which may come out of band", async () => {
    const { task } = (await world.result(
      "SendMessage",
      { message: world.message("go") },
      { agent: "login" },
    )) as unknown as {
      task: Task;
    };
    expect(task.status.state).toBe("TASK_STATE_AUTH_REQUIRED");
    const response = await world.request(`/a2a/login/tasks/${task.id}:subscribe`, {
      method: "POST",
      headers: VERSION,
    });
    const text = response.text();
    await world.clock.settle();
    await world.ask(`/runs/${task.id}/resume`, { json: { value: "token" } });
    for (let turn = 0; turn < 4; turn++) await world.clock.advance(10_000);
    expect(dataOf(await text).map((data) => kindOf(data as never))).toEqual([
      "task AUTH_REQUIRED",
      "status WORKING",
      "artifact result last",
      "status COMPLETED",
    ]);
  });

  it("ASU2: stays open while the task waits for input, and reports its end", async () => {
    const { id } = await world.task({ message: world.message("tea") }, { agent: "ask" });
    const old = { jsonrpc: "2.0", id: 7, method: "tasks/resubscribe", params: { id } };
    const responses = await Promise.all([
      world.request(`/a2a/ask/tasks/${id}:subscribe`, { method: "POST", headers: VERSION }),
      world.request("/a2a/ask", { json: old }),
    ]);
    const texts = responses.map((response) => response.text());
    await world.clock.settle();
    await world.task({ message: world.message("Red", { taskId: id }) }, { agent: "ask" });
    for (let turn = 0; turn < 4; turn++) await world.clock.advance(10_000);
    const [now = "", before = ""] = await Promise.all(texts);
    expect(dataOf(now).map((data) => kindOf(data as never))).toEqual([
      "task INPUT_REQUIRED",
      "status WORKING",
      "artifact result last",
      "status COMPLETED",
    ]);
    const finals = updatesOf({ text: before }).map((update) => Object(update)["final"] as unknown);
    expect(finals).toEqual([undefined, false, undefined, true]);
  });

  it("ends with the reader, and leaves the task and other readers alone", async () => {
    const { task } = (await world.result("SendMessage", {
      message: world.message("go", { messageId: "tck-slow-3" }),
      configuration: { returnImmediately: true },
    })) as unknown as { task: Task };
    const open = () =>
      world.request(`/a2a/conformance/tasks/${task.id}:subscribe`, { headers: VERSION });
    const [gone, stays] = [await open(), await open()];
    await gone.body?.cancel();
    const text = stays.text();
    for (let turn = 0; turn < 6; turn++) await world.clock.advance(1_000);
    expect(dataOf(await text)).toHaveLength(2);
    expect(world.reported).toEqual([]);
  });
});

/** The text of a stream as readers have it that join all chunks, and as those that replace where they are told to. */
function readBoth(updates: readonly StreamResponse[]): { added: string; replaced: string } {
  let [added, replaced] = ["", ""];
  for (const update of updates) {
    if (!("artifactUpdate" in update)) continue;
    const { append, artifact } = update.artifactUpdate;
    const text = artifact.parts.map((part) => part.text ?? "").join("");
    added += text;
    replaced = (append ? replaced : "") + text;
  }
  return { added, replaced };
}

describe("contents of messages", () => {
  it("AT1, AT2: a task is its run: its id, its state, and its result as an artifact", async () => {
    const task = await world.task({ message: world.message("Hello") }, { agent: "writer" });
    const { json } = await world.ask(`/runs/${task.id}`);
    expect(json).toMatchObject({ id: task.id, kind: "agent", status: "completed" });
    expect(json["output"]?.["raw"]).toBe(task.artifacts?.[0]?.parts[0]?.text);
    expect(task.status.message).toBeUndefined();
  });

  it("AO1: the same message again is the same task, and is carried out once", async () => {
    const message = world.message("Hello", { messageId: "mine" });
    const first = await world.task({ message }, { agent: "writer" });
    const second = await world.task({ message }, { agent: "writer" });
    expect(second.id).toBe(first.id);
    expect(world.model.calls).toHaveLength(1);
  });

  it("AO1: the same answer again has no effect", async () => {
    const { id } = await world.task({ message: world.message("tea") }, { agent: "ask" });
    const message = world.message("Red", { taskId: id });
    const first = await world.task({ message }, { agent: "ask" });
    expect(await world.task({ message }, { agent: "ask" })).toEqual(first);
  });

  it("AO1, RN4: an answer lost before the task got it counts at its repetition", async () => {
    const { id } = await world.task({ message: world.message("tea") }, { agent: "ask" });
    const message = world.message("Red", { taskId: id });
    const resume = world.runs.resume.bind(world.runs);
    Object.assign(world.runs, { resume: () => Promise.reject(new Error("cut off")) });
    const cut = await world.rpc("SendMessage", { message }, { agent: "ask" });
    expect(cut.json["error"]?.["code"]).toBe(-32603);
    Object.assign(world.runs, { resume });
    const done = await world.task({ message }, { agent: "ask" });
    expect(done).toMatchObject({ id, status: { state: "TASK_STATE_COMPLETED" } });
  });

  it("passes the earlier conversation of the context to the agent", async () => {
    const { contextId } = await world.task(
      { message: world.message("My name is Ada") },
      { agent: "writer" },
    );
    const second = await world.task(
      { message: world.message("Who am I?", { contextId }) },
      { agent: "writer" },
    );
    expect(second.contextId).toBe(contextId);
    expect(world.model.calls.at(-1)?.messages.map(({ content }) => content)).toEqual(
      expect.arrayContaining([
        expect.stringContaining("My name is Ada"),
        expect.stringContaining("A fine answer"),
        expect.stringContaining("Who am I?"),
      ]),
    );
  });

  it("AO4: takes a client's context id, and refuses one of another agent", async () => {
    const contextId = "their-own-context";
    const task = await world.task(
      { message: world.message("Hi", { contextId }) },
      { agent: "writer" },
    );
    expect(task.contextId).toBe(contextId);
    const { json } = await world.rpc("SendMessage", {
      message: world.message("Hi", { contextId }),
    });
    expect(json).toMatchObject({ error: { code: -32602 } });
  });

  it("AM1: data are inputs by name", async () => {
    const { artifacts } = await world.task(
      {
        message: world.message("", {
          parts: [{ data: { note: "n", more: 1 } }, { data: { even: [2] } }],
        }),
      },
      { agent: "echo" },
    );
    expect(artifacts?.[0]?.parts).toEqual([
      { text: '{"heard":{"note":"n","more":1,"even":[2]}}' },
      { data: { heard: { note: "n", more: 1, even: [2] } }, mediaType: "application/json" },
    ]);
  });

  it("AM2: files go to the input the app names, and to agents as content", async () => {
    const raw = btoa("a;b");
    const parts = [{ text: "look" }, { raw, mediaType: "text/csv", filename: "a.csv" }];
    const { artifacts } = await world.task(
      { message: world.message("", { parts }) },
      { agent: "echo" },
    );
    expect(artifacts?.[0]?.parts.slice(1)).toMatchObject([
      {
        data: {
          heard: { note: "look", files: [{ name: "a.csv", mediaType: "text/csv", data: raw }] },
        },
      },
    ]);
    const task = await world.task({ message: world.message("", { parts }) }, { agent: "writer" });
    expect(JSON.stringify(world.model.calls.at(-1)?.messages)).toContain("look");
    expect(task.history?.[0]?.parts).toEqual(parts);
  });

  it("AM3: passes referenced tasks, and asks for JSON of a schema", async () => {
    const { id } = await world.task({ message: world.message("One") }, { agent: "writer" });
    await world.task(
      {
        message: world.message("Two", {
          referenceTaskIds: [id],
          metadata: { responseSchema: { type: "object", required: ["a"] } },
        }),
      },
      { agent: "writer" },
    );
    const asked = JSON.stringify(world.model.calls.at(-1)?.messages);
    expect(asked).toContain(`The result of task ${id}`);
    expect(asked).toContain("A fine answer");
    expect(asked).toContain("JSON Schema");
    const unknown = await world.rpc(
      "SendMessage",
      { message: world.message("x", { referenceTaskIds: ["nope"] }) },
      { agent: "writer" },
    );
    expect(unknown.json).toMatchObject({ error: { code: -32001 } });
  });

  it("returns data when the text is JSON of the requested schema", async () => {
    const json = new A2AWorld({ script: () => '```json\n{"a":1}\n```' });
    const { artifacts } = await json.task(
      {
        message: json.message("x", {
          metadata: { responseSchema: { type: "object", required: ["a"] } },
        }),
      },
      { agent: "writer" },
    );
    expect(artifacts?.[0]?.parts.at(-1)).toEqual({ data: { a: 1 }, mediaType: "application/json" });
  });

  it("returns parts in the caller's accepted media types", async () => {
    const send = (acceptedOutputModes: string[]) =>
      world.rpc(
        "SendMessage",
        {
          message: world.message("", { parts: [{ data: { note: "n" } }] }),
          configuration: { acceptedOutputModes },
        },
        { agent: "echo" },
      );
    const text = { text: '{"heard":{"note":"n"}}' };
    const data = { data: { heard: { note: "n" } }, mediaType: "application/json" };
    const partsFor = async (acceptedOutputModes: string[]) => {
      const { json } = await send(acceptedOutputModes);
      return (json as unknown as { result: { task: Task } }).result.task.artifacts?.[0]?.parts;
    };
    expect(await partsFor(["text/plain"])).toEqual([text]);
    expect(await partsFor(["text/*", "application/json;q=0.5"])).toEqual([text, data]);
    // Clients that name JSON alone, or nothing, look for the result in text parts all the same.
    expect(await partsFor(["application/json"])).toEqual([text, data]);
    expect(await partsFor([])).toEqual([text, data]);
    expect((await send(["image/png"])).json).toMatchObject({ error: { code: -32005 } });
  });

  it("ASU3: streams the text of agents in chunks that add up to the result", async () => {
    const talk = new A2AWorld({ script: () => "One two three" });
    const updates = updatesOf(
      await talk.rpc("SendStreamingMessage", { message: talk.message("x") }, { agent: "writer" }),
    );
    const kinds = updates.map(kindOf);
    expect(kinds.slice(0, 2)).toEqual(["task SUBMITTED", "status WORKING"]);
    expect(kinds.slice(-2)).toEqual(["artifact result append last", "status COMPLETED"]);
    expect(kinds.filter((kind) => kind.startsWith("artifact")).length).toBeGreaterThan(1);
    expect(readBoth(updates)).toEqual({ added: "One two three", replaced: "One two three" });
  });

  it("ASU3: replaces the chunks when the result is another", async () => {
    const strict = new A2AWorld({
      script: () => "One two three",
      agents: {
        shy: new Agent({
          role: "Shy",
          goal: "Whisper",
          backstory: "Quiet",
          guardrail: () => [true, "Four"],
        }),
      },
      a2a: { expose: { "agent/shy": true } },
    });
    const updates = updatesOf(
      await strict.rpc("SendStreamingMessage", { message: strict.message("x") }, { agent: "shy" }),
    );
    expect(updates.map(kindOf).slice(-2)).toEqual(["artifact result last", "status COMPLETED"]);
    expect(readBoth(updates).replaced).toBe("Four");
  });

  it("ASU3: streams text as text, also to callers that accept only JSON", async () => {
    const talk = new A2AWorld({ script: () => "One two three" });
    const params = {
      message: talk.message("x"),
      configuration: { acceptedOutputModes: ["application/json"] },
    };
    const updates = updatesOf(await talk.rpc("SendStreamingMessage", params, { agent: "writer" }));
    expect(readBoth(updates)).toEqual({ added: "One two three", replaced: "One two three" });
    const task = await talk.task({ ...params, message: talk.message("y") }, { agent: "writer" });
    expect(task.artifacts).toMatchObject([{ parts: [{ text: "One two three" }] }]);
  });

  it("ASU3: of a crew it streams the text of the last task, which is the result", async () => {
    const talk = new A2AWorld({ script: () => "One two three" });
    const updates = updatesOf(
      await talk.rpc(
        "SendStreamingMessage",
        { message: talk.message("tea") },
        { agent: "briefing" },
      ),
    );
    expect(updates.map(kindOf).filter((kind) => kind === "artifact result")).toHaveLength(1);
    expect(readBoth(updates)).toEqual({ added: "One two three", replaced: "One two three" });
  });

  it("answers with the unfinished task after the longest wait", async () => {
    const short = new A2AWorld({ a2a: { waitMs: 500 } });
    const answer = short.rpc("SendMessage", {
      message: short.message("go", { messageId: "tck-slow-short" }),
    });
    for (let turn = 0; turn < 6; turn++) await short.clock.advance(100);
    const { json } = await answer;
    expect(json).toMatchObject({ result: { task: { status: { state: "TASK_STATE_WORKING" } } } });
  });

  it("AT3: reveals only the code of a failure", async () => {
    const broken = new A2AWorld({
      script: () => {
        throw new Error("the password is hunter2");
      },
    });
    const answer = await broken.rpc(
      "SendMessage",
      { message: broken.message("x") },
      { agent: "writer" },
    );
    expect(answer.text).not.toContain("hunter2");
    expect(answer.json).toMatchObject({
      result: {
        task: {
          status: {
            state: "TASK_STATE_FAILED",
            message: { parts: [{ text: expect.stringMatching(/^The task failed: \w+\.$/) }] },
          },
        },
      },
    });
  });

  it("returns a whole message to code that asks for one", async () => {
    const { id } = await world.task({
      message: world.message("go", { messageId: "tck-input-required-5" }),
    });
    const { artifacts } = await world.task({
      message: world.message("go", { messageId: "tck-artifact-data-5", taskId: id }),
    });
    expect(artifacts).toMatchObject([{ parts: [{ data: { count: 42 } }] }]);
    expect(textOf(id as never)).toBe(id);
  });
});

describe("events of a run that is a caller's task", () => {
  it("AT1: report task and context, the end, and the failure", async () => {
    const own = new A2AWorld({
      flows: {
        broken: defineFlow({
          name: "broken",
          methods: {
            go: {
              start: true,
              run: () => {
                throw new Error("no paper");
              },
            },
          },
        }),
      },
      a2a: { expose: { "flow/broken": true } },
    });
    const eventsOf = async (id: string) => {
      const { text } = await own.ask(`/runs/${id}/events?follow=0`);
      const all = Array.from(text.matchAll(/^data: (.*)$/gm), ([, data = ""]) => data);
      return all
        .map((data) => JSON.parse(data) as { type: string; seq: number })
        .filter(({ type }) => type.startsWith("a2a_server_task"));
    };
    const good = await own.task({ message: own.message("Hello") }, { agent: "writer" });
    const about = { taskId: good.id, contextId: good.contextId };
    expect(await eventsOf(good.id)).toMatchObject([
      { type: "a2a_server_task_started", ...about },
      { type: "a2a_server_task_completed", ...about, result: "A fine answer" },
    ]);
    const bad = await own.task({ message: own.message("Hello") }, { agent: "broken" });
    expect(await eventsOf(bad.id)).toMatchObject([
      { type: "a2a_server_task_started", taskId: bad.id },
      { type: "a2a_server_task_failed", taskId: bad.id, error: "no paper" },
    ]);
    const plain = await own.kickoff("greeting");
    expect(await eventsOf(plain)).toEqual([]);
  });
});
