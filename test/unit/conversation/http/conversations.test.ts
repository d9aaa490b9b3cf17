/* oxlint-disable unicorn/no-thenable -- `then` is how graphs are written, and never a function */
import { describe, expect, it } from "vitest";
import { conversationFromDefinition } from "../../../../src/conversation/definition/conversation-from-definition.ts";
import { versions } from "../../../../src/parts/versions.ts";
import { ConversationWorld, INCIDENT, REVIEW } from "../../../support/conversation-world.ts";
import type { AskOptions } from "../../../support/http-app.ts";

const yaml = (body: string): AskOptions => ({
  method: "PUT",
  body,
  headers: { "content-type": "application/yaml" },
});
const put = (json: unknown): AskOptions => ({ method: "PUT", json });

/** What is wrong with a definition, each issue with its path, and the place in the YAML. */
async function faults(body: string): Promise<readonly string[]> {
  const { status, json } = await new ConversationWorld().ask("/conversations/x", yaml(body));
  expect(status).toBe(400);
  const issues = json["errors"] as unknown as ReadonlyArray<{ path: string; message: string }>;
  return issues.map(({ path, message }) => `${path} ${message}`);
}

describe("a stored conversation", () => {
  it("runs at once: the example of the docs", async () => {
    const world = new ConversationWorld();
    const stored = await world.ask("/conversations/incident", yaml(INCIDENT));
    expect(stored).toMatchObject({
      status: 201,
      json: {
        source: "stored",
        pattern: "default",
        initialAgent: "triage",
        userAgent: "ana",
        maxRounds: 20,
        warnings: [{ path: "/agents/triage/llm" }],
      },
    });
    expect(stored.headers.get("location")).toBe("/conversations/incident");
    const id = await world.converse("incident");
    const { json: run } = await world.ask(`/runs/${id}`);
    expect(run).toMatchObject({ kind: "conversation", status: "completed" });
    expect(run["output"]).toMatchObject({
      summary: "You find the cause. 3",
      messages: [
        { name: "ana", role: "user", content: "It is down." },
        { name: "triage", role: "assistant", content: "[Handing over to expert]" },
        { name: "expert", role: "assistant", content: "You find the cause. 3" },
      ],
      lastSpeaker: "expert",
      contextVariables: { severity: "high" },
      rounds: 3,
      usage: { requests: 1 },
    });
  });

  it("CDX2: may be a chat or chats in sequence, with a person, a picture and faults in their place", async () => {
    const world = new ConversationWorld();
    const stored = await world.ask(
      "/conversations/draft",
      yaml(`agents:
  ana: { human: true }
  bob: { system_message: You write. }
chat: { sender: ana, recipient: bob, max_turns: 2 }
`),
    );
    expect(stored).toMatchObject({ status: 201, json: { pattern: "chat" } });
    const id = await world.converse("draft", { message: "Begin" });
    const { json: run } = await world.ask(`/runs/${id}`);
    expect(run).toMatchObject({ status: "waiting", waits: [{ kind: "human" }] });
    await world.ask(`/runs/${id}/resume`, { json: { feedback: "More" } });
    await world.clock.settle();
    const { json: ended } = await world.ask(`/runs/${id}`);
    expect(ended).toMatchObject({ status: "completed" });
    const messages = ended["output"]?.["messages"] as unknown as readonly { name: string }[];
    expect(messages.map(({ name }) => name)).toEqual(["ana", "bob", "ana", "bob"]);
    const picture = await world.ask("/conversations/draft/picture?format=mermaid");
    expect(picture.text).toContain("bob");
    expect(await faults("agents: { a: {}, b: {} }\nchat: { sender: a, recipient: c }\n")).toEqual([
      expect.stringMatching(/^\/chat\/recipient .*expected an agent of this conversation/),
    ]);
    const queue = {
      agents: { a: {}, b: {} },
      sender: "a",
      chats: [{ recipient: "b", message: "One", max_turns: 1 }],
    };
    expect(await world.ask("/conversations/queue", put(queue))).toMatchObject({
      status: 201,
      json: { pattern: "chats" },
    });
  });

  it("accepts context variables and a limit from the kickoff, in either spelling", async () => {
    const world = new ConversationWorld();
    await world.store("incident", INCIDENT);
    const low = { message: "It is slow.", context_variables: { severity: "low" }, max_rounds: 2 };
    const id = await world.converse("incident", low);
    const { json } = await world.ask(`/runs/${id}`);
    expect(json["output"]).toMatchObject({
      messages: [{ name: "ana" }, { name: "triage", content: "You sort incidents. 2" }],
      contextVariables: { severity: "low" },
      rounds: 2,
      reason: "maximum rounds reached",
    });
  });

  it("continues from messages, with those of an earlier output as they are", async () => {
    const world = new ConversationWorld();
    await world.store(
      "pair",
      "agents:\n  a: { system_message: A, after_work: b }\n  b: { system_message: B }\n",
    );
    const first = await world.converse("pair", { message: "Begin" });
    const before = (await world.ask(`/runs/${first}`)).json["output"]?.["messages"];
    expect(before).toMatchObject([{ name: "user" }, { name: "a" }, { name: "b" }]);
    const messages = [...(before as unknown as object[]), { content: "And then?" }];
    const next = await world.converse("pair", { messages });
    const { json } = await world.ask(`/runs/${next}`);
    expect(json["output"]).toMatchObject({ rounds: 3, lastSpeaker: "b" });
    expect(json["output"]?.["messages"]).toHaveLength(6);
  });

  it("is listed, shown, replaced and deleted, while its runs keep their first definition", async () => {
    const world = new ConversationWorld();
    await world.store("review", REVIEW);
    const id = await world.converse("review");
    const replaced = await world.ask("/conversations/review", put({ agents: { solo: {} } }));
    expect(replaced).toMatchObject({ status: 200, json: { agents: [{ name: "solo" }] } });
    expect((await world.ask("/conversations")).json["items"]).toMatchObject([{ name: "review" }]);
    expect((await world.ask("/conversations/review")).json["definition"]).toMatchObject({
      agents: { solo: {} },
    });
    expect((await world.ask("/conversations/review", { method: "DELETE" })).status).toBe(204);
    expect((await world.ask("/conversations/review")).status).toBe(404);
    expect(
      (await world.ask("/conversations/review/kickoff", { json: { message: "x" } })).status,
    ).toBe(404);
    for (const name of ["ana", "ben"]) {
      await world.ask(`/runs/${id}/messages`, { json: { name, content: `${name} agrees` } });
      await world.clock.settle();
    }
    expect((await world.ask(`/runs/${id}`)).json).toMatchObject({
      status: "completed",
      output: { lastSpeaker: "ben", humanInput: ["ben agrees", "ana agrees"] },
    });
  });

  it("hides keys of its models, and names missing settings of a deployment", async () => {
    const world = new ConversationWorld();
    const llm = { model: "openai/gpt-5-mini", api_key: { secret: "TEAM_KEY" } };
    await world.ask("/conversations/keyed", put({ agents: { a: { llm } } }));
    const { json } = await world.ask("/conversations/keyed");
    expect(json["definition"]?.["agents"]?.["a"]?.["llm"]).toMatchObject({
      model: "openai/gpt-5-mini",
    });
  });
});

