// Accepted differences between flows on CrewAI 1.15.30 and on Edgecrew.
import type { AcceptedDifference } from "../support/accepted.ts";
import { flowsIn, isCausedBy } from "./causes.ts";
import { causeOf, textOf, type FlowDifference } from "./compare.ts";
import {
  namesOf,
  type FlowProgram,
  type Method,
  type Outcome,
  type Trigger,
} from "./flow-program.ts";

type Row = AcceptedDifference<FlowDifference>;

const compatRows: readonly Row[] = [
  {
    id: "flow-race",
    upstream:
      "The methods of an `or` race to the end of all methods they trigger; the others are cut off in the middle, and errors in the race are swallowed.",
    ours: "The first method to end wins, all methods it triggers run to their end, and errors fail the flow.",
    verdict: "upstream's defect",
    page: "flow-state.md#settings",
    matches: (difference) => difference.mode === "compat" && isCausedBy(difference, racing),
  },
  {
    id: "flow-limit-of-starts",
    upstream:
      "`max_method_calls` does not count starts triggered by labels, so a loop through one has no end.",
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
    upstream: "While a failure is reported, ending methods still start others.",
    ours: "After the first failure no method starts.",
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
    upstream: "A write of a field's old value replaces another method's simultaneous write.",
    ours: "A field with equal values at both ends counts as unchanged.",
    verdict: "decision",
    page: "flows.md#the-state",
    matches: ({ field, program, ours, theirs }) => {
      const names = field === "state" ? fieldsOfStatesThatDiffer(ours, theirs) : [];
      return names.length > 0 && names.every((name) => writersOf(name, program) > 1);
    },
  },
];

const emptyRows: readonly Row[] = [
  {
    id: "flow-empty-label",
    upstream:
      "A router with an empty result passes the last feedback to the next router of its trigger.",
    ours: "An empty text is no label.",
    verdict: "upstream's defect",
    page: "flow-state.md#settings",
    matches: (difference) =>
      difference.field === "arguments" &&
      difference.program.methods.some(({ review }) => review !== undefined) &&
      difference.program.methods.some(({ labels = [] }) => labels.includes("")) &&
      isCausedBy(difference, siblingRouters),
  },
];

/** Flows that pause: upstream goes on with the state and the question alone. */
const pauseRows: readonly Row[] = [
  {
    id: "flow-resumed-review",
    upstream:
      "After a pause, the answer to a review with labels triggers the listeners of its label, but not those of its method.",
    ours: "A pause has no effect: both are triggered.",
    verdict: "upstream's defect",
    page: "flow-state.md#settings",
    matches: (difference) =>
      difference.program.pauses === true &&
      isCausedBy(difference, (program) => {
        const reviews = namesWhere(
          program.methods,
          ({ name, review }) => review?.emit !== undefined && hasRun(name, difference.ours),
        );
        return waitingFor(program, reviews);
      }),
  },
  {
    id: "flow-resumed-and",
    upstream:
      "After a pause, methods that ended before it are forgotten: an `and` waits for them again, and a fired `or` fires again.",
    ours: "A pause has no effect.",
    verdict: "upstream's defect",
    page: "flow-state.md#settings",
    matches: (difference) =>
      difference.program.pauses === true &&
      difference.program.methods.some(
        ({ name, review }) => review !== undefined && hasRun(name, difference.ours),
      ) &&
      isCausedBy(difference, (program) =>
        listeners(program).flatMap(({ method, listen }) =>
          typeof listen === "string" ? [] : [method.name],
        ),
      ),
  },
];

