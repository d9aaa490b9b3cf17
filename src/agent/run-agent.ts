// An agent that runs on its own: without a crew or a task, in a conversation that ends with the request.
//
//   RA1. Messages keep their roles. The last one is the user's, and is what the agent is asked.
//   RA2. Inputs fill the placeholders of the agent's texts, where each is needed, and of the messages, where braces that
//        name no input are ordinary text.
//   RA3. `execution_start` and `input` see the request before the run emits an event; `output` and
//        `execution_end` what it gives.
import { cut, MAX_EVENT_TEXT } from "../base/cut.ts";
import type * as z from "zod";
import { errorMessage } from "../base/error.ts";
import { interpolate } from "../base/interpolate.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";
import type { RunScope } from "../events/run-scope.ts";
import { activeHooks } from "../hooks/dispatch.ts";
import { ExecutionHooks } from "../hooks/execution-hooks.ts";
import { agentModel } from "../hooks/scripted-agents.ts";
import { textOfContent } from "../llm/content.ts";
import type { Message } from "../llm/language-model.ts";
import { requireEnvVars } from "../tools/env-vars.ts";
import { failuresField, ToolFailureLog, type ToolFailureRecord } from "../tools/tool-failure.ts";
import type { Agent } from "./description/agent.ts";
import { openSources } from "./description/agent-sources.ts";
import { checkMessages, filled, type AgentMessage, type AgentRequest } from "./agent-messages.ts";
import { changedWork, type AgentIdentity, type AgentWork, type Todo } from "./agent-work.ts";
import { executeAgent } from "./loop/execute-agent.ts";
import { callerInstructions } from "../model-calls/caller-instructions.ts";
import { callerStreams } from "../model-calls/caller-stream.ts";
import { UsageMeter, type Budget } from "../model-calls/model-call.ts";
import { fill, mergePrompts } from "./prompts/prompts.ts";
import { RateLimiter } from "../model-calls/rate-limiter.ts";
import { runGuardrails } from "./loop/run-guardrails.ts";
import {
  outputShape,
  toStructured,
  type OutputSchema,
  type OutputShape,
} from "./loop/structured-output.ts";

export {
  checkMessages,
  readRequest,
  type AgentMessage,
  type AgentMessages,
  type AgentRequest,
} from "./agent-messages.ts";

/** What is settled in code and cannot be sent. */
export type AgentRunOptions = {
  /** The shape of the answer: a zod schema, or a JSON Schema. */
  readonly responseFormat?: OutputSchema | undefined;
  readonly budget?: Budget;
};

/** An agent's output. `object` has the type of `responseFormat`, if there is one. */
export type AgentOutput<Output = unknown> = {
  readonly raw: string;
  readonly object?: Output;
  readonly agentRole: string;
  readonly usage: Usage;
  /**
   * The conversation that led to the answer. Left out when it is longer than a million characters, and of plans, of which
   * the steps' results are kept in `todos`.
   */
  readonly messages?: readonly Message[];
  readonly plan?: string;
  readonly todos?: readonly Todo[];
  readonly replanCount: number;
  readonly lastReplanReason?: string;
  /** What tools failed at, unless a policy ignores it; absent when nothing did. */
  readonly toolFailures?: readonly ToolFailureRecord[];
};

/** An agent's output as the journal keeps it: its object not yet read by the schema. */
export type AgentRecord = Omit<AgentOutput, "object"> & { readonly object?: JsonValue };

/** The type of the `object` that a schema stands for. */
export type ResponseOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : unknown;

/** A longer conversation is left out of the output: all that the work took must not fail at being shown. */
const MAX_MESSAGES_LENGTH = 1024 * 1024;

/** Memories added to the prompt, at most. */
const MAX_RECALLED = 20;

/** Has an agent answer, with its hooks around it. At `scope` nothing else may happen. */
export async function runAgent(
  scope: RunScope,
  agent: Agent,
  request: AgentRequest & AgentRunOptions,
): Promise<AgentRecord> {
  checkMessages(request.messages);
  requireEnvVars(agent.tools, scope.services.variables);
  const active = activeHooks(scope, agent.hooks, { agentRole: agent.role });
  const hooks = new ExecutionHooks<AgentRequest, AgentRecord>(scope, active, {
    inputs: isRequest,
    output: isRecord,
  });
  return hooks.around(async () => {
    const { messages, inputs = {}, ...options } = request;
    const hooked = await hooks.input(await hooks.start({ messages, inputs }));
    return runHooked(scope, agent, { ...options, ...hooked, hooks });
  });
}