describe("a wrong definition", () => {
  it("has a line and a column for each mistake", async () => {
    const body = INCIDENT.replace("after_work: reviewer ", "after_work: nobody ")
      .replace("${severity} == 'high'", "${severity} = 'high'")
      .replace("current_time", "current_tim")
      .replace("max_rounds: 20", "max_rounds: none");
    const form = await faults(body);
    expect(form).toEqual([expect.stringMatching(/^\/maxRounds body\.yaml:15:\d+: expected /)]);
    const rest = await faults(body.replace("max_rounds: none", "max_rounds: 20"));
    expect(rest).toEqual([
      expect.stringMatching(/^\/agents\/triage\/handoffs\/0\/when body\.yaml:7:\d+: .*column 13/),
      expect.stringMatching(
        /^\/agents\/triage\/afterWork body\.yaml:9:\d+: expected an agent of this conversation/,
      ),
    ]);
  });

  it.each([
    ["agents:\n  a: { tools: [teleport] }", "/agents/a/tools/0", 'unknown tool "teleport"'],
    ["agents:\n  - { name: a, tools: [teleport] }", "/agents/0/tools/0", 'unknown tool "teleport"'],
    ["agents:\n  - name: a\n  - name: a", "/agents/1/name", "a name of its own"],
    [
      "agents:\n  a: {}\ngraph:\n  initial_speaker: a\n  default_target: stay",
      "/graph",
      "has no end",
    ],
    [
      "agents:\n  a: { after_work: { conversation: x } }",
      "/agents/a/afterWork/conversation",
      "itself",
    ],
    ["agents:\n  a: {}\ncontext_variables: [1]", "/contextVariables", "an object of names"],
    ["agents:\n  a: {}\nname: other", "/name", 'expected "x" or nothing'],
  ])("%j is refused with the place", async (body, path, message) => {
    const found = await faults(body);
    expect(found.some((each) => each.startsWith(path) && each.includes(message))).toBe(true);
  });

  it("is not the files of a project, and has no name of the code", async () => {
    const panel = conversationFromDefinition({ name: "panel", agents: { a: {} } });
    const world = new ConversationWorld({ conversations: { panel } });
    const files = await world.ask("/conversations/x", put({ files: { "a.yaml": "" } }));
    expect(files).toMatchObject({ status: 400, json: { errors: [{ path: "/files" }] } });
    const taken = await world.ask("/conversations/panel", put({ agents: { a: {} } }));
    expect(taken.status).toBe(409);
    expect((await world.ask("/conversations/panel", { method: "DELETE" })).status).toBe(409);
  });
});