/** Flows that converse. */
const talkRows: readonly Row[] = [
  {
    id: "flow-talk-end",
    upstream: 'The route `end` replies and returns "Conversation ended."',
    ours: "It sends no reply and returns null: `ended` of the turn informs a front end.",
    verdict: "decision",
    page: "conversational-flows.md#from-crewai",
    matches: ({ program, field, ours, theirs }) =>
      program.talk !== undefined &&
      (field === "value" || field === "state") &&
      routeOf(ours) === "end" &&
      routeOf(theirs) === "end" &&
      theirs?.value === ENDED &&
      ours?.value === null &&
      textOf(withSaid(ours, ["assistant", ENDED])) === textOf(theirs.state),
  },
  {
    id: "flow-talk-failed-turn",
    upstream: "Messages of a failed turn stay in the session.",
    ours: "A failed turn leaves the session unchanged.",
    verdict: "decision",
    page: "conversational-flows.md#sessions",
    matches: ({ program, kickoff, field, ours, theirs }) => {
      const { said: our, ...rest } = saidIn(ours);
      const { said: their, ...others } = saidIn(theirs);
      return (
        program.talk !== undefined &&
        field === "state" &&
        kickoff > 0 &&
        program.methods.some(({ fail }) => fail !== undefined) &&
        textOf(rest) === textOf(others) &&
        our.length < their.length &&
        isWithin(our, their) &&
        textOf(our.at(-1)) === textOf(their.at(-1))
      );
    },
  },
  {
    id: "flow-talk-unread-intent",
    upstream: "A turn fails if the model finds no matching intent for its message.",
    ours: "The turn continues without an intent, by the rules for routes.",
    verdict: "ours is better",
    page: "conversational-flows.md#from-crewai",
    matches: ({ program, kickoff, field, ours, theirs }) => {
      const turn = program.talk?.turns[kickoff];
      const intents = turn?.intents ?? program.talk?.defaultIntents ?? [];
      return (
        field === "status" &&
        ours?.status === "completed" &&
        theirs !== undefined &&
        causeOf(theirs) === "unread" &&
        intents.length > 0 &&
        !intents.includes(turn?.label ?? "")
      );
    },
  },
];

/** Rules that differ without `compat`: with it, the same program is as upstream's. */
const nativeRows: readonly Row[] = [
  {
    id: "flow-native-race",
    upstream: "The methods of an `or` race.",
    ours: "Without `compat` all of them finish.",
    verdict: "decision",
    page: "flow-state.md#settings",
    matches: (difference) => isNative(difference) && isCausedBy(difference, racing),
  },
  {
    id: "flow-native-undecided",
    upstream: "Feedback fails the method if no model can read it.",
    ours: "Without `compat` the person is asked again.",
    verdict: "ours is better",
    page: "flow-state.md#settings",
    matches: (difference) =>
      isNative(difference) &&
      isCausedBy(difference, ({ methods }) =>
        namesWhere(methods, ({ review }) => review?.answers.includes("cannot tell") === true),
      ),
  },
  {
    id: "flow-native-sibling-routers",
    upstream:
      "Of several routers of one trigger only the label of the last reaches further routers.",
    ours: "Without `compat` the label of each does.",
    verdict: "decision",
    page: "flow-state.md#settings",
    matches: (difference) => isNative(difference) && isCausedBy(difference, siblingRouters),
  },
  {
    id: "flow-native-or-and-label",
    upstream: "A label arms an `or` listener again that fired after the label's router had begun.",
    ours: "Without `compat` such a listener runs once.",
    verdict: "decision",
    page: "flow-state.md#settings",
    matches: (difference) => isNative(difference) && isCausedBy(difference, orsOverLabels),
  },
  {
    id: "flow-native-start-router",
    upstream: "The label of a router at the start triggers no starts.",
    ours: "Without `compat` it triggers them.",
    verdict: "ours is better",
    page: "flow-state.md#settings",
    matches: (difference) =>
      isNative(difference) &&
      flowsIn(difference.program).some(({ methods }) => methods.some(isStartRouter)) &&
      isCausedBy(difference, ({ methods }) => namesWhere(methods, isWokenStart)),
  },
  {
    id: "flow-native-last-feedback",
    upstream: "After any feedback, every label and every ended review passes on the last feedback.",
    ours: "Without `compat` only the label of a review passes on feedback, its own.",
    verdict: "decision",
    page: "flow-state.md#settings",
    matches: (difference) =>
      isNative(difference) &&
      difference.field === "arguments" &&
      difference.program.methods.some(({ review }) => review !== undefined) &&
      isCausedBy(difference, ({ methods }) => {
        const labels = methods.flatMap(({ name, emit = [], review }) =>
          review === undefined ? emit : [name, ...emit, ...(review.emit ?? [])],
        );
        return namesWhere(
          methods,
          ({ listen }) =>
            listen !== undefined && namesOf(listen).some((name) => labels.includes(name)),
        );
      }),
  },
  {
    id: "flow-native-odd-labels",
    upstream: "A router with the result true has the label `True`.",
    ours: "Without `compat` the label is `true`.",
    verdict: "decision",
    page: "flow-state.md#settings",
    matches: (difference) =>
      isNative(difference) &&
      isCausedBy(difference, ({ methods }) =>
        namesWhere(
          methods,
          ({ labels }) => labels?.some((label) => typeof label === "boolean") === true,
        ),
      ),
  },
];