async function runHooked(
  scope: RunScope,
  agent: Agent,
  request: AgentRequest &
    AgentRunOptions & { readonly hooks: ExecutionHooks<AgentRequest, AgentRecord> },
): Promise<AgentRecord> {
  const { messages, inputs = {}, hooks, ...options } = request;
  const identity = identityOf(agent, inputs);
  const said = filled(messages, inputs);
  const agentInfo = { ...identity };
  const started = scope.open("lite_agent_execution_started", {
    agentInfo,
    tools: agent.tools.map(({ safeName }) => safeName),
    messages: said.map(({ role, content }) => ({
      role,
      content: cut(textOfContent(content), MAX_EVENT_TEXT),
    })),
  });
  try {
    const record = await answered(started, agent, { ...options, identity, said });
    const output = await hooks.end(await hooks.output(record));
    const agentOutput = cut(output.raw, MAX_EVENT_TEXT);
    scope.emit("lite_agent_execution_completed", { agentInfo, output: agentOutput });
    return output;
  } catch (error) {
    scope.emit("lite_agent_execution_error", { agentInfo, error: errorMessage(error) });
    throw error;
  }
}

async function answered(
  started: RunScope,
  agent: Agent,
  about: AgentRunOptions & {
    readonly identity: AgentIdentity;
    readonly said: readonly AgentMessage[];
  },
): Promise<AgentRecord> {
  const { identity, said, responseFormat, budget = {} } = about;
  const prompts = mergePrompts(agent.prompts);
  const shape = responseFormat === undefined ? undefined : outputShape(responseFormat);
  const last = said.at(-1)?.content ?? "";
  const asked = textOfContent(last);
  const work: AgentWork = {
    agent,
    identity,
    model: agentModel(started, [identity.role, agent.role], started.model(agent.llm)),
    prompts,
    prompt:
      shape === undefined
        ? asked
        : `${asked}\n${fill(prompts.slices.formattedTaskInstructions, { output_format: JSON.stringify(shape.schema, null, 2) })}`,
    attachments: typeof last === "string" ? [] : last.filter(({ type }) => type !== "text"),
    history: [...callerInstructions(started.services), ...said.slice(0, -1)],
    hooks: activeHooks(started, agent.hooks, { agentRole: identity.role, roles: [agent.role] }),
    toolFailurePolicy: agent.toolFailurePolicy,
    failures: new ToolFailureLog(),
    tools: agent.tools,
    answerSchema: shape?.schema,
    limiter: agent.maxRpm === undefined ? undefined : new RateLimiter(agent.maxRpm),
    deadlineAtMs:
      agent.maxExecutionTime === undefined
        ? undefined
        : started.now() + agent.maxExecutionTime * 1000,
    budget,
    stream: agent.stream ?? callerStreams(started.services),
    meter: new UsageMeter(),
    stepCallback: agent.stepCallback,
    security: {
      get agentFingerprint() {
        return agent.fingerprint;
      },
    },
    notes: {},
    toolUses: new Map(),
  };
  const request = { agents: [agent], limit: MAX_RECALLED };
  const sources = openSources(started, request);
  const query = said.map(({ content }) => textOfContent(content)).join("\n");
  let informed = work;
  if (sources !== undefined) {
    await sources.open();
    informed = await sources.informed(started, work, query);
  }
  const answer = await answerOf(started, informed, shape);
  const output =
    agent.guardrails.length === 0
      ? answer
      : await guarded(started, answer, { work: informed, said, shape });
  if (sources !== undefined) {
    const report = { description: query, role: identity.role, output: output.raw };
    sources.save(started.at("remember"), work, report);
    await sources.drain();
  }
  return recordOf(output, informed);
}

function isRequest(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  try {
    checkMessages(value["messages"]);
    return isJsonObject(value["inputs"]);
  } catch {
    return false;
  }
}

function isRecord(value: JsonValue): boolean {
  return isJsonObject(value) && typeof value["raw"] === "string" && isJsonObject(value["usage"]);
}

