// Converts a conversation from any spelling to the form for checks.
import { camelCase } from "../../base/camel-case.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { camelKeys, toolEntries } from "../../crew/definition/definition-forms.ts";

type Fields = Record<string, unknown>;

/**
 * Converts names of fields to camelCase and removes nulls. Names of agents and variables, and the arguments of a graph,
 * stay unchanged.
 */
export function conversationForm(input: unknown): unknown {
  const conversation = fields(input);
  if (conversation === undefined) return input;
  const { agents, pattern, graph, maxRound } = conversation;
  if (maxRound !== undefined && conversation["maxRounds"] === undefined) {
    conversation["maxRounds"] = maxRound; // AG2's name for it in group chats
    delete conversation["maxRound"];
  }
  if (agents !== undefined) conversation["agents"] = agentsForm(agents);
  if (typeof pattern === "string") conversation["pattern"] = { kind: pattern };
  else if (pattern !== undefined) conversation["pattern"] = patternForm(pattern);
  const { chat, chats } = conversation;
  if (chat !== undefined) conversation["chat"] = chatForm(chat);
  if (Array.isArray(chats)) conversation["chats"] = chats.map(chatForm);
  if (graph !== undefined) conversation["graph"] = fields(graph) ?? graph;
  return conversation;
}

function chatForm(chat: unknown): unknown {
  const form = fields(chat);
  if (form === undefined) return chat;
  const group = fields(form["groupChat"]);
  if (group === undefined) return form;
  const { maxRounds, ...settings } = group;
  const maxRound = group["maxRound"] ?? maxRounds;
  const method = group["speakerSelectionMethod"];
  form["groupChat"] = {
    ...settings,
    ...(maxRound === undefined ? undefined : { maxRound }),
    ...(typeof method === "string" ? { speakerSelectionMethod: method.toLowerCase() } : undefined),
  };
  return form;
}

function patternForm(pattern: unknown): unknown {
  const form = fields(pattern);
  if (form === undefined) return pattern;
  if (form["groupAfterWork"] !== undefined)
    form["groupAfterWork"] = targetForm(form["groupAfterWork"]);
  return form;
}

/**
 * Converts agents to a mapping by name; a list of named agents is equivalent. `repeatedNames` finds duplicates in a
 * list.
 */
function agentsForm(agents: unknown): unknown {
  if (Array.isArray(agents)) {
    const named = Array.from(agents as readonly unknown[], (agent) => fields(agent) ?? {});
    return Object.fromEntries(
      named.map(({ name, ...agent }, index) => [
        typeof name === "string" ? name : `${index}`,
        agentForm(agent),
      ]),
    );
  }
  if (!isJsonObject(agents)) return agents;
  return Object.fromEntries(
    Object.entries(agents).map(([name, agent]) => [name, agentForm(agent)]),
  );
}

/** Returns faults for duplicate names in a list of agents, and for agents without a name. */
export function agentListFaults(
  input: unknown,
): readonly { readonly path: string; readonly message: string }[] {
  const agents = fields(input)?.["agents"];
  if (!Array.isArray(agents)) return [];
  const names = Array.from(agents as readonly unknown[], (agent) => fields(agent)?.["name"]);
  const firstOf = new Map(names.map((name, index) => [name, index] as const).toReversed());
  return names.flatMap((name, index) => {
    const path = `/agents/${index}/name`;
    if (typeof name !== "string") return [{ path, message: "expected the name of the agent" }];
    return firstOf.get(name) === index
      ? []
      : [{ path, message: `expected a name of its own, got ${JSON.stringify(name)} again` }];
  });
}

function agentForm(agent: unknown): unknown {
  // `ana:` without a value is an agent without settings.
  if (agent === null) return {};
  const form = fields(agent);
  if (form === undefined) return agent;
  for (const key of ["handoffs", "inputGuardrails", "outputGuardrails"])
    if (form[key] !== undefined) form[key] = listForm(form[key]);
  for (const key of ["memory", "knowledgeConfig"]) {
    const settings = fields(form[key]);
    if (settings !== undefined) form[key] = camelKeys(settings as JsonObject);
  }
  const { tools } = form;
  if (Array.isArray(tools)) form["tools"] = toolEntries(tools as JsonValue[]);
  codeForm(form);
  const { afterWork } = form;
  if (afterWork !== undefined)
    form["afterWork"] = Array.isArray(afterWork) ? listForm(afterWork) : targetForm(afterWork);
  return form;
}

/** Accepts AG2's names: seconds, and a choice of the sandbox, which has no meaning here. */
function codeForm(form: Fields): void {
  const { codeExecutionConfig, ...others } = form;
  const settings = others["codeExecution"] ?? codeExecutionConfig;
  delete form["codeExecutionConfig"];
  if (settings === undefined) return;
  const own = fields(settings);
  if (own === undefined) {
    form["codeExecution"] = settings;
    return;
  }
  const { timeout, useDocker: _1, executor: _2, ...rest } = own;
  const isSeconds = typeof timeout === "number" && rest["timeoutMs"] === undefined;
  form["codeExecution"] = {
    ...rest,
    ...(isSeconds ? { timeoutMs: timeout * 1000 } : timeout === undefined ? {} : { timeout }),
  };
}

function listForm(list: unknown): unknown {
  if (!Array.isArray(list)) return list;
  return list.map((each: unknown) => {
    const form = fields(each);
    if (form?.["to"] !== undefined) form["to"] = targetForm(form["to"]);
    return form ?? each;
  });
}

function targetForm(target: unknown): unknown {
  const form = fields(target);
  if (form === undefined) return target;
  const { nested } = form;
  if (Array.isArray(nested)) form["nested"] = nested.map((chat: unknown) => fields(chat) ?? chat);
  return form;
}

/** Copies an object without its null fields. */
function fields(value: unknown): Fields | undefined {
  if (!isJsonObject(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== null)
      .map(([key, each]) => [camelCase(key), each]),
  );
}