describe("a kickoff", () => {
  it.each([
    [{}, "/message"],
    [{ message: "x", messages: ["y"] }, "/message"],
    [{ messages: [{ content: "x", name: "zoe" }] }, "/messages/0"],
    [{ messages: [{ content: "x" }, { name: "triage" }] }, "/messages/1"],
    [{ message: "x", contextVariables: [1] }, "/contextVariables"],
    [{ message: "x", maxRounds: 0 }, "/maxRounds"],
    [{ message: "x", speed: 1 }, "/speed"],
  ])("of %j is refused at %s, and no run starts", async (json, path) => {
    const world = new ConversationWorld();
    await world.store("incident", INCIDENT);
    const { status, json: problem } = await world.ask("/conversations/incident/kickoff", { json });
    expect(status).toBe(400);
    expect(problem["errors"]).toMatchObject([{ path }]);
    expect((await world.ask("/runs?kind=conversation")).json["items"]).toEqual([]);
  });

  it("waits for the output, streams events, and starts once for an id", async () => {
    const world = new ConversationWorld();
    await world.store("incident", INCIDENT);
    const json = { message: "It is down.", id: "c-1" };
    const path = "/conversations/incident/kickoff";
    const answer = world.ask(path, { json, headers: { prefer: "wait=5" } });
    await world.clock.settle();
    expect(await answer).toMatchObject({
      status: 200,
      json: { output: { lastSpeaker: "expert" } },
    });
    const again = await world.ask(path, { json, headers: { accept: "text/event-stream" } });
    const events = again.text.matchAll(/^event: (chat_\w+)$/gm);
    expect([...events].map(([, type]) => type)).toEqual(
      expect.arrayContaining([
        "chat_speaker_selected",
        "chat_handoff",
        "chat_message_sent",
        "chat_terminated",
      ]),
    );
    expect((await world.ask(path, { json: { ...json, message: "Other" } })).status).toBe(409);
  });
});