export const ACCEPTED_FLOWS: readonly Row[] = [
  ...compatRows,
  ...emptyRows,
  ...pauseRows,
  ...talkRows,
  ...nativeRows,
];

const ENDED = "Conversation ended.";

function hasRun(name: string, outcome: Outcome | undefined): boolean {
  return outcome?.ran.some(([ran]) => ran === name) === true;
}

function routeOf(outcome: Outcome | undefined): unknown {
  return (outcome?.state as { route?: unknown } | undefined)?.route;
}

function saidIn(outcome: Outcome | undefined): { readonly said: readonly unknown[] } {
  return { said: [], ...(outcome?.state as object | undefined) };
}

/** The state of a turn with one thing said more. */
function withSaid({ state }: Outcome, message: readonly string[]): unknown {
  const { said, ...rest } = state as { said: readonly unknown[] };
  return { ...rest, said: [...said, message] };
}

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

/** Methods that race: an `or` waits for both of them, and they for one trigger, so that they run at once; and what waits for them. */
export function racing(program: FlowProgram): readonly string[] {
  const plain = listeners(program).filter(({ method }) => !isRouter(method));
  return plain.flatMap(({ method: waiting, listen }) => {
    const alone = [...new Set(alternativesOf(listen))].filter(
      (name) => plain.filter((other) => namesOf(other.listen).includes(name)).length === 1,
    );
    const members = plain.filter(({ method }) => alone.includes(method.name));
    const together = members.filter((one) =>
      members.some(
        (other) =>
          one !== other && namesOf(one.listen).some((name) => namesOf(other.listen).includes(name)),
      ),
    );
    return together.length === 0 ? [] : [waiting.name, ...members.map(({ method }) => method.name)];
  });
}

/** Names reached through `or` alone. */
function alternativesOf(trigger: Trigger): readonly string[] {
  if (typeof trigger === "string") return [trigger];
  return "or" in trigger ? trigger.or.flatMap(alternativesOf) : [];
}

/** Routers that wait for the trigger of another router. */
export function siblingRouters(program: FlowProgram): readonly string[] {
  const routers = listeners(program).filter(({ method }) => isRouter(method));
  return routers
    .filter((one) =>
      routers.some(
        (other) =>
          one !== other && namesOf(one.listen).some((name) => namesOf(other.listen).includes(name)),
      ),
    )
    .map(({ method }) => method.name);
}

/** Listeners that wait for any of several, one of them a label. */
export function orsOverLabels(program: FlowProgram): readonly string[] {
  return listeners(program)
    .filter(
      ({ method, listen }) =>
        !isRouter(method) &&
        typeof listen !== "string" &&
        "or" in listen &&
        namesOf(listen).some((name) => !name.startsWith("m")),
    )
    .map(({ method }) => method.name);
}

function namesWhere(
  methods: readonly Method[],
  isMeant: (method: Method) => boolean,
): readonly string[] {
  return methods.filter(isMeant).map(({ name }) => name);
}

/** Methods that wait for one of these names. */
function waitingFor(program: FlowProgram, names: readonly string[]): readonly string[] {
  return listeners(program)
    .filter(({ listen }) => namesOf(listen).some((name) => names.includes(name)))
    .map(({ method }) => method.name);
}

function isWithin(fewer: readonly unknown[], more: readonly unknown[]): boolean {
  const left = more.map(textOf);
  return fewer.map(textOf).every((each) => {
    const at = left.indexOf(each);
    if (at !== -1) left.splice(at, 1);
    return at !== -1;
  });
}

/** Methods that replace a field of the state, and inputs that begin with it. */
function writersOf(name: string, { methods, kickoffs }: FlowProgram): number {
  const writers = methods.filter(({ writes }) =>
    writes?.some(({ op, field }) => op === "set" && field === name),
  );
  return writers.length + (kickoffs.some(({ inputs }) => name in inputs) ? 1 : 0);
}

function fieldsOfStatesThatDiffer(
  ours: Outcome | undefined,
  theirs: Outcome | undefined,
): readonly string[] {
  const [our, their] = [ours, theirs].map((outcome) => outcome?.state as Record<string, unknown>);
  const names = new Set([...Object.keys(our ?? {}), ...Object.keys(their ?? {})]);
  return [...names].filter((name) => textOf(our?.[name]) !== textOf(their?.[name]));
}
