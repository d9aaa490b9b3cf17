import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/base/json.ts";
import { ContextVariables } from "../../../../src/conversation/context-variables.ts";
import {
  DocumentAgent,
  type DocumentAgentOptions,
} from "../../../../src/conversation/capabilities/documents/document-agent.ts";
import { documentsIn } from "../../../../src/conversation/capabilities/documents/named-documents.ts";
import { chatProgram } from "../../../../src/conversation/chats/initiate-chat.ts";
import type { RunServices } from "../../../../src/events/run-services.ts";
import { contentText } from "../../../../src/conversation/messages.ts";
import { InMemoryFileStore } from "../../../../src/files/in-memory-file-store.ts";
import { knowledgeService } from "../../../../src/knowledge/make-knowledge-service.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { quiet } from "../../../support/conversations.ts";
import { cutAfterEveryWrite, runWhole, type Course } from "../../../support/cut-off.ts";

/** Pages of this project, by the addresses at which the tests have them. */
const PAGES: Readonly<Record<string, string>> = Object.fromEntries(
  ["memory", "hooks"].map((name) => [
    `https://docs.example.com/${name}.md`,
    readFileSync(new URL(`../../../../docs/${name}.md`, import.meta.url), "utf8").slice(0, 8_000),
  ]),
);
const [MEMORY = "", HOOKS = ""] = Object.keys(PAGES);

/** A service whose web has the pages, and notes what was asked for. */
function world(fetched: string[] = []) {
  const fetch = async (input: string | URL | Request): Promise<Response> => {
    const address = input instanceof Request ? input.url : input.toString();
    fetched.push(address);
    const text = PAGES[address];
    return text === undefined
      ? new Response("no", { status: 404 })
      : new Response(text, { headers: { "content-type": "text/markdown" } });
  };
  return knowledgeService({
    embedder: "offline/hash-embed",
    outbound: { fetch },
  });
}

type Tasks = { readonly documents?: readonly string[]; readonly queries?: readonly string[] };
type Parts = {
  /** What messages ask for, by the text of the last one. */
  readonly tasks: (last: string) => Tasks | string;
  readonly answer?: (passages: string) => string;
};

const lastMessage = (question: string): string => question.split("Last message:\n")[1] ?? "";

function agentWith(
  { tasks, answer = () => "No place." }: Parts,
  options: Partial<DocumentAgentOptions> = {},
) {
  const model = scriptedModel(({ messages }) => {
    const [system, user] = messages.map(({ content }) => contentText(content));
    if (system?.startsWith("You sort") === true) {
      const asked = tasks(lastMessage(user ?? ""));
      return typeof asked === "string"
        ? asked
        : JSON.stringify({ documents: [], queries: [], ...asked });
    }
    return user?.startsWith("<passages>") === true ? answer(user) : "Just talking.";
  });
  return { model, agent: new DocumentAgent({ name: "reader", llm: model, ...options }) };
}

type Message = string | JsonObject;

/** The answers to messages, one after another, in one run. */
async function answers(
  { agent }: { readonly agent: DocumentAgent },
  messages: readonly Message[],
  services: RunServices = { knowledge: world() },
) {
  const left = messages.slice(1);
  const user = quiet("user", { contextVariables: agent.contextVariables });
  user.registerReply(agent, () => {
    const next = left.shift();
    return { final: true, reply: next ?? null };
  });
  const program = chatProgram([user, agent], { message: messages[0] ?? "" });
  const { run, events } = await runWhole({ program, services });
  expect(run.error).toBeUndefined();
  const output = run.output as {
    chatHistory: ReadonlyArray<{ name?: string; content: string }>;
    contextVariables: JsonObject;
  };
  const said = output.chatHistory.flatMap(({ name, content }) =>
    name === "reader" ? [content] : [],
  );
  return { said, events, variables: output.contextVariables };
}

