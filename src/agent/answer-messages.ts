// Answer of an agent outside a crew, from its work to its record.
import { workerModel } from "./worker-model.ts";
import { textOfContent } from "../llm/content.ts";
import type { Message } from "../llm/language-model.ts";
import { isJsonObject, type JsonValue } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import { activeHooks } from "../hooks/dispatch.ts";
import { agentModel } from "../hooks/scripted-agents.ts";
import { callerInstructions } from "../model-calls/caller-instructions.ts";
import { callerStreams } from "../model-calls/caller-stream.ts";
import { RateLimiter } from "../model-calls/rate-limiter.ts";
import { UsageMeter } from "../model-calls/usage-meter.ts";
import { WorkCounters } from "./work-counters.ts";
import { failuresField, ToolFailureLog } from "../tools/tool-failure.ts";
import { callerTools } from "../tools/caller-tools.ts";
import { mergeTools } from "../tools/merge-tools.ts";
import type { Tool } from "../tools/tool.ts";
import type { AgentMessage } from "./agent-messages.ts";
import { changedWork, type AgentIdentity, type AgentWork } from "./agent-work.ts";
import type { AgentDescription } from "./description/agent-description.ts";
import type { AgentSources } from "./description/agent-sources.ts";
import { CallerRequest } from "./loop/caller-request.ts";
import { executeAgent } from "./loop/execute-agent.ts";
import { runGuardrails } from "./loop/run-guardrails.ts";
import { mendingWork } from "./loop/mending-work.ts";
import { closed, demanding, type OpenAnswer } from "./loop/open-answer.ts";
import { dataIn, outputShape, toStructured, type OutputShape } from "./loop/structured-output.ts";
import { fileTextsOf, fill, mergePrompts } from "./prompts/prompts.ts";
import type { AgentRunOptions } from "./agent-output.ts";
import type { AgentOutput, AgentRecord } from "./agent-output.ts";

/** A longer conversation is left out of the output, so the output cannot fail because of its size. */
const MAX_MESSAGES_LENGTH = 1024 * 1024;

/** Question to an agent and the means to answer it. */
export type AnswerRequest = AgentRunOptions & {
  readonly identity: AgentIdentity;
  /** The last message is the user's. */
  readonly said: readonly AgentMessage[];
  /** Memory, knowledge and remote tools. The caller opens them and also saves. @default none */
  readonly sources?: AgentSources | undefined;
  /** Tools in addition to the agent's own. @default [] */
  readonly moreTools?: readonly Tool[];
  /** Search text for memory and knowledge. @default "" */
  readonly query?: string;
  /** Shared with other work of the agent. @default a separate one */
  readonly limiter?: RateLimiter | undefined;
};

/** Lets an agent answer inside a larger run, without the hooks and events of an agent run. */
export function answerMessages(
  place: RunScope,
  agent: AgentDescription,
  about: AnswerRequest,
): Promise<AgentRecord> {
  return answerWith(place, newWork(place, agent, about), about);
}

/** Lets an agent answer from work of `newWork`. */
export async function answerWith(
  place: RunScope,
  work: AgentWork,
  { said, sources, query = "", responseFormat }: AnswerRequest,
): Promise<AgentRecord> {
  const shape = responseFormat === undefined ? undefined : outputShape(responseFormat);
  const informed = sources === undefined ? work : await sources.informed(place, work, { query });
  const first = await answerOf(place, informed, shape);
  const answer =
    work.agent.guardrails.length === 0
      ? first
      : await guarded(place, first, { work: informed, said, shape });
  return recordOf((await withObject(answer, { work: informed, shape })).record, informed);
}

/** Creates the work of an agent outside a crew. */
export function newWork(place: RunScope, agent: AgentDescription, about: AnswerRequest): AgentWork {
  const { identity, said, responseFormat, budget = {}, limiter, moreTools = [], settings } = about;
  const prompts = mergePrompts(agent.prompts);
  const shape = responseFormat === undefined ? undefined : outputShape(responseFormat);
  const last = said.at(-1)?.content ?? "";
  const asked = textOfContent(last);
  return {
    agent,
    identity,
    model: agentModel(place, [identity.role, agent.role], workerModel(place, agent.llm)),
    prompts,
    fileTexts: fileTextsOf(prompts),
    prompt:
      shape === undefined
        ? asked
        : `${asked}\n${fill(prompts.slices.formattedTaskInstructions, { output_format: JSON.stringify(shape.schema, null, 2) })}`,
    attachments: typeof last === "string" ? [] : last.filter(({ type }) => type !== "text"),
    history: [...callerInstructions(place.services), ...said.slice(0, -1)],
    hooks: activeHooks(place, agent.hooks, { agentRole: identity.role, roles: [agent.role] }),
    toolFailurePolicy: agent.toolFailurePolicy,
    failures: new ToolFailureLog(),
    counters: new WorkCounters(),
    tools: mergeTools(agent.tools, moreTools),
    answerSchema: shape?.schema,
    limiter: limiter ?? (agent.maxRpm === undefined ? undefined : new RateLimiter(agent.maxRpm)),
    deadlineAtMs:
      agent.maxExecutionTime === undefined
        ? undefined
        : place.now() + agent.maxExecutionTime * 1000,
    budget,
    stream: agent.stream ?? callerStreams(place.services),
    caller:
      settings &&
      new CallerRequest(settings, {
        tools: callerTools(place.services).map(({ safeName }) => safeName),
      }),
    meter: new UsageMeter(),
    stepCallback: agent.stepCallback,
    security: {
      get agentFingerprint() {
        return agent.fingerprint;
      },
    },
    notes: {},
    toolUses: new Map(),
    mail: "turn",
  };
}

