// Shapes of answers about flows. Tests check real answers against them.
import * as z from "zod";
import { errorRecord, runStatus, time, objectOf, typed } from "../../parts/shapes.ts";
import { shape, shapeOf, type ViewOf } from "../../parts/shape.ts";
import type { SessionView } from "../conversational/conversation.ts";
import type { MethodDefinition } from "../flow-definition.ts";
import type {
  ConversationMessage,
  ConversationEvent,
} from "../conversational/conversation-state.ts";

/** A public message of a conversation. */
export const conversationMessage = () =>
  z.looseObject({
    role: z.enum(["user", "assistant"]),
    content: z.string(),
    name: z.string().optional().describe("The agent that said it"),
    metadata: z.record(z.string(), z.unknown()),
  });

const jsonObject = () => z.record(z.string(), z.unknown());

const flow = () => ({
  name: z.string(),
  source: z.enum(["code", "stored"]),
  description: z.string().optional(),
  conversational: z.literal(true).optional().describe("It takes turns of conversations"),
  methods: z
    .record(z.string(), objectOf<MethodDefinition>())
    .describe("By name: what wakes each, and what it is"),
  error: errorRecord().optional().describe("Why a stored flow cannot run any more"),
});

const state = () => ({
  flowId: z.string(),
  method: z.string(),
  runId: z.string(),
  key: z.string(),
  createdAt: time(),
});

export const flowShape = shape("Flow", () => z.strictObject(flow()));

export const flowDetailsShape = shape("FlowDetails", () =>
  z.strictObject({
    ...flow(),
    definition: objectOf().optional().describe("What was stored"),
    version: z.number().optional().describe("Of a stored flow"),
    inputSchema: objectOf().optional().describe("JSON Schema of the inputs"),
  }),
);

/** A flow in the HTTP API. */
export type FlowView = ViewOf<typeof flowShape>;
/** `FlowView` with the stored definition. */
export type FlowDetails = ViewOf<typeof flowDetailsShape>;

export const sessionShape = shapeOf<SessionView>()("Session", () =>
  z.strictObject({
    id: z.string(),
    flow: z.string(),
    turns: z.number().describe("Turns so far"),
    ended: z.boolean().describe("Whether the latest turn ended the conversation"),
    lastIntent: z.string().optional().describe("The route of the latest turn"),
    messages: z.array(typed<ConversationMessage>(conversationMessage())),
    firstMessage: z.number().describe("Number of the first message that is kept, from 0"),
    events: z.array(
      typed<ConversationEvent>(
        z.strictObject({
          type: z.string(),
          payload: jsonObject(),
          agentName: z.string().optional(),
          visibility: z.literal("public"),
        }),
      ),
    ),
    state: jsonObject(),
    runId: z.string().optional().describe("The run of the turn that is under way"),
  }),
);

export const sessionSummaryShape = shape("SessionSummary", () =>
  z.strictObject({
    id: z.string(),
    turns: z.number().describe("Turns so far"),
    ended: z.boolean().describe("Whether the latest turn ended the conversation"),
    begunAt: time(),
    lastAt: time().describe("When the newest turn ended"),
    opening: z.string().optional().describe("What was said first, up to 80 characters"),
  }),
);

export const flowStateShape = shape("FlowState", () =>
  z.strictObject({ ...state(), state: jsonObject() }),
);

export const flowStateSummaryShape = shape("FlowStateSummary", () =>
  z.strictObject({ ...state(), seq: z.number(), bytes: z.number() }),
);

export const flowPlotShape = shape("FlowPlot", () =>
  z.looseObject({
    name: z.string(),
    nodes: z.record(z.string(), jsonObject()).describe("The methods, by name"),
    edges: z.array(
      z.looseObject({
        source: z.string(),
        target: z.string(),
        conditionType: z.enum(["AND", "OR"]).nullable().describe("Null where a label leads on"),
        isRouterEvent: z.boolean(),
        routerEvent: z.string().optional(),
      }),
    ),
    startMethods: z.array(z.string()),
    routerMethods: z.array(z.string()),
    executionPaths: z.number(),
    warnings: z.array(z.string()),
    run: z
      .looseObject({
        id: z.string(),
        status: runStatus(),
        methods: z.record(z.string(), jsonObject()),
      })
      .optional()
      .describe("Of a run: how far each method is"),
  }),
);