describe("a conversation of the code", () => {
  it("is listed first, and has versions for open runs", async () => {
    const of = (name: string) =>
      conversationFromDefinition({
        name: "panel",
        agents: { [name]: { system_message: name, after_work: "ana" }, ana: { human: true } },
      });
    const world = new ConversationWorld({
      conversations: { panel: versions({ current: "2", "1": of("old"), "2": of("new") }) },
    });
    await world.store("another", REVIEW);
    const { json } = await world.ask("/conversations");
    expect(json["items"]).toMatchObject([
      { name: "panel", source: "code", agents: [{ name: "new" }, { name: "ana", isHuman: true }] },
      { name: "another", source: "stored" },
    ]);
    const id = await world.converse("panel");
    expect(await world.waitOf(id)).toMatchObject({ subject: "old 2" }); // the directory of tests knows no versions
    const { conversation: kind } = world.part.kinds ?? {};
    const start = { id: "r", tenant: "t", kind: "conversation", name: "panel", inputs: {} };
    expect(kind?.version?.(start)).toBe("2");
    expect(kind?.version?.({ ...start, definition: {} })).toBeUndefined();
    expect(() => kind?.program({ ...start, definitionVersion: "3" })).toThrow(/no version "3"/);
    expect(() => kind?.program({ ...start, name: "gone" })).toThrow(/not registered/);
  });
});

describe("a picture", () => {
  it("is an SVG, Mermaid or JSON, by format or Accept", async () => {
    const world = new ConversationWorld();
    await world.store("incident", INCIDENT);
    const path = "/conversations/incident/picture";
    const svg = await world.ask(path);
    expect(svg.headers.get("content-type")).toBe("image/svg+xml; charset=utf-8");
    expect(svg.text).toContain("<title>triage → expert: ${severity} == 'high' (context)</title>");
    const mermaid = await world.ask(path, { headers: { accept: "text/plain" } });
    expect(mermaid.text).toContain('n0 -->|"It needs an expert."| n1');
    const { json } = await world.ask(`${path}?format=json`);
    expect(json).toEqual({
      nodes: [
        { id: "triage", kind: "agent", label: "triage", isInitial: true },
        { id: "expert", kind: "agent", label: "expert" },
        { id: "reviewer", kind: "agent", label: "reviewer" },
        { id: "ana", kind: "person", label: "ana" },
        { id: "(end)", kind: "end", label: "end" },
      ],
      links: [
        { from: "triage", to: "expert", cause: "context", label: "${severity} == 'high'" },
        { from: "triage", to: "expert", cause: "model", label: "It needs an expert." },
        { from: "triage", to: "reviewer", cause: "after_work" },
        { from: "expert", to: "(end)", cause: "group_after_work" },
        { from: "reviewer", to: "(end)", cause: "group_after_work" },
        { from: "ana", to: "(end)", cause: "group_after_work" },
      ],
    });
  });

  it("of a transition graph has each possible way", async () => {
    const world = new ConversationWorld();
    await world.ask(
      "/conversations/flow",
      put({
        agents: { a: {}, b: {} },
        graph: {
          initial_speaker: "a",
          transitions: [
            {
              when: { name: "context_equals", args: { key: "done", value: true } },
              then: "terminate",
            },
            {
              when: { name: "from_speaker", args: { agent_id: "a" } },
              then: { name: "agent", args: { agent_id: "b" } },
            },
          ],
          default_target: "round_robin",
        },
      }),
    );
    const { json } = await world.ask("/conversations/flow/picture?format=json");
    const done = { cause: "graph", label: 'context equals, key: "done", value: true' };
    expect(json["links"]).toEqual([
      { from: "a", to: "(end)", ...done },
      { from: "a", to: "b", cause: "graph" },
      { from: "b", to: "(end)", ...done },
      { from: "b", to: "a", cause: "graph" },
    ]);
  });

  it("escapes the names of agents", async () => {
    const world = new ConversationWorld();
    await world.ask("/conversations/odd", put({ agents: { '<b>"x"&': {} } }));
    const { text } = await world.ask("/conversations/odd/picture");
    expect(text).toContain("&lt;b&gt;&quot;x&quot;&amp;");
    expect(text).not.toContain("<b>");
  });
});
