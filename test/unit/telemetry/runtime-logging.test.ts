// Rows in a real SQLite, through the interface of D1 and through a function.
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { EngineError } from "../../../src/base/error.ts";
import { ConversableAgent } from "../../../src/conversation/agents/conversable-agent.ts";
import type { RunEvent } from "../../../src/events/run-event.ts";
import type { Listener, RestContext } from "../../../src/events/listener.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { noteSecret } from "../../../src/security/known-secrets.ts";
import { jsonLinesLog, runtimeLogging, sqlLog, type LogRow } from "../../../src/entry/telemetry.ts";
import { LOG_TABLES } from "../../../src/telemetry/runtime-log/log-row.ts";
import { logRows } from "../../../src/telemetry/runtime-log/log-rows.ts";
import { withoutCredentials } from "../../../src/telemetry/runtime-log/without-credentials.ts";
import { tool } from "../../../src/tools/tool.ts";
import { calling, scriptedAgent, soloCrew } from "../../support/crew-harness.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";
import { computedMs } from "../../support/computed-ms.ts";

type Row = Record<string, string | number | null>;

/** A database as D1 has it, and what is in it. */
function database() {
  const d1 = sqliteD1(new DatabaseSync(":memory:"));
  const rows = (table: string): Row[] =>
    d1.sqlite.prepare(`SELECT * FROM ${table} ORDER BY rowid`).all() as Row[];
  return { d1, rows };
}

const stock = tool({
  name: "stock",
  description: "How many are in stock?",
  input: z.object({ item: z.string(), apiKey: z.string().optional() }),
  run: ({ item }) => {
    if (item === "ink") throw new Error("no such item");
    return "twelve";
  },
});

const json = (value: string | number | null | undefined): unknown => JSON.parse(String(value));

/** The events of a crew that uses a tool. */
async function crewEvents(): Promise<readonly RunEvent[]> {
  const { agent } = scriptedAgent([calling("stock", { item: "tea" }), "Twelve packets."], {
    tools: [stock],
    maxRetryLimit: 0,
  });
  const run = soloCrew(agent).start({ id: "run-1" });
  const events: RunEvent[] = [];
  for await (const each of run.events()) if ("seq" in each) events.push(each);
  return events;
}

function resting(
  listener: Listener,
  events: readonly RunEvent[],
): (restedSeq: number) => Promise<unknown> {
  return async (restedSeq) => {
    const rest: RestContext = {
      runId: "run-1",
      signal: new AbortController().signal,
      history: () => events,
      restedSeq,
      trace: () => ({}),
    };
    return listener.atRest?.(rest);
  };
}

