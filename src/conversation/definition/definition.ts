// A conversation as data, from HTTP or files. Names may be camelCase or snake_case; one error has all issues.
//
//   CDF1. A definition is checked completely before anything runs: its form, all its references, its expressions and
//         patterns.
//   CDF2. Paths of issues are JSON pointers in camelCase into the original input, so a reader of YAML finds the line.
//   CDF3. Words for targets (`stay`, `terminate`, …) cannot be names of agents.
import { EngineError, errorMessage, type Issue } from "../../base/error.ts";
import { isTooDeep, jsonFaults } from "../../base/json-faults.ts";
import { partsOfPointer, pointerOf, pointerPart } from "../../base/json-pointer.ts";
import { isJsonObject, typeName, type JsonObject } from "../../base/json.ts";
import { unusableDefinition } from "../../base/unusable-definition.ts";
import { toIssues } from "../../base/zod-issues.ts";
import { checkedVariables } from "../context-variables.ts";
import { memberFieldFaults } from "./definition-fields.ts";
import { agentListFaults, conversationForm } from "./definition-form.ts";
import {
  conversationSchema,
  type ConversationAgentDefinition,
  type ConversationForm,
  type GuardrailDefinition,
  type HandoffDefinition,
  type TargetDefinition,
} from "./definition-schema.ts";
import { exchangeFaults } from "./exchange-faults.ts";
import { graphFaults } from "./graph-schema.ts";
import { contextCondition } from "../targets/handoffs.ts";
import { memberNameFault } from "../names.ts";
import { readSafeguardPolicy } from "../safeguards/safeguard-policy.ts";
import { textPattern } from "../safeguards/text-pattern.ts";

/** A checked conversation as data, with its initial agent and its user agent filled in. */
export type ConversationDefinition = Omit<ConversationForm, "contextVariables" | "maxRounds"> & {
  readonly contextVariables: JsonObject;
  /** @default 20; of chats, no limit */
  readonly maxRounds?: number | undefined;
};

/** Words for targets. */
export const TARGET_WORDS = ["stay", "terminate", "revert_to_user", "ask_user", "manager"] as const;

const RESERVED_NAMES: readonly string[] = [...TARGET_WORDS, "_Group_Tool_Executor", "__proto__"];
const MAX_ROUNDS = 20;
const MAX_SHOWN_NAMES = 20;

/** Reads a definition in any of its spellings. Throws `invalid_definition` with one issue for each fault. */
export function readConversationDefinition(input: unknown): ConversationDefinition {
  if (!isJsonObject(input))
    throw unusableDefinition("the conversation definition", [
      { path: "", message: `expected a conversation, got ${typeName(input)}` },
    ]);
  if (isTooDeep(input))
    throw unusableDefinition("the conversation definition", [
      { path: "", message: "expected at most 64 levels of nesting, got more" },
    ]);
  const form = conversationForm(input);
  const before = [...agentListFaults(input), ...nameFaults(form)];
  const parsed = conversationSchema.safeParse(form);
  if (!parsed.success)
    throw unusableDefinition(
      "the conversation definition",
      placedIssues([...before, ...toIssues(parsed.error, form)], input),
    );
  const conversation = withDefaults(parsed.data);
  const issues = [...before, ...conversationFaults(conversation)];
  if (issues.length > 0)
    throw unusableDefinition("the conversation definition", placedIssues(issues, input));
  const isChat = conversation.chat !== undefined || conversation.chats !== undefined;
  const { contextVariables = {}, maxRounds = isChat ? undefined : MAX_ROUNDS } = conversation;
  return { ...conversation, contextVariables: checkedVariables(contextVariables), maxRounds };
}

/** Fills in defaults: the pattern "default", the first agent as initial agent, the first person as user agent. */
function withDefaults(form: ConversationForm): ConversationForm {
  if (form.graph !== undefined || form.chat !== undefined || form.chats !== undefined) return form;
  const names = Object.keys(form.agents);
  const { kind = "default", ...rest } = form.pattern ?? {};
  const person = names.find((name) => form.agents[name]?.human === true);
  const [first = ""] = names;
  return {
    ...form,
    pattern: {
      kind,
      initialAgent: first,
      ...(person === undefined ? {} : { userAgent: person }),
      ...rest,
    },
  };
}

