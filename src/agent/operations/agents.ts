import { wishedContext } from "../caller-wishes.ts";
import { settingsOf } from "../settings-of-agent.ts";
import * as z from "zod";
import type { JsonObject } from "../../base/json.ts";
import { inputFilesField, startRunWithFiles } from "../../files/start-with-files.ts";
import type { AnswerSetting, AnswerSettings } from "../../llm/answer-settings.ts";
import { withIgnored, type SettledSettings } from "../../parts/ignored-header.ts";
import { loadPart } from "../../base/load-part.ts";
import { overrideFields, runOverrides } from "../../parts/run-overrides.ts";
import { FINISHED, STARTED } from "../../parts/documented-runs.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { findRegistered, pageOfRegistered } from "../../parts/registered.ts";
import { requireInputs } from "../../parts/required-inputs.ts";
import {
  callerFields,
  jsonObject,
  pageQuery,
  runFields,
  streamField,
} from "../../parts/schemas.ts";
import { textInputSchema } from "../../parts/subject-info.ts";
import type { Agent } from "../description/agent.ts";
import { checkMessages } from "../run-agent.ts";

/** An agent in the API. `inputs` are the required inputs of a run. */
export type AgentView = {
  readonly name: string;
  readonly role: string;
  readonly goal: string;
  readonly backstory: string;
  readonly tools: readonly string[];
  /** True if the agent plans before it works. */
  readonly plans: boolean;
  readonly inputs: readonly string[];
  /** JSON Schema of `inputs` of a kickoff. */
  readonly inputSchema: JsonObject;
};

const contentPart = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string() }),
  z.strictObject({
    type: z.enum(["image", "file", "audio", "video"]),
    url: z.string().optional().describe("Needed without `data`."),
    data: z.string().optional().describe("In base64, with its `mediaType`."),
    mediaType: z.string().optional(),
    name: z.string().optional().describe("Of a file."),
    detail: z.enum(["auto", "low", "high"]).optional().describe("Of an image."),
  }),
]);

const message = z.discriminatedUnion("role", [
  z.strictObject({ role: z.enum(["system", "assistant"]), content: z.string() }),
  z.strictObject({
    role: z.literal("user"),
    content: z
      .union([z.string(), z.array(contentPart).min(1)])
      .describe("A text, or parts with images and files among them."),
  }),
]);

/** Settings of the answer, in their own names. */
type OwnSettings = Omit<AnswerSettings, "toolChoice" | "stop"> & {
  readonly stop?: string | readonly string[];
};

const agentKickoffBody = z.strictObject({
  messages: z
    .union([z.string().min(1), z.array(message).min(1)])
    .describe(
      "What the agent is asked: a text, or a conversation whose last message is the user's.",
    ),
  inputs: jsonObject
    .optional()
    .describe("Values for {placeholders} of the agent and the messages."),
  inputFiles: inputFilesField.optional(),
  id: runFields.id,
  tags: runFields.tags,
  meta: runFields.meta,
  stream: streamField,
  token: runFields.token,
  llm: overrideFields.llm,
  settings: (jsonObject as unknown as z.ZodType<OwnSettings, OwnSettings>)
    .optional()
    .describe("Of the answer, over those of the agent's model."),
});

export type AgentKickoffBody = z.input<typeof agentKickoffBody>;

export const agentShapes = () => ({
  Agent: z.strictObject({
    name: z.string(),
    role: z.string(),
    goal: z.string(),
    backstory: z.string(),
    tools: z.array(z.string()),
    plans: z.boolean().describe("Whether it plans before it works"),
    inputs: z.array(z.string()).describe("What a run needs"),
    inputSchema: z.record(z.string(), z.unknown()).describe("JSON Schema of `inputs`"),
  }),
});

/** `/agents`: agents of the deployed code, working alone. */
export function agentOperations(
  agents: Readonly<Record<string, Agent>>,
  host: PartHost,
): readonly Operation[] {
  const shared = { group: "Agents", subject: "agent" } as const;
  const find = (name: string): Agent => findRegistered(agents, name, "agent");
  return [
    operation({
      ...shared,
      id: "listAgents",
      method: "get",
      path: "/agents",
      scope: "read",
      summary: "List agents",
      description: "Agents of the deployed code that work on their own, by name.",
      query: pageQuery,
      answers: { 200: { description: "A page of agents", shape: "Agent", list: true } },
      problems: [400],
      handle: ({ query }) => ({ status: 200, json: pageOfRegistered(agents, query, agentView) }),
    }),
    operation({
      ...shared,
      id: "getAgent",
      method: "get",
      path: "/agents/{name}",
      scope: "read",
      summary: "Show an agent",
      answers: { 200: { description: "The agent", shape: "Agent" } },
      problems: [404],
      handle: ({ params: { name = "" } }) => ({ status: 200, json: agentView(name, find(name)) }),
    }),
    operation({
      ...shared,
      id: "kickoffAgent",
      method: "post",
      path: "/agents/{name}/kickoff",
      scope: "run",
      summary: "Ask an agent",
      description:
        "With `Accept: text/event-stream` the answer is the run's event stream; with `Prefer: wait=N` it may be the finished run.",
      headers: ["Idempotency-Key", "Prefer"],
      body: { name: "AgentKickoff", schema: agentKickoffBody, required: true },
      answers: {
        200: { ...FINISHED, headers: [...(FINISHED.headers ?? []), "X-Edgecrew-Ignored"] },
        202: { ...STARTED, headers: [...(STARTED.headers ?? []), "X-Edgecrew-Ignored"] },
      },
      problems: [400, 404, 413, 415],
      example: ({ inputs }) => ({
        messages: "What can you do?",
        ...(Object.keys(inputs).length === 0 ? undefined : { inputs }),
      }),
      handle: async (request) => {
        const { name = "" } = request.params;
        const { messages, inputs = {}, inputFiles, id, tags, meta, llm, stream } = request.body;
        const agent = find(name);
        const { used, ignored } = await settledSettings(request.body.settings, () =>
          settingsOf(agent, llm ?? agent.llm, host.models),
        );
        checkMessages(messages);
        requireInputs({ names: agent.placeholders, of: "agent" }, inputs);
        const overrides = await runOverrides({ llm }, host, request.tenant);
        const started = await startRunWithFiles(host, request, {
          id,
          inputFiles,
          inputsAt: "",
          start: (files) => ({
            kind: "agent",
            name,
            inputs: { messages, inputs: { ...files, ...inputs } },
            ...callerFields({ tags, meta }),
            ...wishedContext(request, { stream, settings: used }),
            ...overrides,
          }),
        });
        return ignored.length === 0 ? started : withIgnored(started, ignored);
      },
    }),
  ];
}

/** Reads and checks the settings of a kickoff. The first request with settings loads their schema. */
async function settledSettings(
  settings: OwnSettings | undefined,
  honoured: () => readonly AnswerSetting[],
): Promise<SettledSettings> {
  if (settings === undefined) return { used: {}, ignored: [] };
  const { settledOwn } = await loadPart(() => import("../../parts/answer-settings.ts"));
  return settledOwn(settings, honoured());
}

function agentView(name: string, agent: Agent): AgentView {
  const { role, goal, backstory, tools, planningConfig } = agent;
  return {
    name,
    role,
    goal,
    backstory,
    tools: tools.map(({ safeName }) => safeName),
    plans: planningConfig !== undefined,
    inputs: agent.placeholders,
    inputSchema: textInputSchema(agent.placeholders),
  };
}