describe("the log of a crew", () => {
  it("RLG1, RLR2: has its calls of models and tools, its agents, and all other events", async () => {
    const { d1, rows } = database();
    const { agent } = scriptedAgent(
      [calling("stock", { item: "tea" }), calling("stock", { item: "ink" }), "Twelve packets."],
      { tools: [stock] },
    );
    const run = soloCrew(agent, { crew: { listeners: [runtimeLogging(sqlLog(d1))] } }).start({
      id: "run-1",
    });
    await run.output();
    const completions = rows("chat_completions");
    expect(completions).toHaveLength(3);
    expect(completions[0]).toMatchObject({
      invocation_id: expect.stringMatching(/\/llm$/),
      client_id: "scripted",
      wrapper_id: "scripted/model",
      session_id: "run-1",
      source_name: "Researcher",
      is_cached: 0,
      cost: 0,
      start_time: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/),
    });
    expect(json(completions[0]?.["request"])).toMatchObject({
      model: "scripted/model",
      tools: ["stock"],
    });
    expect(json(completions[2]?.["response"])).toMatchObject({ content: "Twelve packets." });
    expect(rows("function_calls")).toMatchObject([
      {
        source_id: "Researcher",
        function_name: "stock",
        args: '{"item":"tea"}',
        returns: "twelve",
      },
      { function_name: "stock", returns: expect.stringContaining("no such item") },
    ]);
    expect(rows("agents")).toMatchObject([
      { agent_id: "Researcher", name: "Researcher", class: "Agent", wrapper_id: "scripted/model" },
    ]);
    expect(rows("oai_wrappers")).toMatchObject([{ wrapper_id: "scripted/model" }]);
    expect(rows("oai_clients")).toMatchObject([{ client_id: "scripted", class: "scripted" }]);
    expect(rows("version")).toEqual([{ id: 1, version_number: 1 }]);
    const names = rows("events").map(({ event_name: name }) => name);
    expect(names[0]).toBe("run_started");
    expect(names.at(-1)).toBe("run_completed");
    expect(names).toContain("task_completed");
    expect(names.filter((name) => /^(llm_call|tool_usage)/.test(String(name)))).toEqual([]);
  });

  it("has the columns of the tables, and ids for all rows", async () => {
    const { d1, rows } = database();
    const events = await crewEvents();
    await resting(runtimeLogging(sqlLog(d1)), events)(0);
    for (const [table, columns] of Object.entries(LOG_TABLES))
      for (const row of rows(table)) {
        expect(Object.keys(row)).toEqual(Object.keys(columns));
        expect(row["id"]).toBeTruthy();
      }
  });

  it("RLR1: repeated rows are stored once, after any interruption", async () => {
    const events = await crewEvents();
    const once = database();
    await resting(runtimeLogging(sqlLog(once.d1)), events)(0);
    for (let cut = 0; cut <= events.length; cut++) {
      const { d1, rows } = database();
      const before = events.slice(0, cut);
      await resting(runtimeLogging(sqlLog(d1)), before)(0);
      await resting(runtimeLogging(sqlLog(d1)), events)(cut % 2 === 0 ? cut : 0);
      for (const table of Object.keys(LOG_TABLES))
        expect(rows(table).map(({ id }) => id)).toEqual(once.rows(table).map(({ id }) => id));
      expect(rows("agents")).toEqual(once.rows("agents"));
      expect(rows("chat_completions")).toEqual(once.rows("chat_completions"));
    }
  });

  it("RLR1: runs of one id, as of two tenants, do not hide each other", async () => {
    const { d1, rows } = database();
    const listener = runtimeLogging(sqlLog(d1));
    const events = await crewEvents();
    const later = events.map((each) => ({ ...each, at: each.at.replace(/^\d{4}/, "2031") }));
    await resting(listener, events)(0);
    await resting(listener, later)(0);
    expect(rows("chat_completions")).toHaveLength(4);
    expect(rows("agents")).toHaveLength(2);
  });

  it("has failed calls", () => {
    const rows = logRows([
      event(1, "run_started", { kind: "crew", name: "solo", inputs: {} }),
      event(
        2,
        "llm_call_started",
        { callId: "x/llm", model: "openai/gpt-5", messageCount: 2, stream: false },
        "x/llm",
      ),
      event(
        3,
        "llm_call_failed",
        { callId: "x/llm", model: "openai/gpt-5", error: "it is down" },
        "x/llm",
      ),
    ]);
    const row = rows.find(({ table }) => table === "chat_completions");
    expect(row?.values).toMatchObject({
      client_id: "openai",
      wrapper_id: "openai/gpt-5",
      source_name: "solo",
      cost: null,
      response: '{"error":"it is down"}',
    });
    expect(row?.values).not.toMatchObject({ start_time: null });
  });
});

/** An event as the log keeps it. */
function event(
  ...[seq, type, payload, path = ""]: [seq: number, type: string, payload: object, path?: string]
): RunEvent {
  const end = /_(completed|failed)$/.exec(type);
  const startedId =
    end === null ? undefined : { startedId: `${path}:${type.slice(0, end.index)}_started` };
  const at = new Date(Date.UTC(2026, 0, 1) + seq).toISOString();
  return {
    seq,
    id: `${path}:${type}`,
    type,
    at,
    runId: "run-1",
    path,
    ...startedId,
    ...payload,
  } as RunEvent;
}

