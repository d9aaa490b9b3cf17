// The tool with which a captain asks for experts.
//
//   SEX1. A group is built once for its name: in this turn, in the conversation, or before it. Later calls get the same
//         experts.
//   SEX2. A finished call replays without its work: its result contains the experts and the usage.
//   SEX3. A failure is a text for the captain's model. An abort by a hook, and a failure raised by a policy, end its
//         turn.
import * as z from "zod";
import { changedWork } from "../../../agent/agent-work.ts";
import { EngineError, errorMessage } from "../../../base/error.ts";
import { isJsonObject } from "../../../base/json.ts";
import { addUsage, NO_USAGE, type Usage } from "../../../base/usage.ts";
import { RunScope } from "../../../events/run-scope.ts";
import { scopeHere } from "../../../hooks/scoped-services.ts";
import type { ModelSpec } from "../../../llm/resolve-model.ts";
import { UsageMeter } from "../../../model-calls/usage-meter.ts";
import { raisedBy, ToolReport } from "../../../tools/tool-report.ts";
import { tool, type Tool } from "../../../tools/tool.ts";
import type { Screening } from "../../safeguards/screening.ts";
import type { StepsRequest } from "../../turns/reply-function.ts";
import { buildGroup } from "./build-group.ts";
import type { CheckedCaptain } from "./captain-options.ts";
import { consultGroup, MANAGER } from "./consult-group.ts";
import { readGroups, type ExpertGroup } from "./expert-group.ts";

const NAME = "seek_experts_help";
const KEPT = "captain/groups";
/** Maximum number of groups in one conversation. */
const MAX_GROUPS = 20;
const DESCRIPTION =
  "Asks a group of experts for help and returns a review of what they came to. The experts know nothing but what execution_task says, and remember nothing of earlier calls. " +
  "A group that there is already is used again by its name.";

const INPUT = z.object({
  group_name: z.string().min(1).max(100).describe("A name for the group"),
  execution_task: z
    .string()
    .min(1)
    .describe("What the experts have to do, with everything that they need to know"),
  building_task: z
    .string()
    .optional()
    .describe("Of a new group: which experts are needed, and which skills they have"),
});

/** Origin of a group's experts. */
type Origin = "built" | "kept" | "saved";

type ChosenGroup = { readonly group: ExpertGroup; readonly origin: Origin };

/** The result of a call, as it is recorded. */
type Help = {
  readonly name: string;
  readonly group: ExpertGroup;
  readonly text: string;
  readonly usage: Usage;
};

/** Data shared by the calls of one turn. */
type Seeking = {
  readonly request: StepsRequest;
  readonly config: CheckedCaptain;
  /** The captain's model. */
  readonly llm: ModelSpec;
  /** Groups requested by calls of this turn. */
  readonly chosen: Map<string, Promise<ChosenGroup>>;
};

/** Makes the tool for one turn. */
export function seekExpertsTool(seeking: Omit<Seeking, "chosen">): Tool {
  const { request, config } = seeking;
  const { kept, work } = request;
  const inTurn: Seeking = { ...seeking, chosen: new Map() };
  const names = [...Object.keys(config.savedGroups), ...Object.keys(readGroups(kept.get(KEPT)))];
  const made = tool({
    name: NAME,
    description: `${DESCRIPTION} Groups so far: ${names.length === 0 ? "none" : names.join(", ")}.`,
    input: INPUT,
    cache: () => false,
    run: async (input): Promise<Help | ToolReport> => {
      try {
        return await seekHelp(placeOfCall(), inTurn, input);
      } catch (error) {
        const raised = raisedBy(error);
        if (raised === undefined) throw error;
        return new ToolReport(errorMessage(error), { usage: NO_USAGE, delegatedTo: [], raised });
      }
    },
    format: (result) => (result as Help).text,
  });
  return {
    ...made,
    recorded: (result) => {
      if (!isJsonObject(result)) return;
      const { name, group, usage } = result as unknown as Help;
      work.meter.add(usage);
      if (!Object.hasOwn(config.savedGroups, name))
        kept.set(KEPT, { ...readGroups(kept.get(KEPT)), [name]: group });
    },
  };
}

async function seekHelp(
  place: RunScope,
  seeking: Seeking,
  { group_name, execution_task: task, building_task = task }: z.infer<typeof INPUT>,
): Promise<Help> {
  const { request, config, llm } = seeking;
  const { agent, talk } = request;
  const name = group_name.trim();
  const meter = new UsageMeter();
  const screeningBy = (model: ModelSpec | undefined): Screening => {
    const work = changedWork(request.work, { meter });
    return {
      agent,
      work: model === undefined ? work : changedWork(work, { model: place.model(model) }),
    };
  };
  const build = (): Promise<ExpertGroup> =>
    buildGroup(place.at("build"), screeningBy(config.nestedConfig.builderLlm), {
      config,
      task: building_task === task ? task : `${building_task}\n\nWhat it will do first:\n${task}`,
      taken: [agent.name, MANAGER],
    });
  const { group, origin } = await groupNamed(name, seeking, build);
  place.emit("chat_experts_chosen", { agent: agent.name, group: name, origin, experts: group });
  const { text, usage } = await consultGroup(talk, place, {
    config,
    group,
    task,
    llm,
    screening: screeningBy(config.nestedConfig.reviewLlm),
  });
  const members = group.map((expert) => expert.name).join(", ");
  return {
    name,
    group,
    text: `Group ${name} (${members})\n\n${text}`,
    usage: addUsage(meter.total, usage),
  };
}

/** Concurrent calls look for a group of one name once (SEX1). */
function groupNamed(
  name: string,
  { request: { kept }, config: { savedGroups }, chosen }: Seeking,
  build: () => Promise<ExpertGroup>,
): Promise<ChosenGroup> {
  const known = readGroups(kept.get(KEPT));
  const saved = Object.hasOwn(savedGroups, name) ? savedGroups[name] : undefined;
  if (saved !== undefined) return Promise.resolve({ group: saved, origin: "saved" });
  const group = Object.hasOwn(known, name) ? known[name] : undefined;
  if (group !== undefined) return Promise.resolve({ group, origin: "kept" });
  const sought = chosen.get(name);
  if (sought !== undefined)
    return sought.then(({ group: made }) => ({ group: made, origin: "kept" }));
  const names = new Set([...Object.keys(known), ...chosen.keys()]);
  if (names.size >= MAX_GROUPS)
    throw new EngineError(
      "limit_exceeded",
      `there are ${MAX_GROUPS} groups, which is all that one conversation may have: use one of ${[...names].join(", ")}`,
    );
  const made = build().then((experts): ChosenGroup => ({ group: experts, origin: "built" }));
  chosen.set(name, made);
  // Another call may try again.
  void made.catch(() => chosen.delete(name));
  return made;
}

/** Returns the scope of the executing call: its work is steps below it. */
function placeOfCall(): RunScope {
  const place = RunScope.current();
  if (place !== undefined) return scopeHere(place);
  throw new EngineError("internal", `${NAME} is a tool of a turn`);
}
