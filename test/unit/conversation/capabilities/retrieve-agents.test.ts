import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "../../../../src/base/json.ts";
import {
  RetrieveAssistantAgent,
  RetrieveUserProxyAgent,
  type RetrieveConfig,
} from "../../../../src/conversation/capabilities/retrieve-agents.ts";
import { chatProgram } from "../../../../src/conversation/chats/initiate-chat.ts";
import { contentText } from "../../../../src/conversation/messages.ts";
import { scriptedModel, type Script } from "../../../../src/llm/scripted/scripted-model.ts";
import { Knowledge } from "../../../../src/knowledge/knowledge.ts";
import { knowledgeService } from "../../../../src/knowledge/make-knowledge-service.ts";
import { cutAfterEveryWrite, runWhole, type Course } from "../../../support/cut-off.ts";

/** Pages of this project, which say something. */
const PAGES = ["memory", "knowledge", "triggers", "hooks"].map((name) => ({
  name: `${name}.md`,
  text: readFileSync(new URL(`../../../../docs/${name}.md`, import.meta.url), "utf8"),
}));
/** A few passages of two of them. */
const SHORT = PAGES.slice(2).map(({ name, text }) => ({ name, text: text.slice(0, 3_000) }));
const pages = () => new Knowledge({ sources: PAGES, embedder: "offline/hash-embed" });
const problem = "How is a score in memory made of similarity, age and importance?";

function pair(script: Script, retrieveConfig: RetrieveConfig = { knowledge: pages() }) {
  const model = scriptedModel(script);
  const assistant = new RetrieveAssistantAgent({ name: "assistant", llm: model });
  const proxy = new RetrieveUserProxyAgent({
    name: "ragproxy",
    humanInputMode: "NEVER",
    retrieveConfig,
  });
  const chat = () =>
    proxy.initiateChat(assistant, { message: proxy.messageGenerator({ problem }) });
  return { chat, model, assistant, proxy };
}

const cited = (text: unknown): readonly string[] =>
  Array.from(contentText(text).matchAll(/^\[([\w.]+)[^\]\n]*\]$/gm), ([, name = ""]) => name);
const shown = (message: { readonly context?: JsonObject } | undefined): readonly unknown[] => {
  const retrieval = message?.context?.["retrieval"];
  return isJsonObject(retrieval) && Array.isArray(retrieval["shown"]) ? retrieval["shown"] : [];
};