/** An answer, and its object where one is wanted. */
type AgentAnswer = { readonly raw: string; readonly object?: JsonValue };

async function answerOf(
  place: RunScope,
  work: AgentWork,
  shape: OutputShape | undefined,
): Promise<AgentAnswer> {
  return withObject(place, await executeAgent(place, work), { work, shape });
}

async function withObject(
  place: RunScope,
  raw: string,
  { work, shape }: { work: AgentWork; shape: OutputShape | undefined },
): Promise<AgentAnswer> {
  if (shape === undefined) return { raw };
  const converter = conversionWork(place, work);
  return { raw, object: await toStructured(place, raw, { shape, work: converter }) };
}

function recordOf(answer: AgentAnswer, work: AgentWork): AgentRecord {
  const { identity, meter, notes = {}, failures } = work;
  const { messages = [], replanCount = 0, ...planned } = notes;
  const length = messages.reduce((sum, { content }) => sum + lengthOf(content), 0);
  return {
    ...answer,
    agentRole: identity.role,
    usage: meter.total,
    ...(messages.length === 0 || length > MAX_MESSAGES_LENGTH ? undefined : { messages }),
    ...planned,
    replanCount,
    ...failuresField(failures?.records ?? []),
  };
}

function lengthOf(content: Message["content"]): number {
  return typeof content === "string" ? content.length : JSON.stringify(content).length;
}

/**
 * Takes an answer through the agent's guardrails. One that is refused is sent back in the conversation: the refused answer
 * in the agent's own words, then why, as the user's.
 */
function guarded(
  scope: RunScope,
  first: AgentAnswer,
  about: { work: AgentWork; said: readonly AgentMessage[]; shape: OutputShape | undefined },
): Promise<AgentAnswer> {
  const { work, said, shape } = about;
  const { agent, identity, prompts } = work;
  return runGuardrails<AgentAnswer, AgentOutput>(scope, first, {
    run: {
      guardrails: agent.guardrails,
      maxRetries: agent.guardrailMaxRetries,
      owner: `agent "${identity.role}"`,
      reference: said.map(({ content }) => textOfContent(content)).join("\n\n"),
      caller: work,
    },
    effects: {
      shown: (answer) => {
        const record = recordOf(answer, work);
        if (shape === undefined || answer.object === undefined) return record;
        const read = shape.read(answer.object);
        return "value" in read ? { ...record, object: read.value } : record;
      },
      replaced: async (place, answer, value) => {
        const text = isJsonObject(value) ? value["raw"] : value;
        if (typeof text === "string")
          return text === answer.raw ? answer : withObject(place, text, { work, shape });
        const fits = shape !== undefined && !("issues" in shape.read(value));
        return fits ? { ...answer, object: value } : answer;
      },
      again: (place, { error, output }) => {
        const refused = { role: "assistant", content: output.raw } as const;
        const history = [...callerInstructions(scope.services), ...said, refused];
        const prompt = fill(prompts.errors.validationError, {
          guardrail_result_error: error,
          task_output: output.raw,
        });
        return answerOf(place, { ...work, history, prompt, attachments: [] }, shape);
      },
    },
  });
}

/** The same work with the model that turns answers into data: the agent's `functionCallingLlm`, where it has one. */
export function conversionWork(scope: RunScope, work: AgentWork): AgentWork {
  const { functionCallingLlm } = work.agent;
  return functionCallingLlm === undefined
    ? work
    : changedWork(work, { model: scope.model(functionCallingLlm) });
}

/** An output with its object as the schema's own parser gives it. */
export function typedAgentOutput(
  record: AgentRecord,
  schema: OutputSchema | undefined,
): AgentOutput {
  if (schema === undefined || record.object === undefined) return record;
  const read = outputShape(schema).read(record.object);
  return "value" in read ? { ...record, object: read.value } : record;
}

/** A run without inputs leaves the texts as they are. */
function identityOf({ role, goal, backstory }: Agent, inputs: JsonObject): AgentIdentity {
  if (Object.keys(inputs).length === 0) return { role, goal, backstory };
  const own = (text: string, field: string): string =>
    interpolate(text, inputs, `the ${field} of agent "${role}"`);
  return {
    role: own(role, "role"),
    goal: own(goal, "goal"),
    backstory: own(backstory, "backstory"),
  };
}
