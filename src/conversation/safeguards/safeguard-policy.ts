// A safeguard policy as data: permitted texts between agents, tools, models and people.
//
//   SFP1. A policy is checked completely before use: names, patterns, ownership of tools, and the models that its rules
//         need.
import * as z from "zod";
import { camelCase } from "../../base/camel-case.ts";
import { EngineError, errorMessage, type Issue } from "../../base/error.ts";
import { isTooDeep } from "../../base/json-faults.ts";
import { isJsonObject } from "../../base/json.ts";
import { MAX_ISSUES, toIssues } from "../../base/zod-issues.ts";
import { textPattern } from "./text-pattern.ts";

/** Action on a text that breaks a rule. */
export type SafeguardAction = "block" | "mask" | "warning";

/** A rule: its boundary, its check and its action. */
export type SafeguardRule = {
  readonly source: string;
  readonly destination: string;
  readonly check:
    | { readonly kind: "regex"; readonly pattern: string }
    | {
        readonly kind: "llm";
        readonly customPrompt?: string;
        readonly disallowItems: readonly string[];
      };
  readonly action: SafeguardAction;
  readonly activationMessage?: string;
};

/** Rules of a policy, by boundary. */
export type SafeguardPolicy = {
  /** Messages between members; `*` stands for any member. */
  readonly agentTransitions: readonly SafeguardRule[];
  /** Forbidden content of messages to the group; a model judges. */
  readonly groupMessages: SafeguardRule | undefined;
  /** Agent to tool: arguments. Tool to agent: results. */
  readonly toolInteraction: readonly SafeguardRule[];
  /** Agent to `llm`: the model's input. `llm` to agent: its answer. */
  readonly llmInteraction: readonly SafeguardRule[];
  /** `user` to agent: a person's input. */
  readonly userInteraction: readonly SafeguardRule[];
};

/** Names and models available to a policy. */
export type SafeguardSurroundings = {
  readonly agents: readonly string[];
  /** The name of the group's manager, if there is one. */
  readonly manager?: string;
  readonly toolsOf: (agent: string) => readonly string[];
  /** True if a judging model exists. */
  readonly hasJudge: boolean;
  /** True if a masking model exists; rules with a pattern need none. */
  readonly hasMasker: boolean;
};

const ruleForm = z.strictObject({
  messageSource: z.string().min(1),
  messageDestination: z.string().min(1),
  checkMethod: z.enum(["regex", "llm"]),
  pattern: z.string().optional(),
  customPrompt: z.string().min(1).optional(),
  disallowItem: z.array(z.string()).optional(),
  action: z.enum(["block", "mask", "warning"]).optional(),
  violationResponse: z.enum(["block", "mask", "warning"]).optional(),
  activationMessage: z.string().optional(),
});
const rules = z.array(ruleForm).default([]);
const policyForm = z.strictObject({
  interAgentSafeguards: z
    .strictObject({
      agentTransitions: rules,
      groupchatMessageCheck: z
        .strictObject({
          disallowItem: z.array(z.string()).min(1),
          action: z.enum(["block", "mask", "warning"]).default("block"),
          activationMessage: z.string().optional(),
        })
        .optional(),
    })
    .default({ agentTransitions: [] }),
  agentEnvironmentSafeguards: z
    .strictObject({ toolInteraction: rules, llmInteraction: rules, userInteraction: rules })
    .default({ toolInteraction: [], llmInteraction: [], userInteraction: [] }),
});
type RuleForm = z.infer<typeof ruleForm>;

type RuleKind = "agentTransitions" | "toolInteraction" | "llmInteraction" | "userInteraction";

/** Reads a policy in camelCase or in AG2's snake_case. Throws `invalid_definition` with one issue for each fault. */
export function readSafeguardPolicy(
  input: unknown,
  surroundings: SafeguardSurroundings,
): SafeguardPolicy {
  if (isTooDeep(input))
    throw invalid([{ path: "", message: "expected at most 64 levels of nesting, got more" }]);
  const form = camelFields(input);
  const parsed = policyForm.safeParse(form);
  if (!parsed.success) throw invalid(toIssues(parsed.error, form));
  const { interAgentSafeguards: inter, agentEnvironmentSafeguards: environment } = parsed.data;
  const issues: Issue[] = [];
  const read = (kind: RuleKind, forms: readonly RuleForm[]): readonly SafeguardRule[] => {
    const group =
      kind === "agentTransitions" ? "interAgentSafeguards" : "agentEnvironmentSafeguards";
    return forms.map((each, index) => {
      const path = `/${group}/${kind}/${index}`;
      issues.push(
        ...ruleFaults(each, kind, surroundings).map(([field, message]) => ({
          path: field === "" ? path : `${path}/${field}`,
          message,
        })),
      );
      return ruleFrom(each);
    });
  };
  const group = inter.groupchatMessageCheck;
  const policy: SafeguardPolicy = {
    agentTransitions: read("agentTransitions", inter.agentTransitions),
    groupMessages:
      group === undefined
        ? undefined
        : ruleFrom({ ...group, messageSource: "*", messageDestination: "*", checkMethod: "llm" }),
    toolInteraction: read("toolInteraction", environment.toolInteraction),
    llmInteraction: read("llmInteraction", environment.llmInteraction),
    userInteraction: read("userInteraction", environment.userInteraction),
  };
  if (group !== undefined && !surroundings.hasJudge)
    issues.push({ path: "/interAgentSafeguards/groupchatMessageCheck", message: NEEDS_JUDGE });
  if (issues.length > 0) throw invalid(issues);
  return policy;
}