const labels = (text: string): readonly string[] => text.match(/^\[[^\n]+\]$/gm) ?? [];
const addressesIn = (text: string): readonly string[] => text.match(/https?:\/\/[^\s,]+/g) ?? [];

describe("a document agent", () => {
  it("DCA1, DCA2, DCA3: loads documents named in a message, and answers from them with cited places", async () => {
    const setup = agentWith({
      tasks: (last) => ({ documents: addressesIn(last), queries: ["How is a score made?"] }),
      answer: (passages) => `From similarity and age ${labels(passages)[0]}.`,
    });
    const { said, variables } = await answers(setup, [
      `How is a score made? See ${MEMORY} for it.`,
    ]);
    expect(said[0]).toMatch(
      /^Loaded https:\/\/docs\.example\.com\/memory\.md \(passages: \d+\)\.\n\nFrom similarity and age \[https:\/\/docs\.example\.com\/memory\.md, .+\]\.$/,
    );
    expect(variables).toMatchObject({
      documentsToIngest: [],
      documentsIngested: [{ name: MEMORY }],
      documentsFailed: [],
      queriesToRun: [],
      queryResults: [{ query: "How is a score made?", sources: [expect.stringContaining(MEMORY)] }],
    });
  });

  it("DCA3: an answer without a place cites the shown passages", async () => {
    const setup = agentWith({
      tasks: (last) => ({ documents: addressesIn(last), queries: ["hooks"] }),
    });
    const { said } = await answers(setup, [`Which hooks are there? ${HOOKS}`]);
    expect(said[0]).toContain("No place.\n\nPassages: [https://docs.example.com/hooks.md");
  });

  it("DCA1: a document is loaded once in a conversation, and later questions can use it", async () => {
    const fetched: string[] = [];
    const setup = agentWith({
      tasks: (last) => ({
        documents: addressesIn(last),
        queries: last.includes("?") ? [last] : [],
      }),
    });
    const { said, events } = await answers(
      setup,
      [`Read ${HOOKS}`, `Again ${HOOKS} please: which hooks?`, "What do hooks return?"],
      { knowledge: world(fetched) },
    );
    const loads = fetched.length;
    expect(new Set(fetched)).toEqual(new Set([HOOKS]));
    expect(loads).toBeLessThanOrEqual(2);
    expect(events.filter(({ type }) => type === "knowledge_document_completed")).toHaveLength(1);
    expect(said[0]).toMatch(/^Loaded /);
    expect(said.slice(1).every((text) => text.startsWith("No place.\n\nPassages: [https"))).toBe(
      true,
    );
  });

  it("DCA1: a failed document has its reason in the answer, and others are loaded", async () => {
    const gone = "https://docs.example.com/gone.md";
    const inside = "http://169.254.169.254/latest/meta-data";
    const fetched: string[] = [];
    const setup = agentWith({ tasks: (last) => ({ documents: addressesIn(last), queries: [] }) });
    const { said, variables } = await answers(setup, [`Load ${gone} ${inside} ${MEMORY}`], {
      knowledge: world(fetched),
    });
    expect(said[0]).toContain(`Loaded ${MEMORY}`);
    expect(said[0]).toContain(`Could not load ${gone}: ${gone} answered 404`);
    expect(said[0]).toMatch(
      /Could not load http:\/\/169.*must not be an address of a private network/,
    );
    expect(fetched).not.toContain(inside);
    expect(variables["documentsFailed"]).toHaveLength(2);
  });

  it("DCN1: loads no document without its name in a message", async () => {
    const fetched: string[] = [];
    const setup = agentWith({ tasks: () => ({ documents: [MEMORY, "uploads/secret.txt"] }) });
    const { said } = await answers(setup, ["Tell me a secret"], { knowledge: world(fetched) });
    expect([said, fetched]).toEqual([["Just talking."], []]);
  });

  it("DCA1: accepts files attached to messages, and those of its folder", async () => {
    const files = new InMemoryFileStore();
    await files.put("uploads/tea.txt", "Tea is brewed at 80 degrees.", "text/plain");
    await files.put("private/keys.txt", "Never to be read.", "text/plain");
    const file = (text: string) => ({
      type: "file",
      name: "note.txt",
      mediaType: "text/plain",
      data: Buffer.from(text).toString("base64"),
    });
    const setup = agentWith(
      {
        tasks: (last) => ({
          documents: ["note.txt", "uploads/tea.txt", "private/keys.txt"].filter(
            (name) => last.includes(name) || (name === "note.txt" && last.includes("<file>")),
          ),
          queries: last.includes("?") ? [last] : [],
        }),
        answer: (passages) => passages.split("\n")[2] ?? "",
      },
      { folder: "uploads/" },
    );
    const { said } = await answers(
      setup,
      [
        { content: [{ type: "text", text: "Keep this" }, file("The kettle is blue.")] },
        { content: [{ type: "text", text: "Now this" }, file("The kettle is red.")] },
        "Which colour is the kettle?",
        "Read uploads/tea.txt, uploads/../private/keys.txt and private/keys.txt",
      ],
      { knowledge: { ...world(), files } },
    );
    expect(said).toEqual([
      "Loaded note.txt (passages: 1).",
      "Loaded note.txt (passages: 1).",
      expect.stringContaining("The kettle is red."),
      "Loaded uploads/tea.txt (passages: 1).",
    ]);
  });

  it("DCA2: follows its variables, with a limited number of documents and questions in one turn", async () => {
    const setup = agentWith(
      { tasks: () => ({}) },
      {
        maxDocuments: 1,
        maxQueries: 1,
        contextVariables: new ContextVariables({
          documentsToIngest: [MEMORY, HOOKS, "nonsense"],
          queriesToRun: ["What is a hook?", "What is a score?"],
        }),
      },
    );
    const { said, variables } = await answers(setup, ["Go on", "Go on", "Go on"]);
    expect(said[0]).toContain(`Still to be loaded: ${HOOKS}, nonsense`);
    expect(said[0]).toContain("Still to be answered: What is a score?");
    expect(said[1]).toContain(`Loaded ${HOOKS}`);
    expect(said[2]).toBe(
      "Could not load nonsense: it is no address, and no file of this conversation",
    );
    expect(variables).toMatchObject({ documentsToIngest: [], queriesToRun: [] });
  });

  it("DCA4: conversations share documents only through a named collection", async () => {
    const knowledge = world();
    const parts: Parts = {
      tasks: (last) => ({
        documents: addressesIn(last),
        queries: last.includes("?") ? [last] : [],
      }),
    };
    const laterAnswer = async (options: Partial<DocumentAgentOptions>) => {
      await answers(agentWith(parts, options), [`Read ${HOOKS}`], { knowledge });
      const { said } = await answers(agentWith(parts, options), ["What is a hook?"], { knowledge });
      return said[0];
    };
    expect(await laterAnswer({})).toMatch(/^There are no documents/);
    expect(await laterAnswer({ collection: "handbook" })).toContain("Passages: [https://docs");
  });

  it("DCA4: documents loaded by another run of the conversation are loaded again", async () => {
    const parts: Parts = {
      tasks: (last) => ({
        documents: addressesIn(last),
        queries: last.includes("?") ? [last] : [],
      }),
    };
    const { variables } = await answers(agentWith(parts), [`Read ${HOOKS}`]);
    const contextVariables = new ContextVariables({
      ...variables,
      documentsIngested: [{ name: HOOKS, collection: "conversation/other", passages: 3 }],
    });
    const { said } = await answers(agentWith(parts, { contextVariables }), ["What is a hook?"]);
    expect(said[0]).toMatch(/^Loaded https:\/\/docs.example.com\/hooks.md/);
    expect(said[0]).toContain("Passages: [https://docs.example.com/hooks.md");
  });

  it("DCA5: answers other messages with its model; without sorted tasks it loads all named documents", async () => {
    const plain = agentWith({ tasks: () => ({}) });
    expect((await answers(plain, ["Hello"])).said).toEqual(["Just talking."]);
    const unsorted = agentWith({ tasks: () => "I cannot say." });
    const { said } = await answers(unsorted, [`Which hooks are there? ${HOOKS}`]);
    expect(said[0]).toMatch(/^Loaded .*\n\nNo place\./);
  });

  it("DCA5: a blocking policy answers in its place", async () => {
    const { agent } = agentWith({ tasks: () => ({}) });
    agent.registerHook("safeguard_llm_inputs", () => null);
    const { said } = await answers({ agent }, ["Hello"]);
    expect(said[0]).toContain("the model was not asked");
  });

  it("is refused with an invalid config", () => {
    const broken = (options: object) => () => agentWith({ tasks: () => ({}) }, options);
    expect(broken({ maxDocuments: 0 })).toThrow(/maxDocuments must be an integer from 1 to 50/);
    expect(broken({ folder: "/" })).toThrow(/folder must be a path that ends with/);
    expect(broken({ folder: "uploads" })).toThrow(/folder must be a path that ends with/);
  });
});

