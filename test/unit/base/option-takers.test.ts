// Every public constructor and function with options, called with a wrong name.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import { OPTION_TAKERS, type Taker } from "../../support/option-takers.ts";

const ALL = Object.entries(OPTION_TAKERS).flatMap(([entry, takers]) =>
  Object.entries(takers).map(([name, take]) => ({ entry, name, take })),
);

async function errorOf(take: Taker, more: object): Promise<unknown> {
  try {
    await take(more);
    return undefined;
  } catch (error) {
    return error;
  }
}

describe("options of public functions", () => {
  it.each(ALL)("refuse an unknown name: $name of $entry", async ({ take }) => {
    const error = await errorOf(take, { qqqq_option: 1 });
    expect(error).toBeInstanceOf(EngineError);
    const { code, message } = error as EngineError;
    expect(["invalid_definition", "invalid_input"]).toContain(code);
    expect(message).toMatch(/qqqq_?[oO]ption/);
  });

  it.each(ALL)("accept known names alone: $name of $entry", async ({ take }) => {
    expect(await errorOf(take, {})).toBeUndefined();
  });
});

/** Takers with the options of a class or function of CrewAI or AG2. */
const UPSTREAM = {
  crewai: {
    Agent: ".:Agent",
    Task: ".:Task",
    ConditionalTask: ".:ConditionalTask",
    Crew: ".:Crew",
    BaseTool: ".:tool",
    tool: ".:tool",
    Knowledge: "./knowledge:Knowledge",
  },
  ag2: {
    ConversableAgent: "./conversation:ConversableAgent",
    AssistantAgent: "./conversation:AssistantAgent",
    UserProxyAgent: "./conversation:UserProxyAgent",
    GroupChat: "./conversation:GroupChat",
    GroupChatManager: "./conversation:GroupChatManager",
    "ConversableAgent.initiate_chat": "./conversation:ConversableAgent.initiateChat",
    "ConversableAgent.run": "./conversation:ConversableAgent.run",
    "ConversableAgent.run_iter": "./conversation:ConversableAgent.runIter",
    initiate_group_chat: "./conversation:initiateGroupChat",
    "patterns.AutoPattern": "./conversation:AutoPattern",
    "patterns.DefaultPattern": "./conversation:DefaultPattern",
    "patterns.ManualPattern": "./conversation:ManualPattern",
    "patterns.RandomPattern": "./conversation:RandomPattern",
    "patterns.RoundRobinPattern": "./conversation:RoundRobinPattern",
    "group.OnCondition": "./conversation:onCondition",
    "group.OnContextCondition": "./conversation:onContextCondition",
    "group.ReplyResult": "./conversation:ReplyResult",
    RegexGuardrail: "./conversation:regexGuardrail",
    LLMGuardrail: "./conversation:modelGuardrail",
    apply_safeguard_policy: "./conversation:applySafeguardPolicy",
    MultimodalConversableAgent: "./conversation:MultimodalConversableAgent",
    ReasoningAgent: "./conversation:ReasoningAgent",
    DocAgent: "./conversation:DocumentAgent",
    CaptainAgent: "./conversation:CaptainAgent",
    RetrieveUserProxyAgent: "./conversation:RetrieveUserProxyAgent",
    Teachability: "./conversation:Teachability",
    MessageHistoryLimiter: "./conversation:messageHistoryLimiter",
    MessageTokenLimiter: "./conversation:messageTokenLimiter",
    TextMessageCompressor: "./conversation:textCompressor",
    TextMessageContentName: "./conversation:messageNames",
    Tool: ".:tool",
    register_function: "./conversation:registerFunction",
  },
} as const;

/** Parameters that are no option here, because they are the owner or an argument of the call. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  register_function: ["f"],
};

/** Fields of CrewAI's objects that hold the state of a run. A definition has none, so no option replaces them. */
const STATE =
  /^(?:adapted_agent|(?:agent|crew)_knowledge_context|cache_handler|checkpoint_\w+|crew|delegations|end_time|entity_type|execution_(?:context|logs)|knowledge_search_query|processed_by_agents|prompt_context|retry_count|start_time|token_usage|tools_(?:handler|results|errors)|usage_metrics|used_tools)$/;

const PARAMETERS = Object.entries(UPSTREAM).flatMap(([upstream, owners]) => {
  const file = `test/fixtures/upstream-options/${upstream}.json`;
  const { version, options } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly version: string;
    readonly options: Readonly<Record<string, readonly string[]>>;
  };
  return Object.entries(owners).flatMap(([owner, taker]) =>
    (options[owner] ?? [])
      .filter((name) => !ARGUMENTS[owner]?.includes(name))
      .map((name) => ({ upstream: `${upstream} ${version}`, owner, name, taker })),
  );
});

describe("options of CrewAI and AG2", () => {
  it("are listed for every owner", () => {
    const owners = new Set(PARAMETERS.map(({ owner }) => owner));
    expect(owners.size).toBe(Object.values(UPSTREAM).flatMap(Object.keys).length);
  });

  it.each(PARAMETERS)(
    "are accepted, or refused with their replacement: $name of $owner, $upstream",
    async ({ name, taker }) => {
      const [entry = "", own = ""] = taker.split(":");
      const error = await errorOf(OPTION_TAKERS[entry]?.[own] as Taker, { [name]: {} });
      const message = error instanceof Error ? error.message : "";
      if (STATE.test(name)) expect(message).toContain(` has no option "${name}"`);
      else if (message.includes(" has no option ")) expect(message).toContain(`"${name}": `);
      else expect(name.includes("_") && !message.includes("may_not_set_field")).toBe(false);
    },
  );
});