type Fault = readonly [field: string, message: string];

const NEEDS_JUDGE = "needs a model that judges: set safeguardLlm";

function ruleFaults(
  rule: RuleForm,
  kind: RuleKind,
  surroundings: SafeguardSurroundings,
): readonly Fault[] {
  const faults: Fault[] = [...checkFaults(rule, surroundings)];
  const hasAlias = kind === "agentTransitions" || kind === "toolInteraction";
  if (rule.violationResponse !== undefined && !hasAlias)
    faults.push(["violationResponse", "is not known here: write `action`"]);
  if (rule.action === undefined && rule.violationResponse === undefined)
    faults.push(["action", "expected block, mask or warning, got nothing"]);
  return [...faults, ...nameFaults(rule, kind, surroundings)];
}

function checkFaults(
  { checkMethod, pattern, customPrompt, disallowItem, action, violationResponse }: RuleForm,
  { hasJudge, hasMasker }: SafeguardSurroundings,
): readonly Fault[] {
  if (checkMethod === "regex") {
    try {
      textPattern(pattern);
      return [];
    } catch (error) {
      return [["pattern", errorMessage(error)]];
    }
  }
  const hasWords = customPrompt !== undefined || (disallowItem?.length ?? 0) > 0;
  const masks = (action ?? violationResponse) === "mask";
  return [
    ...(hasWords ? [] : [["", "expected customPrompt or disallowItem, got neither"] as const]),
    ...(hasJudge ? [] : [["checkMethod", NEEDS_JUDGE] as const]),
    ...(masks && !hasMasker
      ? [["action", "needs a model that masks: set maskLlm, or block"] as const]
      : []),
  ];
}

function nameFaults(
  { messageSource: source, messageDestination: destination }: RuleForm,
  kind: RuleKind,
  { agents, manager, toolsOf }: SafeguardSurroundings,
): readonly Fault[] {
  const known = [...agents, ...(manager === undefined ? [] : [manager])];
  const expected = `expected one of ${known.join(", ")}`;
  const agentFault = (field: string, name: string): readonly Fault[] =>
    known.includes(name) ? [] : [[field, `${expected}, got ${JSON.stringify(name)}`]];
  switch (kind) {
    case "agentTransitions":
      return [
        ...(source === "*" ? [] : agentFault("messageSource", source)),
        ...(destination === "*" ? [] : agentFault("messageDestination", destination)),
      ];
    case "llmInteraction": {
      if (isModel(source) !== isModel(destination))
        return isModel(source)
          ? agentFault("messageDestination", destination)
          : agentFault("messageSource", source);
      return [["", "expected `llm` on one side and an agent on the other"]];
    }
    case "userInteraction":
      return source === "user"
        ? agentFault("messageDestination", destination)
        : [["messageSource", `expected "user", got ${JSON.stringify(source)}`]];
    default: {
      if ([source, destination].some((name) => name === "*" || name === "user")) return [];
      const [agent, tool] = known.includes(source) ? [source, destination] : [destination, source];
      if (!known.includes(agent))
        return [["", `expected an agent on one side (${known.join(", ")}), got neither`]];
      return toolsOf(agent).includes(tool)
        ? []
        : [
            [
              "",
              `expected a tool of "${agent}" (${toolsOf(agent).join(", ") || "none"}), got "${tool}"`,
            ],
          ];
    }
  }
}

/** True if a side of a rule is the model. */
export function isModel(name: string): boolean {
  return name.toLowerCase() === "llm";
}

function ruleFrom(form: RuleForm): SafeguardRule {
  const { pattern = "", customPrompt, disallowItem = [], activationMessage } = form;
  return {
    source: form.messageSource,
    destination: form.messageDestination,
    check:
      form.checkMethod === "regex"
        ? { kind: "regex", pattern }
        : {
            kind: "llm",
            disallowItems: disallowItem,
            ...(customPrompt === undefined ? {} : { customPrompt }),
          },
    action: form.action ?? form.violationResponse ?? "block",
    ...(activationMessage === undefined ? {} : { activationMessage }),
  };
}

function camelFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelFields);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [camelCase(key), camelFields(each)]),
  );
}

function invalid(issues: readonly Issue[]): EngineError {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  return new EngineError(
    "invalid_definition",
    `the safeguard policy cannot be used: ${first?.path ?? ""} ${first?.message ?? ""}${more}`,
    { issues: issues.slice(0, MAX_ISSUES) },
  );
}
