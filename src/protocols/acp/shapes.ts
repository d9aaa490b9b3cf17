// Schemas of bodies and answers, for the API document. Handlers check bodies themselves, in the order that the protocol has.
import * as z from "zod";
import type { RunSchemas } from "../../parts/part.ts";

const texts = z.record(z.string(), z.string());
const message = z.object({
  role: z.enum(["user", "agent"]),
  parts: z.array(z.object({ type: z.literal("text"), text: z.string() })),
  metadata: texts.optional(),
});

/** Bodies by name. */
export const acpBodies = {
  AcpContext: z.object({
    type: z.string(),
    content: z.string(),
    metadata: texts.optional(),
    priority: z.enum(["low", "medium", "high"]).optional(),
  }),
  AcpDelegation: z.object({
    tool: z.string(),
    args: z.record(z.string(), z.unknown()),
    timeout: z.number().optional().describe("Milliseconds"),
  }),
  AcpSend: z.object({
    agentId: z.string(),
    message,
    sessionId: z.string().optional(),
    metadata: texts.optional(),
    resumeSessionId: z.string().optional(),
    fireAndForget: z.boolean().optional(),
  }),
  AcpRequest: z.object({
    agentId: z.string(),
    taskId: z.string(),
    message,
    metadata: texts.optional(),
  }),
  AcpYield: z.object({
    reason: z.string(),
    state: z.unknown().optional(),
    resumeHint: z.string().optional(),
  }),
  AcpResume: z.object({ message: message.optional(), state: z.unknown().optional() }),
  AcpNewSession: z.object({ name: z.string(), repoScope: z.string().optional() }),
  AcpTaskFor: z.object({
    agent: z.string().optional(),
    skill: z.string().optional(),
    message: z.union([z.string(), z.object({ parts: z.array(z.unknown()) })]),
  }),
  AcpRegistration: z.object({
    name: z.string(),
    url: z.string(),
    card: z.object({ skills: z.array(z.unknown()) }),
  }),
};

/** What runs that call a tool take and give. */
export function delegationSchemas(): RunSchemas {
  return {
    input: z.strictObject({ tool: z.string(), args: z.unknown() }),
    output: z.unknown().describe("What the tool returned"),
  };
}

/** What runs that work elsewhere take and give. */
export function remoteSchemas(): RunSchemas {
  return {
    input: z.strictObject({ agent: z.string(), url: z.string(), message: z.string() }),
    output: z.strictObject({ artifacts: z.array(z.unknown()), text: z.string() }),
  };
}

/** Answers by name, created with the API document. */
export function acpShapes(): Readonly<Record<string, z.ZodType>> {
  const state = z.object({
    status: z.enum(["submitted", "working", "input-required", "completed", "failed", "canceled"]),
    message: z.string().optional(),
    timestamp: z.number(),
  });
  const task = {
    id: z.string(),
    status: state,
    result: z.string(),
    artifacts: z.array(z.object({ name: z.string(), parts: z.array(z.unknown()) })),
  };
  return {
    AcpTask: z.object({
      ...task,
      sessionId: z.string().optional(),
      history: z.array(state).optional(),
    }),
    AcpAnswer: z.record(z.string(), z.unknown()),
    AcpCard: z.object({ name: z.string(), url: z.string(), skills: z.array(z.unknown()) }).loose(),
    AcpError: z.object({
      error: z.string().optional(),
      code: z.string().optional(),
      message: z.string().optional(),
      status: z.number().optional(),
      requestId: z.string().optional(),
    }),
  };
}
