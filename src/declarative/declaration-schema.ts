// Fields of a declaration, with camelCase names and their meaning. The loader checks with these tables, and the guide
// for authors is generated from them.
import * as z from "zod";
import { conditionSchema } from "./condition-schema.ts";

const FLOW_SCHEMA = "crewai.flow/v1";
/** Names of methods and of steps. */
export const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

const jsonObject = z.record(z.string(), z.json());
const reference = z.string().min(1);
const count = z.int().min(1);
const expression = z.string().min(1);

const templates = jsonObject.describe(
  "Arguments by name. Texts may contain `${expressions}`: a text that is one expression keeps the type of its value",
);

const codeAction = z.strictObject({
  call: z.literal("code"),
  ref: reference.describe(
    "A registered function: its name, or an import reference that ends in its name. Called with the arguments and the flow (`state`, `value`, `outputs`, `step`, `ask`, `sleep`)",
  ),
  with: templates.optional(),
});

const toolAction = z.strictObject({
  call: z.literal("tool"),
  ref: reference.describe("A registered tool: its name, or an import reference that ends in"),
  with: templates.optional(),
});

const crewAction = z.strictObject({
  call: z.literal("crew"),
  fromDeclaration: reference
    .optional()
    .describe("A crew of the app by its name, or a crew file within the folder of the flow"),
  with: jsonObject
    .optional()
    .describe("The crew itself: `agents`, `tasks` and other fields of a crew file"),
  inputs: templates.optional().describe("Inputs of the crew, over those of its definition"),
});

const agentAction = z.strictObject({
  call: z.literal("agent"),
  with: z
    .looseObject({
      role: z.string().min(1),
      goal: z.string(),
      backstory: z.string(),
      input: z.string().min(1).describe("Message to the agent: a text with `${expressions}`"),
    })
    .describe("The agent itself, as in a crew file, and its `input`"),
});

const expressionAction = z.strictObject({
  call: z.literal("expression"),
  expr: expression.describe("CEL; its value is the result"),
});

/** Accepted by the schema only to refuse it with advice. */
const scriptAction = z.strictObject({
  call: z.literal("script"),
  code: z.string(),
  language: z.literal("python").optional(),
});

export const atomicActions = [
  codeAction,
  toolAction,
  crewAction,
  agentAction,
  expressionAction,
  scriptAction,
] as const;

export const eachStep = z.strictObject({
  name: z
    .string()
    .regex(NAME)
    .describe("Unique within the list; its result is `outputs.<name>` for the steps after it"),
  if: expression.optional().describe("CEL that gives true or false; the step is left out on false"),
  action: z
    .discriminatedUnion("call", atomicActions)
    .describe("Any action but another `each`; its expressions see `item` too"),
});

export const eachAction = z.strictObject({
  call: z.literal("each"),
  in: expression.describe("CEL that gives a list"),
  do: z
    .array(eachStep)
    .min(1)
    .describe(
      "Steps, done in order for each item. The result is the list of each item's last result, or null",
    ),
});

export const actionSchema = z.discriminatedUnion("call", [...atomicActions, eachAction]);

const defaults = jsonObject.describe("Initial fields of the state, before inputs");

export const stateSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("dict"), default: defaults.optional() }),
  z.strictObject({
    type: z.literal("json_schema"),
    jsonSchema: jsonObject.describe("Schema of the state; inputs are checked against it"),
    default: defaults.optional(),
  }),
  z.strictObject({
    type: z.literal("pydantic"),
    ref: reference
      .optional()
      .describe("A registered schema: its name, or an import reference that ends in"),
    jsonSchema: jsonObject.optional().describe("Used if no such schema is registered"),
    default: defaults.optional(),
  }),
  z.strictObject({
    type: z.literal("unknown"),
    ref: reference.optional(),
    default: defaults.optional(),
  }),
]);

export const configSchema = z.strictObject({
  maxMethodCalls: count
    .optional()
    .describe("Maximum runs of one method in one execution. Default 100"),
  suppressFlowEvents: z.boolean().optional().describe("Leaves out the events of methods"),
});

export const feedbackSchema = z.strictObject({
  message: z.string().min(1).describe("Message to the person, along with the result"),
  emit: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe("Labels that the feedback can become: the method is then a router for them"),
  llm: z
    .union([
      z.string().min(1),
      jsonObject,
      z.array(z.union([z.string().min(1), jsonObject])).min(1),
    ])
    .optional()
    .describe("The model that finds the label, when the person does not name it"),
  defaultOutcome: z.string().optional().describe("The label for no feedback; one of `emit`"),
  metadata: jsonObject.optional().describe("Stored with the feedback"),
  expiresInSeconds: count.optional().describe("Time limit for the person"),
  learn: z.boolean().optional().describe("Improves later results with people's feedback"),
  learnSource: z.string().min(1).optional().describe("Key for stored lessons"),
  learnStrict: z.boolean().optional().describe("A failure of learning fails the method"),
});

export const methodSchema = z.strictObject({
  description: z.string().optional(),
  do: actionSchema.describe("Action of the method"),
  start: z
    .union([z.literal(true), conditionSchema])
    .optional()
    .describe("true: runs when the flow starts. A condition: runs when a router gives that label"),
  listen: conditionSchema
    .optional()
    .describe("Runs when this method has ended, or a router gave this label"),
  router: z.literal(true).optional().describe("The result is a label, which wakes others"),
  emit: z.array(z.string().min(1)).optional().describe("The labels that a router can give"),
  humanFeedback: feedbackSchema.optional().describe("Asks a person to review the result"),
  persist: z.boolean().optional().describe("Saves the state after this method"),
});

export const declarationSchema = z.strictObject({
  schema: z.literal(FLOW_SCHEMA).optional(),
  name: z.string().min(1),
  description: z.string().optional(),
  state: stateSchema.optional().describe("State shared by the methods"),
  config: configSchema.optional(),
  persist: z.boolean().optional().describe("Saves the state after every method"),
  conversational: z
    .union([z.boolean(), jsonObject])
    .optional()
    .describe("It takes the turns of a conversation: true, or the settings of one"),
  methods: z
    .record(z.string(), methodSchema)
    .describe("By name: letters, digits and underscores. No method listens to its own name"),
  /** JSON pointers of fields without a meaning here. Set by the reader of the declaration. */
  ignored: z.array(z.string()).optional(),
});

/** A flow as data, in the form `crewai.flow/v1`. */
export type FlowDeclaration = z.infer<typeof declarationSchema>;
export type ActionDeclaration = z.infer<typeof actionSchema>;
export type EachDeclaration = Extract<ActionDeclaration, { readonly call: "each" }>;
export type AtomicDeclaration = Exclude<ActionDeclaration, EachDeclaration>;
export type StateDeclaration = z.infer<typeof stateSchema>;

/** Fields of CrewAI's files without an effect: they are accepted and reported. */
export const IGNORED = {
  config: new Set([
    "checkpoint",
    "deferTraceFinalization",
    "inputProvider",
    "memory",
    "stream",
    "tracing",
  ]),
  humanFeedback: new Set(["provider"]),
} as const satisfies Record<string, ReadonlySet<string>>;
