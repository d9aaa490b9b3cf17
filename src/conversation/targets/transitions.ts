// Speaker transitions of a group chat.
//
//   STR1. Without transitions any member may follow any other, and itself if repeats are allowed.
//   STR2. Allowed transitions are used unchanged; disallowed ones are removed from a complete graph with repeats.
//   STR3. Unknown names are refused; an unreachable member is a warning.
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { isJsonObject, preview, typeName } from "../../base/json.ts";

/** Transition settings of a group chat. */
export type TransitionSettings = {
  /** Names of the members, in order. */
  readonly agents: readonly string[];
  /** True if a member may speak twice in a row; or a list of such members. @default true without transitions */
  readonly allowRepeatSpeaker?: boolean | readonly string[];
  readonly transitions?: Readonly<Record<string, readonly string[]>>;
  readonly transitionsType?: "allowed" | "disallowed";
};

/** The transitions of a group chat, checked. */
export type Transitions = {
  /** Allowed successors by the name of the last speaker. A member without an entry has no successors. */
  readonly allowed: ReadonlyMap<string, readonly string[]>;
  /** True if transitions are set, not only repeats. */
  readonly isConstrained: boolean;
  readonly warnings: readonly string[];
};

/** Checks settings and makes the map of transitions. Throws `invalid_definition`. */
export function speakerTransitions(settings: TransitionSettings): Transitions {
  const { agents, transitions, transitionsType, allowRepeatSpeaker } = settings;
  checkAgents(agents);
  if (transitions === undefined) {
    const allowed = complete(agents, repeaters(allowRepeatSpeaker, agents));
    return { allowed, isConstrained: false, warnings: [] };
  }
  if (allowRepeatSpeaker !== undefined)
    throw invalidDefinition(
      "a group chat has transitions or allowRepeatSpeaker, got both: a transition of a member to itself allows it to repeat",
    );
  const type = transitionsType?.toLowerCase();
  if (type !== "allowed" && type !== "disallowed")
    throw invalidDefinition(
      `transitions need transitionsType "allowed" or "disallowed", got ${preview(transitionsType)}`,
    );
  const map = checkedMap(transitions, agents);
  const allowed = type === "allowed" ? map : without(map, agents);
  return {
    allowed,
    isConstrained: true,
    warnings: [...repeated(map), ...oddities(allowed, agents)],
  };
}

function checkAgents(agents: readonly string[]): void {
  const repeatedName = agents.find((name, index) => agents.indexOf(name) !== index);
  if (repeatedName !== undefined)
    throw invalidDefinition(
      `members need names of their own, got ${preview(repeatedName)} more than once`,
    );
}

function repeaters(
  allowed: TransitionSettings["allowRepeatSpeaker"],
  agents: readonly string[],
): readonly string[] {
  if (allowed === false) return [];
  if (allowed === undefined || allowed === true) return agents;
  for (const name of allowed) checkMember(name, agents, "allowRepeatSpeaker");
  return allowed;
}

function complete(
  agents: readonly string[],
  repeating: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    agents.map((name) => [
      name,
      agents.filter((other) => other !== name || repeating.includes(name)),
    ]),
  );
}

function without(
  disallowed: ReadonlyMap<string, readonly string[]>,
  agents: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    agents.map((name) => [
      name,
      agents.filter((other) => disallowed.get(name)?.includes(other) !== true),
    ]),
  );
}

function checkedMap(
  transitions: unknown,
  agents: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  if (!isJsonObject(transitions))
    throw invalidDefinition(
      `transitions must be lists of names by name, got ${typeName(transitions)}`,
    );
  return new Map(
    Object.entries(transitions).map(([name, targets]) => {
      checkMember(name, agents, "transitions");
      if (!Array.isArray(targets))
        throw invalidDefinition(
          `the transitions of ${preview(name)} must be a list of names, got ${typeName(targets)}`,
        );
      for (const target of targets)
        checkMember(target, agents, `the transitions of ${preview(name)}`);
      return [name, targets as readonly string[]];
    }),
  );
}

function checkMember(name: unknown, agents: readonly string[], where: string): void {
  if (typeof name !== "string" || !agents.includes(name))
    throw invalidDefinition(
      `${where} names ${preview(name)}, who is no member; members: ${agents.join(", ")}`,
    );
}

function repeated(map: ReadonlyMap<string, readonly string[]>): readonly string[] {
  return [...map].flatMap(([name, targets]) =>
    new Set(targets).size < targets.length
      ? [`the transitions of "${name}" name somebody more than once`]
      : [],
  );
}

function oddities(
  allowed: ReadonlyMap<string, readonly string[]>,
  agents: readonly string[],
): readonly string[] {
  const reached = new Set([...allowed.values()].flat());
  return agents.flatMap((name) => {
    const isSilent = (allowed.get(name)?.length ?? 0) === 0;
    if (isSilent && !reached.has(name))
      return [`"${name}" is isolated: no transition leads to it or from it`];
    return allowed.has(name) || reached.has(name)
      ? []
      : [`"${name}" is a member that no transition names`];
  });
}
