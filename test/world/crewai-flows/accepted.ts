// Accepted differences between flows on CrewAI 1.15.30 and on Edgecrew.
import type { AcceptedDifference } from "../support/accepted.ts";
import { causeOf, textOf, type FlowDifference } from "./compare.ts";
import { namesOf, type FlowProgram, type Method, type Trigger } from "./flow-program.ts";

type Row = AcceptedDifference<FlowDifference>;

const compatRows: readonly Row[] = [
  {
    id: "flow-race",
    upstream:
      "Methods that an `or` waits for race to the end of all that each leads to; the others are cut off in the middle, and errors in the race are swallowed.",
    ours: "The first method to end wins, all that it leads to runs to its end, and errors fail the flow.",
    verdict: "upstream's defect",
    page: "flow-state.md#settings",
    matches: ({ mode, program }) => mode === "compat" && hasRace(program),
  },
  {
    id: "flow-limit-of-starts",
    upstream:
      "`max_method_calls` does not count starts that labels wake, so a loop through one has no end.",
    ours: "Every method is counted.",
    verdict: "upstream's defect",
    page: "flow-state.md#settings",
    matches: ({ mode, program, ours, theirs }) =>
      mode === "compat" &&
      program.methods.some(isWokenStart) &&
      ours?.status === "failed" &&
      causeOf(ours) === "limit" &&
      (theirs === undefined || causeOf(theirs) !== "limit" || theirs.ran.length > ours.ran.length),
  },
  {
    id: "flow-after-failure",
    upstream: "While a failure is reported, methods that end still begin others.",
    ours: "After the first failure nothing new begins.",
    verdict: "decision",
    page: "flows.md#what-triggers-a-method",
    matches: ({ field, ours, theirs }) =>
      (field === "ran" || field === "arguments") &&
      ours?.status === "failed" &&
      theirs?.status === "failed" &&
      causeOf(ours) === causeOf(theirs) &&
      isWithin(ours.ran, theirs.ran),
  },
  {
    id: "flow-fork-of-a-method",
    upstream: "`restore_from_state_id` is ignored where only methods persist.",
    ours: "The flow forks from the saved state.",
    verdict: "ours is better",
    page: "flow-state.md#saved-state",
    matches: ({ program, kickoff }) =>
      program.persist === "method" && program.kickoffs[kickoff]?.restore !== undefined,
  },
  {
    id: "flow-equal-write",
    upstream:
      "A write of the value that a field had before replaces what another method wrote meanwhile.",
    ours: "A field that ends with the value it began with counts as unchanged.",
    verdict: "decision",
    page: "flows.md#the-state",
    matches: ({ field, program, ours, theirs }) =>
      field === "state" &&
      writersOfText(program) > 1 &&
      differsInTextAlone(ours?.state, theirs?.state),
  },
];

/** Rules that differ without `compat`: with it, the same program is as upstream's. */
const nativeRows: readonly Row[] = [
  {
    id: "flow-native-race",
    upstream: "Methods that an `or` waits for race.",
    ours: "Without `compat` all of them finish.",
    verdict: "decision",
    page: "flow-state.md#settings",
    matches: (difference) => isNative(difference) && hasRace(difference.program),
  },
  {
    id: "flow-native-undecided",
    upstream: "Feedback that no model can read fails the method.",
    ours: "Without `compat` the person is asked again.",
    verdict: "ours is better",
    page: "flow-state.md#settings",
    matches: (difference) =>
      isNative(difference) &&
      difference.program.methods.some(({ review }) => review?.answers.includes("cannot tell")),
  },
  {
    id: "flow-native-sibling-routers",
    upstream:
      "Of several routers of one trigger only the label of the last reaches further routers.",
    ours: "Without `compat` the label of each does.",
    verdict: "decision",
    page: "flow-state.md#settings",
    matches: (difference) => isNative(difference) && hasSiblingRouters(difference.program),
  },
  {
    id: "flow-native-or-and-label",
    upstream: "A label arms an `or` listener again that fired after the label's router had begun.",
    ours: "Without `compat` such a listener runs once.",
    verdict: "decision",
    page: "flow-state.md#settings",
    matches: (difference) => isNative(difference) && hasOrOverLabel(difference.program),
  },
  {
    id: "flow-native-start-router",
    upstream: "The label of a router that is a start wakes no starts.",
    ours: "Without `compat` it wakes them.",
    verdict: "ours is better",
    page: "flow-state.md#settings",
    matches: (difference) =>
      isNative(difference) &&
      difference.program.methods.some(isStartRouter) &&
      difference.program.methods.some(isWokenStart),
  },
  {
    id: "flow-native-last-feedback",
    upstream:
      "Once a person has said something, every label hands on the feedback in place of the label.",
    ours: "Without `compat` only the label of a review does.",
    verdict: "decision",
    page: "flow-state.md#settings",
    matches: (difference) =>
      isNative(difference) &&
      difference.program.methods.some(({ review }) => review !== undefined) &&
      difference.program.methods.some(({ emit }) => emit !== undefined),
  },
  {
    id: "flow-native-odd-labels",
    upstream: "A router that returns true gives the label `True`.",
    ours: "Without `compat` the label is `true`.",
    verdict: "decision",
    page: "flow-state.md#settings",
    matches: (difference) =>
      isNative(difference) &&
      difference.program.methods.some(({ labels }) =>
        labels?.some((label) => typeof label === "boolean"),
      ),
  },
];

