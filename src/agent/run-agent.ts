// Run of an agent on its own: without a crew or a task, in a conversation that ends with the request.
//
//   RA1. Messages keep their roles. The last one is the user's question to the agent.
//   RA2. Inputs fill the placeholders of the agent's texts, all of them required, and of the messages, where braces
//        without an input's name are ordinary text.
//   RA3. `execution_start` and `input` hooks see the request before the run emits an event; `output` and
//        `execution_end` see the result.
import { cameFrom } from "../base/error-place.ts";
import { cut, MAX_EVENT_TEXT } from "../base/cut.ts";
import type * as z from "zod";
import { errorMessage } from "../base/error.ts";
import { interpolate } from "../base/interpolate.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import { activeHooks } from "../hooks/dispatch.ts";
import { ExecutionHooks } from "../hooks/execution-hooks.ts";
import { textOfContent } from "../llm/content.ts";
import { requireNeeds } from "../tools/tool-needs.ts";
import { openSources, type SourcedAgent } from "./description/agent-sources.ts";
import type { AgentIdentity } from "./agent-work.ts";
import type { AgentOutput, AgentRecord, AgentRunOptions } from "./agent-output.ts";
import { answerMessages, answerWith, newWork, type AnswerRequest } from "./answer-messages.ts";
import { checkMessages, filled, type AgentRequest } from "./agent-messages.ts";
import { partFiles } from "../files/started-files.ts";
import { saidWithFiles } from "./said-with-files.ts";
import { outputShape, type OutputSchema } from "./loop/structured-output.ts";

export {
  checkMessages,
  readRequest,
  type AgentMessage,
  type AgentMessages,
  type AgentRequest,
} from "./agent-messages.ts";

/** Type of the `object` for a schema. */
export type ResponseOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : unknown;

/** Memories added to the prompt, at most. */
const MAX_RECALLED = 20;

/** Lets an agent answer, with its hooks around it. `scope` must have no other use. */
export async function runAgent(
  scope: RunScope,
  agent: SourcedAgent,
  request: AgentRequest & AgentRunOptions,
): Promise<AgentRecord> {
  checkMessages(request.messages);
  requireNeeds(agent.tools, scope.services);
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
  agent: SourcedAgent,
  request: AgentRequest &
    AgentRunOptions & { readonly hooks: ExecutionHooks<AgentRequest, AgentRecord> },
): Promise<AgentRecord> {
  const { messages, hooks, ...options } = request;
  const { inputs, files: sources } = partFiles(request.inputs ?? {});
  const identity = identityOf(agent, inputs);
  const { said, tools } = await saidWithFiles(scope, agent, {
    said: filled(messages, inputs),
    sources,
    identity,
  });
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
    const about = { ...options, identity, said, moreTools: tools };
    const record = await answered(started, agent, about);
    const output = await hooks.end(await hooks.output(record));
    const agentOutput = cut(output.raw, MAX_EVENT_TEXT);
    scope.emit("lite_agent_execution_completed", { agentInfo, output: agentOutput });
    return output;
  } catch (error) {
    scope.emit("lite_agent_execution_error", { agentInfo, error: errorMessage(error) });
    throw cameFrom(`agent "${identity.role}"`, scope.runId, error);
  }
}

async function answered(
  started: RunScope,
  agent: SourcedAgent,
  about: Omit<AnswerRequest, "sources" | "query">,
): Promise<AgentRecord> {
  const sources = openSources(started, { agents: [agent], limit: MAX_RECALLED });
  if (sources === undefined) return answerMessages(started, agent, about);
  await sources.open();
  const query = about.said.map(({ content }) => textOfContent(content)).join("\n");
  const work = newWork(started, agent, about);
  const record = await answerWith(started, work, { ...about, sources, query });
  const report = { description: query, role: about.identity.role, output: record.raw };
  sources.save(started.at("remember"), work, report);
  await sources.drain();
  return record;
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

/** An output with its object as the schema's own parser gives it. */
export function typedAgentOutput(
  record: AgentRecord,
  schema: OutputSchema | undefined,
): AgentOutput {
  if (schema === undefined || record.object === undefined) return record;
  const read = outputShape(schema).read(record.object);
  return "value" in read ? { ...record, object: read.value } : record;
}

/** A run without inputs leaves the texts unchanged. */
function identityOf({ role, goal, backstory }: SourcedAgent, inputs: JsonObject): AgentIdentity {
  if (Object.keys(inputs).length === 0) return { role, goal, backstory };
  const own = (text: string, field: string): string =>
    interpolate(text, inputs, `the ${field} of agent "${role}"`);
  return {
    role: own(role, "role"),
    goal: own(goal, "goal"),
    backstory: own(backstory, "backstory"),
  };
}