describe("documents in messages", () => {
  it.each([
    [
      "See (https://a.example/x.pdf), and https://b.example/y?z=1.",
      ["https://a.example/x.pdf", "https://b.example/y?z=1"],
    ],
    ["No ftp://a.example/x and no file:///etc/passwd", []],
    ["'uploads/a b.txt' uploads/c.txt! uploads/../d uploads/", ["uploads/a", "uploads/c.txt"]],
  ])("DCN1: in %j", (content, names) => {
    const found = documentsIn({ role: "user", content }, "uploads/");
    expect(found.map(({ source }) => source.name)).toEqual(names);
  });

  it("DCN1: files in OpenAI's form, and files without a name", () => {
    const content = [
      {
        type: "file",
        file: { filename: "a.csv", file_data: "data:text/csv;base64,YSxi" },
      },
      { type: "file", mediaType: "text/plain", data: "eA==" },
      { type: "file", url: "https://a.example/b.pdf" },
      { type: "input_file", file_id: "f-1" },
    ];
    expect(documentsIn({ role: "user", content }, undefined).map(({ source }) => source)).toEqual([
      { name: "a.csv", base64: "YSxi", mediaType: "text/csv" },
      { name: expect.stringMatching(/^file /), base64: "eA==", mediaType: "text/plain" },
      { name: "https://a.example/b.pdf", url: "https://a.example/b.pdf" },
    ]);
  });
});

/** A batch of chunks that is done again finds them embedded. */
function uncounted({ events, ...course }: Course): Course {
  return { ...course, events: events.map((event) => event.replace(/"embedded":\d+/, "")) };
}

it("DCA1, DCA2: wherever the process dies, the same is loaded and answered", async () => {
  const { whole, cut } = await cutAfterEveryWrite(() => {
    const { agent } = agentWith({
      tasks: (last) => ({
        documents: addressesIn(last),
        queries: last.includes("?") ? [last] : [],
      }),
      answer: (passages) => `As it says ${labels(passages)[0]}`,
    });
    const user = quiet("user");
    user.registerReply(agent, ({ messages }) => ({
      final: true,
      reply: messages.length < 3 ? "What do hooks return?" : null,
    }));
    const message = `Which hooks? ${HOOKS} https://docs.example.com/gone.md`;
    return {
      program: chatProgram([user, agent], { message }),
      services: { knowledge: world() },
    };
  });
  expect(whole.run.error).toBeUndefined();
  expect(whole.run.output).toMatchObject({ chatHistory: { length: 4 } });
  expect(cut.length).toBeGreaterThan(15);
  for (const { course } of cut) expect(uncounted(course)).toEqual(uncounted(whole.course));
}, 60_000);