export const ACCEPTED_FLOWS: readonly Row[] = [...compatRows, ...nativeRows];

function isNative({ mode, isCompatEqual }: FlowDifference): boolean {
  return mode === "native" && isCompatEqual;
}

function isStartRouter({ start, emit, review }: Method): boolean {
  return start !== undefined && (emit !== undefined || review?.emit !== undefined);
}

function isWokenStart({ start }: Method): boolean {
  return start !== undefined && start !== true;
}

function isRouter({ emit, review }: Method): boolean {
  return emit !== undefined || review?.emit !== undefined;
}

function listeners({ methods }: FlowProgram): readonly { method: Method; listen: Trigger }[] {
  return methods.flatMap((method) =>
    method.listen === undefined ? [] : [{ method, listen: method.listen }],
  );
}

/** True when two methods that an `or` waits for wait for one trigger themselves, so that they run at once. */
export function hasRace(program: FlowProgram): boolean {
  const plain = listeners(program).filter(({ method }) => !isRouter(method));
  return plain.some(({ listen }) => {
    const alone = [...new Set(alternativesOf(listen))].filter(
      (name) => plain.filter((other) => namesOf(other.listen).includes(name)).length === 1,
    );
    const racing = plain.filter(({ method }) => alone.includes(method.name));
    return racing.some((one) =>
      racing.some(
        (other) =>
          one !== other && namesOf(one.listen).some((name) => namesOf(other.listen).includes(name)),
      ),
    );
  });
}

/** Names reached through `or` alone. */
function alternativesOf(trigger: Trigger): readonly string[] {
  if (typeof trigger === "string") return [trigger];
  return "or" in trigger ? trigger.or.flatMap(alternativesOf) : [];
}

export function hasSiblingRouters(program: FlowProgram): boolean {
  const routers = listeners(program).filter(({ method }) => isRouter(method));
  return routers.some((one) =>
    routers.some(
      (other) =>
        one !== other && namesOf(one.listen).some((name) => namesOf(other.listen).includes(name)),
    ),
  );
}

/** True when a listener waits for any of several, one of them a label. */
export function hasOrOverLabel(program: FlowProgram): boolean {
  return listeners(program).some(
    ({ method, listen }) =>
      !isRouter(method) &&
      typeof listen !== "string" &&
      "or" in listen &&
      namesOf(listen).some((name) => !name.startsWith("m")),
  );
}

function isWithin(fewer: readonly unknown[], more: readonly unknown[]): boolean {
  const left = more.map(textOf);
  return fewer.map(textOf).every((each) => {
    const at = left.indexOf(each);
    if (at !== -1) left.splice(at, 1);
    return at !== -1;
  });
}

function writersOfText({ methods, kickoffs }: FlowProgram): number {
  const writers = methods.filter(({ writes }) => writes?.some(({ op }) => op === "set"));
  return writers.length + (kickoffs.some(({ inputs }) => "text" in inputs) ? 1 : 0);
}

function differsInTextAlone(ours: unknown, theirs: unknown): boolean {
  const without = (state: unknown): string => textOf({ ...(state as object), text: "" });
  return without(ours) === without(theirs);
}