function conversationFaults(form: ConversationForm): readonly Issue[] {
  const members = Object.keys(form.agents);
  if (members.length === 0) return [{ path: "/agents", message: "expected at least one agent" }];
  const around = {
    members: new Set(members),
    shownMembers: shownNames(members),
    userAgent: form.pattern?.userAgent,
  };
  return [
    ...Object.entries(form.agents).flatMap(([name, agent]) =>
      agentFaults(agent, `/agents/${pointerPart(name)}`, {
        ...around,
        isUser: name === around.userAgent,
      }),
    ),
    ...patternFaults(form, around),
    ...exchangeFaults(form, (name, path) => memberFaults(name, path, around)),
    ...graphIssues(form, members),
    ...variableFaults(form.contextVariables),
    ...policyFaults(form, members),
  ];
}

/** Names available as targets. */
type Around = {
  readonly members: ReadonlySet<string>;
  /** Member names for messages. */
  readonly shownMembers: string;
  readonly userAgent: string | undefined;
};

/** Returns names for a message; of many names only some. */
function shownNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_SHOWN_NAMES).join(", ");
  return names.length > MAX_SHOWN_NAMES ? `${shown}, … ${names.length} in all` : shown;
}

function nameFaults(form: unknown): readonly Issue[] {
  const agents = isJsonObject(form) ? form["agents"] : undefined;
  if (!isJsonObject(agents)) return [];
  return Object.keys(agents).flatMap((name) => {
    const fault = RESERVED_NAMES.includes(name)
      ? `"${name}" has a meaning of its own: give the agent another name`
      : memberNameFault(name);
    return fault === undefined ? [] : [{ path: `/agents/${pointerPart(name)}`, message: fault }];
  });
}

function agentFaults(
  agent: ConversationAgentDefinition,
  path: string,
  { isUser, ...around }: Around & { readonly isUser: boolean },
): readonly Issue[] {
  const { handoffs = [], afterWork, inputGuardrails = [], outputGuardrails = [] } = agent;
  return [
    ...handoffs.flatMap((each, index) => handoffFaults(each, `${path}/handoffs/${index}`, around)),
    ...afterWorkFaults(afterWork, `${path}/afterWork`, around),
    ...Object.entries({ inputGuardrails, outputGuardrails }).flatMap(([key, guardrails]) =>
      guardrails.flatMap((each, index) => guardrailFaults(each, `${path}/${key}/${index}`, around)),
    ),
    ...memberFieldFaults(agent, isUser).map(({ path: at, message }) => ({
      path: `${path}${at}`,
      message,
    })),
  ];
}

function handoffFaults(
  { to, when, prompt, available, toolName }: HandoffDefinition,
  path: string,
  around: Around,
): readonly Issue[] {
  const isUnnamed = toolName !== undefined && prompt === undefined;
  return [
    ...targetFaults(to, `${path}/to`, around),
    ...(when !== undefined && prompt !== undefined
      ? [{ path, message: "expected `when` (by context) or `prompt` (by the model), got both" }]
      : []),
    ...(isUnnamed
      ? [{ path: `${path}/toolName`, message: "is for a hand-over by the model: add `prompt`" }]
      : []),
    ...conditionFaults(when, `${path}/when`),
    ...conditionFaults(available, `${path}/available`),
  ];
}

function afterWorkFaults(
  afterWork: ConversationAgentDefinition["afterWork"],
  path: string,
  around: Around,
): readonly Issue[] {
  if (afterWork === undefined) return [];
  if (!Array.isArray(afterWork)) return targetFaults(afterWork, path, around);
  const always = afterWork.findIndex(({ when }) => when === undefined);
  return [
    ...afterWork.flatMap((each, index) => handoffFaults(each, `${path}/${index}`, around)),
    ...(always >= 0 && always < afterWork.length - 1
      ? [
          {
            path: `${path}/${always + 1}`,
            message: "is never reached: the one before it has no `when`",
          },
        ]
      : []),
  ];
}

function guardrailFaults(
  { regex, prompt, to, llm }: GuardrailDefinition,
  path: string,
  around: Around,
): readonly Issue[] {
  const count = [regex, prompt].filter((each) => each !== undefined).length;
  return [
    ...targetFaults(to, `${path}/to`, around),
    ...(count === 1
      ? []
      : [
          {
            path,
            message: `expected \`regex\` or \`prompt\`, got ${count === 0 ? "neither" : "both"}`,
          },
        ]),
    ...(regex === undefined ? [] : attempt(`${path}/regex`, () => textPattern(regex))),
    ...(regex === undefined || llm === undefined
      ? []
      : [{ path: `${path}/llm`, message: "is for a guardrail that a model judges: add `prompt`" }]),
  ];
}

