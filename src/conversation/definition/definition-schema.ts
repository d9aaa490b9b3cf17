// Schema of a conversation defined as data, with camelCase names.
import * as z from "zod";
import {
  agentDefinition as agentOfCrews,
  toolEntry,
} from "../../crew/definition/definition-schema.ts";
import { modelSpecSchema as modelSpec } from "../../llm/model-spec-schema.ts";
import { FIELDS_OF_CREWS } from "../agents/shared-fields.ts";
import { exchangeFields } from "./exchange-schema.ts";
import { graphSchema } from "./graph-schema.ts";

const name = z.string().min(1);
const count = z.int().min(1);

const KINDS = ["random", "manager", "nested", "conversation"] as const;

/**
 * An agent, a word (`stay`, `terminate`, `revert_to_user`, `ask_user`, `manager`), or an object of one of the other
 * kinds.
 */
const targetSchema = z.union([
  name,
  z
    .strictObject({
      random: z.array(name).min(1).optional(),
      /** Prompt of the model, with `{agentlist}`. */
      manager: name.optional(),
      nested: z
        .array(
          z.strictObject({
            recipient: name,
            sender: name.optional(),
            message: z.string().optional(),
            maxTurns: count.optional(),
            summaryMethod: z.enum(["last_msg", "reflection_with_llm"]).optional(),
          }),
        )
        .min(1)
        .optional(),
      /** Name of another conversation. */
      conversation: name.optional(),
      /** Limit of the nested conversation. */
      maxRounds: count.optional(),
    })
    .refine(
      (target) => KINDS.filter((kind) => target[kind] !== undefined).length === 1,
      `expected one of ${KINDS.join(", ")}`,
    ),
]);

const handoff = z.strictObject({
  to: targetSchema,
  /** Condition over the context, without a model: an expression, or the name of a variable. */
  when: name.optional(),
  /** Condition in words, for the model. */
  prompt: name.optional(),
  /** Condition of its availability, as `when`. */
  available: name.optional(),
  /** Name of the tool that the model sees. */
  toolName: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,64}$/)
    .optional(),
});

const guardrail = z.strictObject({
  name,
  regex: name.optional(),
  /** Condition in words, judged by a model. */
  prompt: name.optional(),
  /** Judging model in place of the agent's. */
  llm: modelSpec.optional(),
  to: targetSchema,
  activationMessage: z.string().optional(),
});

const inputGuardrail = guardrail.extend({
  /** Scope of the check: messages since the agent's last one, or all. @default new */
  messages: z.enum(["new", "all"]).optional(),
});

/** An exact text of a message, or a substring. */
const terminationText = z.union([name, z.strictObject({ contains: name })]);

/** Fields shared with crew agents. */
const shared = agentOfCrews.pick(FIELDS_OF_CREWS).shape;

/** Names of those fields. All of them concern an agent's model and its resources. */
export const SHARED_FIELDS = Object.keys(shared) as readonly (keyof typeof shared)[];

const agentDefinition = z.strictObject({
  /** Name of the app's agent behind this member. */
  agent: name.optional(),
  systemMessage: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
  description: z.string().optional(),
  llm: z.union([modelSpec, z.literal(false)]).optional(),
  /** Names in the registry or the catalogue, with options. */
  tools: z.array(toolEntry).optional(),
  handoffs: z.array(handoff).optional(),
  afterWork: z
    .union([targetSchema, z.array(handoff.omit({ prompt: true, toolName: true })).min(1)])
    .optional(),
  /** Set for a person, asked at each turn of this agent. */
  human: z.boolean().optional(),
  humanInputMode: z.enum(["ALWAYS", "TERMINATE", "NEVER"]).optional(),
  /** Seconds. */
  humanInputTimeout: count.optional(),
  /** Answer that counts after the timeout. */
  humanInputDefault: z.string().optional(),
  maxConsecutiveAutoReply: z.int().min(0).optional(),
  /** Code execution of received messages: its settings, or false. */
  codeExecution: z
    .union([
      z.literal(false),
      z.strictObject({
        lastNMessages: z.union([z.literal("auto"), z.int().min(0)]).optional(),
        timeoutMs: z.number().min(1_000).max(600_000).optional(),
        workDir: z.string().optional(),
      }),
    ])
    .optional(),
  /** Reply if no other link of the chain answers. */
  defaultAutoReply: z.string().optional(),
  /** Message that it does not answer, or passes to its person. @default TERMINATE */
  terminationText: terminationText.optional(),
  /** A JSON Schema, or the name of a shape in the registry. */
  responseFormat: z.union([name, z.record(z.string(), z.json())]).optional(),
  inputGuardrails: z.array(inputGuardrail).optional(),
  outputGuardrails: z.array(guardrail).optional(),
  ...shared,
});

const patternKind = z.enum(["default", "auto", "round_robin", "random", "manual"]);

/** A conversation in camelCase. Values of context variables are checked separately. */
export const conversationSchema = z.strictObject({
  name: name.optional(),
  description: z.string().optional(),
  agents: z.record(z.string(), agentDefinition),
  pattern: z
    .strictObject({
      kind: patternKind,
      initialAgent: name.optional(),
      userAgent: name.optional(),
      groupAfterWork: targetSchema.optional(),
      selectionMessage: z.string().optional(),
      llm: modelSpec.optional(),
      excludeTransitMessage: z.boolean().optional(),
    })
    .optional(),
  graph: graphSchema.optional(),
  ...exchangeFields,
  contextVariables: z.unknown().optional(),
  /** Treatment of an unset variable in an expression. @default error */
  missingVariables: z.enum(["error", "false"]).optional(),
  maxRounds: count.max(10_000).optional(),
  /** Message that ends the conversation. @default TERMINATE */
  terminationText: terminationText.optional(),
  summaryMethod: z.enum(["last_msg", "reflection_with_llm"]).optional(),
  summaryPrompt: z.string().optional(),
  sendIntroductions: z.boolean().optional(),
  safeguardPolicy: z.record(z.string(), z.json()).optional(),
  /** Judging model of the policy. */
  safeguardLlm: modelSpec.optional(),
  /** Masking model of the policy. */
  maskLlm: modelSpec.optional(),
  compat: z.literal("ag2-0.14").optional(),
});

/** A target as data. */
export type TargetDefinition = z.infer<typeof targetSchema>;
/** A hand-over as data: by context (`when`), by the model (`prompt`), or always. */
export type HandoffDefinition = z.infer<typeof handoff>;
/** A guardrail as data. */
export type GuardrailDefinition = z.infer<typeof inputGuardrail>;
/** Termination text as data. */
export type TerminationDefinition = z.infer<typeof terminationText>;
/** A member of a conversation as data. */
export type ConversationAgentDefinition = z.infer<typeof agentDefinition>;
/** A parsed conversation, before the check of its context variables. */
export type ConversationForm = z.infer<typeof conversationSchema>;