describe("a chat on documents", () => {
  it("RTA1, RTP2: opens with the question and its best passages, and ends with the answer", async () => {
    const { chat, model } = pair(["Weighted."], {
      knowledge: pages(),
      task: "qa",
      resultsLimit: 4,
    });
    const { chatHistory, summary, reason } = await chat();
    expect([summary, reason, chatHistory.length]).toEqual([
      "Weighted.",
      "termination condition met",
      2,
    ]);
    expect(cited(chatHistory[0]?.content)[0]).toBe("memory.md");
    expect(cited(chatHistory[0]?.content)).toHaveLength(4);
    expect(shown(chatHistory[0])).toHaveLength(4);
    expect(model.calls[0]?.request.messages[1]?.content).toContain(`Question: ${problem}`);
  });

  it("RTP2: a message has a limited number of tokens, and at least one passage", async () => {
    const few = await pair(["ok"], { knowledge: pages(), contextMaxTokens: 400 }).chat();
    const length = contentText(few.chatHistory[0]?.content).length;
    expect(cited(few.chatHistory[0]?.content).length).toBeLessThan(8);
    expect(length).toBeLessThan(400 * 4 + 600);
    const one = await pair(["ok"], { knowledge: pages(), contextMaxTokens: 20 }).chat();
    expect(cited(one.chatHistory[0]?.content)).toHaveLength(1);
  });

  it("RTA2, RTP1: an answer with a request for more gets further passages, until there are none", async () => {
    const { chat, model } = pair(
      [
        "**UPDATE CONTEXT**\nHow files are stored in R2",
        "I cannot tell. UPDATE CONTEXT.",
        "UPDATE CONTEXT",
        "UPDATE CONTEXT",
      ],
      {
        knowledge: new Knowledge({ sources: PAGES.slice(0, 1), embedder: "offline/hash-embed" }),
        resultsLimit: 5,
        contextMaxTokens: 100_000,
        scoreThreshold: 0,
      },
    );
    const { chatHistory, reason } = await chat();
    const sent = chatHistory.filter(({ name }) => name === "ragproxy");
    const all = shown(sent.at(-1));
    expect(new Set(all).size).toBe(all.length);
    expect(shown(sent[1]).length).toBeGreaterThan(shown(sent[0]).length);
    expect(sent.at(-1)?.content).toMatch(/^There are no more passages/);
    expect(reason).toBe("no reply generated");
    expect(model.calls.length).toBeLessThanOrEqual(4);
  });

  it("RTA2: a missing passage is searched for", async () => {
    const { chat } = pair(
      ["UPDATE CONTEXT\nWhich hooks run before a tool is called?", "Now I know."],
      {
        knowledge: pages(),
        resultsLimit: 2,
      },
    );
    const { chatHistory } = await chat();
    expect(cited(chatHistory[0]?.content)).not.toContain("hooks.md");
    expect(cited(chatHistory[2]?.content)).toContain("hooks.md");
    expect(chatHistory.at(-1)?.content).toBe("Now I know.");
  });

  it.each([
    ["We should update context soon, I think.", undefined, "We should"],
    ["UPDATE CONTEXT", false, "UPDATE CONTEXT"],
    ["Need more!", (text: string) => text.includes("more"), "done"],
  ])("RTA2: %j with updateContext %j", async (reply, updateContext, last) => {
    const { chat } = pair([reply, "done"], {
      knowledge: pages(),
      resultsLimit: 1,
      ...(updateContext === undefined ? {} : { updateContext }),
    });
    expect((await chat()).summary.startsWith(last)).toBe(true);
  });

  it("RTA1: has a custom prompt, and marks an empty result", async () => {
    const { chat } = pair(["ok"], {
      knowledge: new Knowledge({
        sources: [{ name: "a", text: "Kettles boil." }],
        embedder: "offline/hash-embed",
      }),
      scoreThreshold: 0.99,
      customizedPrompt: "Q {input_question} C {input_context} {other}",
    });
    expect((await chat()).chatHistory[0]?.content).toBe(
      `Q ${problem} C (Nothing was found.) {other}`,
    );
  });

  it("RTP1: searches collections of the deployment, with the best passages of several", async () => {
    const service = knowledgeService({ embedder: "offline/hash-embed" });
    const { proxy, assistant } = pair(["ok"], {
      knowledgeSources: PAGES.slice(1),
      knowledge: pages(),
      resultsLimit: 3,
    });
    const message = proxy.messageGenerator({ problem });
    const { run, events } = await runWhole({
      program: chatProgram([proxy, assistant], { message }),
      services: { knowledge: service },
    });
    expect(run.error).toBeUndefined();
    const { chatHistory } = run.output as { chatHistory: ReadonlyArray<{ content: string }> };
    expect(cited(chatHistory[0]?.content)[0]).toBe("memory.md");
    const searched = events.filter(({ type }) => type === "knowledge_search_query_completed");
    expect(searched).toHaveLength(2);
  });

  it("is refused with an invalid config", async () => {
    const made = (retrieveConfig: object) => () => pair([], retrieveConfig);
    expect(made({ task: "chat" })).toThrow(/task must be "qa", "code" or "default", got "chat"/);
    expect(made({ resultsLimit: 0 })).toThrow(/resultsLimit must be an integer from 1 to 50/);
    expect(made({ contextMaxTokens: 0 })).toThrow(/contextMaxTokens must be at least 1/);
    await expect(pair([], {}).chat()).rejects.toThrow(/no source to retrieve from/);
    await expect(pair([], { knowledge: "handbook" }).chat()).rejects.toThrow(/no store for it/);
  });
});

/** A batch of chunks that is done again finds them embedded. */
function uncounted({ events, ...course }: Course): Course {
  return { ...course, events: events.map((event) => event.replace(/"embedded":\d+/, "")) };
}

it("RTA2: wherever the process dies, the same passages are shown", async () => {
  const { whole, cut } = await cutAfterEveryWrite(() => {
    const { proxy, assistant } = pair(
      ({ messages }) => (messages.length < 4 ? "UPDATE CONTEXT\nhooks" : "done"),
      { knowledge: new Knowledge({ name: "pages", sources: SHORT }), resultsLimit: 1 },
    );
    const message = proxy.messageGenerator({ problem });
    return {
      program: chatProgram([proxy, assistant], { message }),
      services: { knowledge: knowledgeService({ embedder: "offline/hash-embed" }) },
    };
  });
  expect(whole.run.output).toMatchObject({ summary: "done", chatHistory: { length: 4 } });
  for (const { course } of cut) expect(uncounted(course)).toEqual(uncounted(whole.course));
}, 60_000);
