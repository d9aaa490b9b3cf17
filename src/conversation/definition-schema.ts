// The form of a conversation that is data, once its names are camelCase.
import * as z from "zod";
import { modelSpecSchema as modelSpec } from "../llm/model-spec-schema.ts";
import { graphSchema } from "./graph-schema.ts";

const name = z.string().min(1);
const count = z.int().min(1);

const KINDS = ["random", "manager", "nested", "conversation"] as const;

/** An agent, a word (`stay`, `terminate`, `revert_to_user`, `ask_user`, `manager`), or one of the others. */
const targetSchema = z.union([
  name,
  z
    .strictObject({
      random: z.array(name).min(1).optional(),
      /** What the model is asked, with `{agentlist}`. */
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
      /** Another conversation, by its name. */
      conversation: name.optional(),
      /** Of that conversation. */
      maxRounds: count.optional(),
    })
    .refine(
      (target) => KINDS.filter((kind) => target[kind] !== undefined).length === 1,
      `expected one of ${KINDS.join(", ")}`,
    ),
]);

const handoff = z.strictObject({
  to: targetSchema,
  /** By context, without a model: an expression, or the name of a variable. */
  when: name.optional(),
  /** By the model: when, in words. */
  prompt: name.optional(),
  /** Whether it is there at all: as `when`. */
  available: name.optional(),
  /** Of the tool that the model sees. */
  toolName: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,64}$/)
    .optional(),
});

const guardrail = z.strictObject({
  name,
  regex: name.optional(),
  /** A condition in words, which a model judges. */
  prompt: name.optional(),
  to: targetSchema,
  activationMessage: z.string().optional(),
});

const agentDefinition = z.strictObject({
  systemMessage: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
  description: z.string().optional(),
  llm: z.union([modelSpec, z.literal(false)]).optional(),
  /** Names of the registry. */
  tools: z.array(name).optional(),
  handoffs: z.array(handoff).optional(),
  afterWork: z
    .union([targetSchema, z.array(handoff.omit({ prompt: true, toolName: true })).min(1)])
    .optional(),
  /** A person, who is asked whenever it is this agent's turn. */
  human: z.boolean().optional(),
  humanInputMode: z.enum(["ALWAYS", "TERMINATE", "NEVER"]).optional(),
  maxConsecutiveAutoReply: z.int().min(0).optional(),
  inputGuardrails: z.array(guardrail).optional(),
  outputGuardrails: z.array(guardrail).optional(),
});

const patternKind = z.enum(["default", "auto", "round_robin", "random", "manual"]);

/** A conversation in camelCase. Values of context variables are checked apart. */
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
  contextVariables: z.unknown().optional(),
  /** What an expression does with a variable that is not set. @default error */
  missingVariables: z.enum(["error", "false"]).optional(),
  maxRounds: count.max(10_000).optional(),
  summaryMethod: z.enum(["last_msg", "reflection_with_llm"]).optional(),
  summaryPrompt: z.string().optional(),
  sendIntroductions: z.boolean().optional(),
  safeguardPolicy: z.record(z.string(), z.json()).optional(),
  /** Judges for the policy. */
  safeguardLlm: modelSpec.optional(),
  /** Masks for the policy. */
  maskLlm: modelSpec.optional(),
  compat: z.literal("ag2-0.14").optional(),
});

/** A target as data. */
export type TargetDefinition = z.infer<typeof targetSchema>;
/** A hand-over as data: by context (`when`), by the model (`prompt`), or always. */
export type HandoffDefinition = z.infer<typeof handoff>;
/** A guardrail as data. */
export type GuardrailDefinition = z.infer<typeof guardrail>;
/** A member of a conversation as data. */
export type ConversationAgentDefinition = z.infer<typeof agentDefinition>;
/** A conversation in the form that was read, before its context variables are checked. */
export type ConversationForm = z.infer<typeof conversationSchema>;