describe("the log of a conversation", () => {
  const members = [
    { name: "ana", description: "A person.", isHuman: true },
    { name: "bo", description: "An assistant.", isHuman: false },
  ];
  const chat = [
    event(1, "run_started", { kind: "conversation", name: "ana", inputs: {} }),
    event(2, "chat_started", { chat: "ana and bo", members }, "chat"),
    event(
      3,
      "chat_message_sent",
      {
        sender: "ana",
        recipient: "bo",
        message: { role: "assistant", content: "Hello", name: "ana" },
      },
      "chat/opening",
    ),
    event(
      4,
      "llm_call_started",
      { callId: "chat/turn:1:bo/llm", model: "openai/gpt-5", messageCount: 2, stream: false },
      "chat/turn:1:bo/llm",
    ),
    event(
      5,
      "llm_call_completed",
      {
        callId: "chat/turn:1:bo/llm",
        model: "openai/gpt-5",
        response: "Hi",
        callType: "llm_call",
        usage: { requests: 0, costUsd: 0.25 },
        finishReason: "stop",
      },
      "chat/turn:1:bo/llm",
    ),
    event(6, "chat_terminated", { reason: "done", sender: "bo", recipient: "ana" }, "chat"),
    event(7, "chat_speaker_selected", { speaker: "bo", cause: "model", round: 1 }, "chat/choose:1"),
    event(8, "run_waiting", { waits: [] }),
  ];

  it("RLR3: shows members as agents of the log, with their model", () => {
    const agents = logRows(chat).filter(({ table }) => table === "agents");
    expect(agents.map(({ values }) => values)).toMatchObject([
      { agent_id: "ana", class: "UserProxyAgent", wrapper_id: null },
      { agent_id: "bo", class: "ConversableAgent", wrapper_id: null },
      { agent_id: "bo", class: "ConversableAgent", wrapper_id: "openai/gpt-5" },
    ]);
    const { d1, rows } = database();
    void sqlLog(d1).write(logRows(chat));
    return expect
      .poll(() => rows("agents").map(({ wrapper_id: wrapper }) => wrapper))
      .toEqual([null, "openai/gpt-5"]);
  });

  it("RLR2: logs a message at its recipient, and events at their subject", () => {
    const events = logRows(chat).flatMap((row) => (row.table === "events" ? [row.values] : []));
    const received = events.find(({ event_name: name }) => name === "received_message");
    expect(received).toMatchObject({
      source_id: "bo",
      agent_module: "edgecrew/conversation",
      agent_class_name: "ConversableAgent",
    });
    expect(json(received?.json_state)).toEqual({
      sender: "ana",
      message: { role: "assistant", content: "Hello", name: "ana" },
      valid: true,
    });
    expect(events.map(({ event_name: name, source_name: source }) => [name, source])).toEqual([
      ["run_started", "ana"],
      ["chat_started", "ana"],
      ["received_message", "bo"],
      ["chat_terminated", "bo"],
      ["chat_speaker_selected", "bo"],
      ["run_waiting", "ana"],
    ]);
  });

  it("a call belongs to the agent of the turn, and one without a request came from a cache", () => {
    const [completion] = logRows(chat).filter(({ table }) => table === "chat_completions");
    expect(completion?.values).toMatchObject({ source_name: "bo", is_cached: 1, cost: 0.25 });
  });

  it("works for chats in library mode", async () => {
    const { d1, rows } = database();
    const agent = (name: string, says: readonly string[]): ConversableAgent =>
      new ConversableAgent({ name, humanInputMode: "NEVER", llm: scriptedModel(says) });
    const listeners = [runtimeLogging(sqlLog(d1))];
    await agent("ana", ["TERMINATE"]).initiateChat(
      agent("bo", ["b1"]),
      { message: "a1" },
      { listeners },
    );
    const sources = rows("chat_completions").map(({ source_name: name }) => name);
    expect(sources).toEqual(["bo", "ana"]);
    expect(rows("agents").map(({ name }) => name)).toEqual(["ana", "bo"]);
  });
});