function patternFaults(form: ConversationForm, around: Around): readonly Issue[] {
  const { pattern, graph } = form;
  if (pattern === undefined) return [];
  if (graph !== undefined)
    return [{ path: "/graph", message: "expected `pattern` or `graph`, got both" }];
  const { initialAgent, userAgent, groupAfterWork } = pattern;
  return [
    ...memberFaults(initialAgent, "/pattern/initialAgent", around),
    ...memberFaults(userAgent, "/pattern/userAgent", around),
    ...(groupAfterWork === undefined
      ? []
      : targetFaults(groupAfterWork, "/pattern/groupAfterWork", around)),
  ];
}

function graphIssues(form: ConversationForm, members: readonly string[]): readonly Issue[] {
  const { graph, agents, maxRounds } = form;
  if (graph === undefined) return [];
  const bounded = maxRounds === undefined ? graph : { maxTurns: maxRounds, ...graph };
  const handing = Object.entries(agents).flatMap(([name, { handoffs, afterWork }]) => {
    const field = handoffs === undefined ? "afterWork" : "handoffs";
    return handoffs === undefined && afterWork === undefined
      ? []
      : [
          {
            path: `/agents/${pointerPart(name)}/${field}`,
            message: "has no effect beside `graph`: write it as a transition of the graph",
          },
        ];
  });
  const faults = graphFaults(bounded, members);
  return [...faults.map(({ path, message }) => ({ path: `/graph${path}`, message })), ...handing];
}

function targetFaults(target: TargetDefinition, path: string, around: Around): readonly Issue[] {
  if (typeof target === "string") {
    if (target === "revert_to_user" && around.userAgent === undefined)
      return [{ path, message: "needs a user agent: mark an agent as `human: true`" }];
    const isWord = (TARGET_WORDS as readonly string[]).includes(target);
    return isWord ? [] : memberFaults(target, path, around);
  }
  const { random = [], nested = [] } = target;
  return [
    ...random.flatMap((name, index) => memberFaults(name, `${path}/random/${index}`, around)),
    ...nested.flatMap(({ recipient, sender }, index) => [
      ...memberFaults(recipient, `${path}/nested/${index}/recipient`, around),
      ...memberFaults(sender, `${path}/nested/${index}/sender`, around),
    ]),
  ];
}

function memberFaults(
  name: string | undefined,
  path: string,
  { members, shownMembers }: Around,
): readonly Issue[] {
  if (name === undefined || members.has(name)) return [];
  const message = `expected an agent of this conversation (${shownMembers}), got ${JSON.stringify(name)}`;
  return [{ path, message }];
}

function conditionFaults(condition: string | undefined, path: string): readonly Issue[] {
  return condition === undefined ? [] : attempt(path, () => contextCondition(condition));
}

function variableFaults(variables: unknown): readonly Issue[] {
  if (variables === undefined) return [];
  const path = "/contextVariables";
  return isJsonObject(variables)
    ? jsonFaults(variables, path)
    : [{ path, message: `expected an object of names and values, got ${typeName(variables)}` }];
}

function policyFaults(
  { safeguardPolicy, safeguardLlm, maskLlm, agents }: ConversationForm,
  members: readonly string[],
): readonly Issue[] {
  if (safeguardPolicy === undefined) return [];
  const path = "/safeguardPolicy";
  try {
    readSafeguardPolicy(safeguardPolicy, {
      agents: members,
      toolsOf: (name) =>
        (agents[name]?.tools ?? []).map((each) => (typeof each === "string" ? each : each.tool)),
      hasJudge: safeguardLlm !== undefined,
      hasMasker: maskLlm !== undefined,
    });
    return [];
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    const issues = error.issues ?? [{ path: "", message: error.message }];
    return issues.map((issue) => ({ ...issue, path: `${path}${issue.path}` }));
  }
}

function attempt(path: string, check: () => unknown): readonly Issue[] {
  try {
    check();
    return [];
  } catch (error) {
    return [{ path, message: errorMessage(error) }];
  }
}

/** Replaces names in paths with indexes, for a list of agents. */
export function placedIssues(issues: readonly Issue[], { agents }: JsonObject): readonly Issue[] {
  if (!Array.isArray(agents)) return issues;
  const places = new Map(
    Array.from(agents as readonly unknown[], (agent, index) => [
      isJsonObject(agent) ? agent["name"] : undefined,
      `${index}`,
    ]),
  );
  return issues.map((issue) => {
    const [root, name = "", ...rest] = partsOfPointer(issue.path);
    const place = root === "agents" ? places.get(name) : undefined;
    return place === undefined ? issue : { ...issue, path: pointerOf(["agents", place, ...rest]) };
  });
}