/** An answer, with its object if a shape is set. */
type AgentAnswer = { readonly raw: string; readonly object?: JsonValue };
type OpenAgentAnswer = OpenAnswer<AgentAnswer>;

async function answerOf(
  place: RunScope,
  work: AgentWork,
  shape: OutputShape | undefined,
): Promise<OpenAgentAnswer> {
  const raw = await executeAgent(place, work);
  return openAnswer(place, raw, isCutByCaller(work) ? undefined : shape);
}

/** True if the caller's own length limit cut the answer (WI4), so it holds no data. */
function isCutByCaller({ caller, counters }: AgentWork): boolean {
  return caller?.keepsCut === true && counters?.finishReason === "length";
}

/** Builds the answer for guardrails: with its object, or with a place for the later conversion. */
function openAnswer(place: RunScope, raw: string, shape: OutputShape | undefined): OpenAgentAnswer {
  if (shape === undefined) return { raw, record: { raw } };
  const object = dataIn(raw, shape);
  return object === undefined
    ? { raw, record: { raw }, openAt: place }
    : { raw, record: { raw, object } };
}

function withObject(
  answer: OpenAgentAnswer,
  { work, shape }: { work: AgentWork; shape: OutputShape | undefined },
): Promise<OpenAgentAnswer> {
  return closed(answer, async (place, raw) => {
    if (shape === undefined) return { raw };
    const converter = conversionWork(place, work);
    return { raw, object: await toStructured(place, raw, { shape, work: converter }) };
  });
}

function recordOf(answer: AgentAnswer, work: AgentWork): AgentRecord {
  const { identity, meter, notes = {}, failures, counters } = work;
  const { messages = [], replanCount = 0, ...planned } = notes;
  const length = messages.reduce((sum, { content }) => sum + lengthOf(content), 0);
  return {
    ...answer,
    agentRole: identity.role,
    usage: meter.total,
    ...counters?.finish,
    ...(messages.length === 0 || length > MAX_MESSAGES_LENGTH ? undefined : { messages }),
    ...planned,
    replanCount,
    ...counters?.accounts.fields,
    ...failuresField(failures?.records ?? []),
  };
}

function lengthOf(content: Message["content"]): number {
  return typeof content === "string" ? content.length : JSON.stringify(content).length;
}

/**
 * Runs the agent's guardrails. After a refusal the conversation continues with the refused answer as the agent's
 * message and the reason as the user's.
 */
function guarded(
  scope: RunScope,
  first: OpenAgentAnswer,
  about: { work: AgentWork; said: readonly AgentMessage[]; shape: OutputShape | undefined },
): Promise<OpenAgentAnswer> {
  const { work, said, shape } = about;
  const { agent, identity } = work;
  return runGuardrails<OpenAgentAnswer, AgentOutput>(scope, first, {
    run: {
      guardrails: agent.guardrails,
      maxRetries: agent.guardrailMaxRetries,
      owner: `agent "${identity.role}"`,
      reference: said.map(({ content }) => textOfContent(content)).join("\n\n"),
      caller: work,
    },
    effects: {
      shown: ({ record: answer, openAt }, demand) => {
        const record = recordOf(answer, work);
        if (openAt !== undefined) return demanding(record, demand);
        if (shape === undefined || answer.object === undefined) return record;
        const read = shape.read(answer.object);
        return "value" in read ? { ...record, object: read.value } : record;
      },
      converted: (answer) => withObject(answer, { work, shape }),
      replaced: async (place, answer, value) => {
        const { raw, record } = answer;
        const text = isJsonObject(value) ? value["raw"] : value;
        if (typeof text === "string") return text === raw ? answer : openAnswer(place, text, shape);
        const fits = shape !== undefined && !("issues" in shape.read(value));
        return fits ? { raw, record: { ...record, object: value } } : answer;
      },
      again: (place, { error, output }) => {
        const refused = { role: "assistant", content: output.raw } as const;
        const history = [...callerInstructions(scope.services), ...said, refused];
        const { prompt, goesOn } = mendingWork(changedWork(work, { prompt: "" }), {
          error,
          raw: output.raw,
        });
        const mending = { history, prompt: prompt.trimStart(), goesOn, attachments: [] };
        return answerOf(place, changedWork(work, mending), shape);
      },
    },
  });
}

/** Returns the same work with the agent's `functionCallingLlm`, if it has one. */
export function conversionWork(scope: RunScope, work: AgentWork): AgentWork {
  const { conversionLlm: functionCallingLlm = work.agent.functionCallingLlm } = work;
  return functionCallingLlm === undefined
    ? work
    : changedWork(work, { model: scope.model(functionCallingLlm) });
}