describe("sinks", () => {
  it("any SQLite takes rows by a function that executes statements", async () => {
    const sqlite = new DatabaseSync(":memory:");
    const sink = sqlLog((statements) => {
      for (const { sql, values } of statements) sqlite.prepare(sql).run(...values);
    });
    await resting(runtimeLogging(sink), await crewEvents())(0);
    expect(sqlite.prepare("SELECT count(*) AS rows FROM events").get()).not.toEqual({ rows: 0 });
  });

  it("JSON lines have the table and its columns, one row a line", async () => {
    let file = "";
    await resting(runtimeLogging(jsonLinesLog((lines) => (file += lines))), await crewEvents())(0);
    expect(file.endsWith("\n")).toBe(true);
    const lines = file.trimEnd().split("\n").map(json) as Row[];
    expect(new Set(lines.map(({ table }) => table))).toEqual(new Set(Object.keys(LOG_TABLES)));
    const call = lines.find(({ table }) => table === "function_calls");
    expect(Object.keys(call ?? {})).toEqual(["table", ...Object.keys(LOG_TABLES.function_calls)]);
  });

  it("RLG2: a failing sink is tried again, and gets its missed rows at the next rest", async () => {
    const events = await crewEvents();
    const written: Array<readonly LogRow[]> = [];
    const state = { failures: 1 };
    const sink = {
      write: (rows: readonly LogRow[]) => {
        if (state.failures-- > 0) throw new Error("disk full");
        written.push(rows);
      },
    };
    await resting(runtimeLogging(sink), events)(0);
    expect(written).toHaveLength(1);
    state.failures = 3;
    const rest = resting(runtimeLogging(sink), events);
    await expect(rest(4)).rejects.toThrow(
      /rows of the runtime log could not be written: disk full/,
    );
    state.failures = 0;
    await rest(events.length);
    expect(written[1]).toEqual(logRows(events, 4));
    await rest(events.length);
    expect(written[2]).toEqual([]);
  });

  it("RLG2: a run ends as ever when its log cannot be written", async () => {
    const reports: string[] = [];
    const { agent } = scriptedAgent(["done"]);
    const sink = { write: () => Promise.reject(new EngineError("unavailable", "gone")) };
    const run = soloCrew(agent, { crew: { listeners: [runtimeLogging(sink)] } }).start({
      report: ({ message }) => void reports.push(message),
    });
    expect((await run.output()).raw).toBe("done");
    expect(reports).toEqual([expect.stringMatching(/listener "runtime-log" failed.*gone/)]);
    expect(() => runtimeLogging({} as never)).toThrow(/needs a sink/);
  });

  it("RLG3: receive no credentials and no endless text", async () => {
    const { d1, rows } = database();
    const { agent } = scriptedAgent(
      [
        calling("stock", { item: "tea", apiKey: "very-private-1234" }),
        `word ${"x".repeat(150_000)}`,
      ],
      { tools: [stock] },
    );
    const listeners = [runtimeLogging(sqlLog(d1))];
    await soloCrew(agent, { crew: { listeners } }).kickoff();
    expect(json(rows("function_calls")[0]?.["args"])).toEqual({ item: "tea", apiKey: "[secret]" });
    const all = JSON.stringify(Object.keys(LOG_TABLES).map((table) => rows(table)));
    expect(all).not.toContain("very-private-1234");
    const longest = Math.max(
      ...rows("chat_completions").map(({ response }) => String(response).length),
    );
    expect(longest).toBeLessThan(100_100);
  });
});

describe("texts without credentials", () => {
  it.each([
    ['{"api_key":"abc def","n":1}', '{"api_key":"[secret]","n":1}'],
    [
      '{"headers":{"Authorization":"Bearer abc"},"totalTokens":12}',
      '{"headers":{"Authorization":"[secret]"},"totalTokens":12}',
    ],
    ['{"a":"{\\"password\\":\\"my pass\\"}"}', '{"a":"{\\"password\\":\\"[secret]\\"}"}'],
    [
      '{"OPENAI_API_KEY":["a","b"],"token":"t","secret":false}',
      '{"OPENAI_API_KEY":"[secret]","token":"[secret]","secret":false}',
    ],
    ['{"secretary":"Ann","tokens":"many words"}', '{"secretary":"Ann","tokens":"many words"}'],
  ])("WCR1: %s", (text, shown) => {
    expect(withoutCredentials(text)).toBe(shown);
    JSON.parse(withoutCredentials(text));
  });

  it.each([
    ["curl -H 'Authorization: Bearer abcdef123456'", "abcdef123456"],
    ["OPENAI_API_KEY=abc123def and more", "abc123def"],
    ["use sk-proj-abcdefghijklmnop1234 for it", "sk-proj-abcdefghijklmnop1234"],
    ["it is eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.c2lnbmF0dXJl", "eyJzdWIiOiIxMjM0"],
    ['she said password: "hunter22"', "hunter22"],
  ])("WCR2: %s", (text, secret) => {
    const shown = withoutCredentials(text);
    expect(shown).not.toContain(secret);
    expect(shown).toContain("[secret]");
  });

  it("WCR2: this process's secrets are removed in any place", () => {
    noteSecret("plain-looking words");
    expect(withoutCredentials("say plain-looking words aloud")).toBe("say [secret] aloud");
  });

  it("takes time in proportion to the text", () => {
    for (const piece of ["api_key", "secret=", '{"a":', "Bearer ", "sk-", "eyJ.", '\\"']) {
      const started = computedMs();
      withoutCredentials(piece.repeat(200_000));
      expect(computedMs() - started).toBeLessThan(2_000);
    }
  });
});
