// The way to start runs of agents that work alone.
import * as z from "zod";
import type { JsonObject } from "../../base/json.ts";
import type { AnswerSetting, AnswerSettings } from "../../llm/answer-settings.ts";
import { wishesContext } from "../../model-calls/caller-wishes.ts";
import { settledOwn } from "../../parts/answer-settings.ts";
import type { SettledSettings } from "../../parts/ignored-header.ts";
import type { StartWay } from "../../parts/part.ts";
import { findRegistered } from "../../parts/registered.ts";
import { requireInputs } from "../../parts/required-inputs.ts";
import { jsonObject } from "../../parts/schemas.ts";
import { refuseVersion } from "../../parts/stored-definitions.ts";
import type { RunStart } from "../../runtime/run.ts";
import { startBody } from "../../starts/start-fields.ts";
import { startWay } from "../../starts/start-way.ts";
import type { Agent } from "../description/agent.ts";
import { checkMessages, type AgentMessages } from "../agent-messages.ts";
import { settingsOf } from "../settings-of-agent.ts";

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

const agentKickoffBody = startBody({
  messages: z
    .union([z.string().min(1), z.array(message).min(1)])
    .describe(
      "What the agent is asked: a text, or a conversation whose last message is the user's.",
    ),
  inputs: jsonObject
    .optional()
    .describe("Values for {placeholders} of the agent and the messages."),
  settings: (jsonObject as unknown as z.ZodType<OwnSettings, OwnSettings>)
    .optional()
    .describe("Of the answer, over those of the agent's model."),
});

export type AgentKickoffBody = z.input<typeof agentKickoffBody>;

export function agentWays(agents: Readonly<Record<string, Agent>>) {
  return {
    kickoff: startWay({
      id: "kickoffAgent",
      group: "Agents",
      subject: "agent",
      path: "/agents/{name}/kickoff",
      summary: "Ask an agent",
      description: "The output of the run is `{ raw, object?, … }`.",
      body: { name: "AgentKickoff", schema: agentKickoffBody, required: true },
      answerHeaders: ["X-Edgecrew-Ignored"],
      example: ({ inputs }) => ({
        messages: "What can you do?",
        ...(Object.keys(inputs).length === 0 ? undefined : { inputs }),
      }),
      prepare: async ({ host, name, fields, byCode }) => {
        const { messages, inputs = {}, llm, settings, version } = fields;
        const agent = findRegistered(agents, name, "agent");
        refuseVersion("agent", name, version);
        const { used, ignored } = await settledSettings(settings, () =>
          settingsOf(agent, llm ?? agent.llm, host.models),
        );
        const context = { context: wishesContext({ settings: used }) };
        const started = agentStart([name, agent], { messages, inputs, byCode });
        return {
          inputsAt: "",
          ignored,
          start: (files) => ({ ...withFiles(started, files), ...context }),
        };
      },
    }),
  } satisfies Readonly<Record<string, StartWay>>;
}

type AgentStart = Pick<RunStart, "kind" | "name"> & {
  readonly inputs: { readonly messages: AgentMessages; readonly inputs: JsonObject };
};

/** The start of a run of an agent. Throws `invalid_input`. */
export function agentStart(
  [name, { placeholders }]: readonly [string, Agent],
  {
    messages,
    inputs,
    byCode = false,
  }: {
    readonly messages: unknown;
    readonly inputs: JsonObject;
    readonly byCode?: boolean;
  },
): AgentStart {
  checkMessages(messages);
  const isBare = byCode && Object.keys(inputs).length === 0;
  requireInputs({ names: isBare ? [] : placeholders, of: "agent" }, inputs);
  return { kind: "agent", name, inputs: { messages, inputs } };
}

export function withFiles(
  { inputs: { messages, inputs }, ...start }: AgentStart,
  files: JsonObject = {},
): AgentStart {
  return { ...start, inputs: { messages, inputs: { ...files, ...inputs } } };
}

/** Settings of a kickoff, read and checked. */
async function settledSettings(
  settings: OwnSettings | undefined,
  honoured: () => readonly AnswerSetting[],
): Promise<SettledSettings> {
  if (settings === undefined) return { used: {}, ignored: [] };
  return settledOwn(settings, honoured());
}
