import { EngineError } from "../../../base/error.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import type { Screening } from "../../safeguards/screening.ts";
import { askForData } from "../ask-for-data.ts";
import type { CheckedCaptain } from "./captain-options.ts";
import { readExperts, type ExpertGroup } from "./expert-group.ts";
import { nearestTools } from "./nearest-tools.ts";

/** Request for a group of experts. */
export type BuildRequest = {
  readonly config: CheckedCaptain;
  readonly task: string;
  /** Names reserved for other members. */
  readonly taken: readonly string[];
};

const TEXT: JsonObject = { type: "string" };
const EXPERT = {
  name: TEXT,
  description: TEXT,
  systemMessage: TEXT,
  tools: { type: "array", items: TEXT },
};
const EXPERTS: JsonObject = {
  type: "object",
  properties: {
    experts: {
      type: "array",
      items: {
        type: "object",
        properties: EXPERT,
        required: Object.keys(EXPERT),
        additionalProperties: false,
      },
    },
  },
  required: ["experts"],
  additionalProperties: false,
};

const BUILD =
  "You put a group of experts together that solves a task by talking: as few as the task needs, {most} at most. " +
  "Each has a short name of one word or of words joined by underscores, a description of one line that tells the others what it is for, and a system message that says who it is, how it works, what it has to deliver and what to leave to others. " +
  "Experts complement each other; where a mistake would cost much, one of them checks. " +
  "Name for each the tools that it needs, of those that are listed, and no others. " +
  "To take an expert of the library, write its name as it is there, and leave its other fields empty.";

/** Asks a model to compose a group. Throws `output_invalid` if it names no expert. */
export async function buildGroup(
  place: RunScope,
  screening: Screening,
  { config, task, taken }: BuildRequest,
): Promise<ExpertGroup> {
  const {
    agentLib,
    toolLib,
    nestedConfig: { maxAgents: most, maxTools: limit, embedder },
  } = config;
  const tools = await nearestTools(place.at("tools"), toolLib, { task, limit, embedder });
  const answer = await askForData(place, screening, {
    system: BUILD.replace("{most}", `${most}`),
    user: [
      `Task:\n${task}`,
      ...listed("Library of experts", agentLib),
      ...listed("Tools", tools),
    ].join("\n\n"),
    schema: EXPERTS,
    decides: "put experts together",
  });
  const names = tools.map(({ name }) => name);
  const group = readExperts(answer, { library: agentLib, tools: names, taken, most });
  if (group.length === 0)
    throw new EngineError("output_invalid", "no expert could be made of the model's answer");
  return group;
}

function listed(
  title: string,
  items: ReadonlyArray<{ readonly name: string; readonly description: string }>,
): readonly string[] {
  if (items.length === 0) return [];
  return [
    `${title}:\n${items.map(({ name, description }) => `- ${name}: ${description}`).join("\n")}`,
  ];
}
