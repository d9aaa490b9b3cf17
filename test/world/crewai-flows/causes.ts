// Methods that a rule which differs may touch, and a look at whether a difference is in these alone.
import { textOf, type FlowDifference } from "./compare.ts";
import {
  namesOf,
  type FlowProgram,
  type Method,
  type Outcome,
  type Trigger,
} from "./flow-program.ts";

/** The flow itself, and the flows within its methods. */
export function flowsIn(program: FlowProgram): readonly FlowProgram[] {
  const inner = program.methods.flatMap(({ name, inner: methods }) =>
    methods === undefined ? [] : [{ id: name, methods, kickoffs: [] }],
  );
  return [program, ...inner];
}

/**
 * True when the methods which `roots` finds, and those that they lead to, are all that differs: how often they ran and with which
 * values, what they gave, wrote or failed with. A method that leads on through a flow within it stands for that flow. One of them
 * that ran again on one side alone has armed all listeners that wait for any of several.
 */
export function isCausedBy(
  difference: FlowDifference,
  roots: (program: FlowProgram) => readonly string[],
): boolean {
  const { program } = difference;
  const [own = program, ...inner] = flowsIn(program);
  const holders = inner.filter((each) => roots(each).length > 0).map(({ id }) => id);
  const touched = ledToBy(program, [...roots(own), ...holders]);
  if (touched.size === 0) return false;
  const changed = changedIn(difference);
  if (changed.some((name) => touched.has(name) && ranAgain(name, difference)))
    for (const name of ledToBy(program, namesOfAnyListeners(program))) touched.add(name);
  if (changed.length > 0) return changed.every((name) => touched.has(name));
  return namedIn(difference).some((name) => touched.has(name));
}

function ledToBy({ methods }: FlowProgram, roots: readonly string[]): Set<string> {
  const touched = new Set<string>();
  const waiting = [...roots];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (touched.has(name)) continue;
    touched.add(name);
    const ends = endsOf(methods.find((method) => method.name === name));
    for (const method of methods)
      if (triggersOf(method).some((each) => ends.has(each))) waiting.push(method.name);
  }
  return touched;
}

function ranAgain(name: string, { ours, theirs }: FlowDifference): boolean {
  const counts = [ours, theirs].map((outcome) => executionsIn(outcome).get(name)?.length ?? 0);
  return counts[0] !== counts[1] && Math.max(...counts) > 1;
}

/** Listeners that wait for any of several, and no routers. */
function namesOfAnyListeners({ methods }: FlowProgram): readonly string[] {
  return methods
    .filter(
      ({ listen, emit, review }) =>
        emit === undefined &&
        review?.emit === undefined &&
        typeof listen === "object" &&
        "or" in listen,
    )
    .map(({ name }) => name);
}

/** The method's name, its labels, and how odd results of routers are called. */
function endsOf(method: Method | undefined): ReadonlySet<string> {
  if (method === undefined) return new Set();
  const odd = method.labels?.map(String) ?? [];
  return new Set([method.name, ...(method.emit ?? []), ...(method.review?.emit ?? []), ...odd]);
}

function triggersOf({ start, listen }: Method): readonly string[] {
  const triggers = [start === true ? undefined : start, listen];
  return triggers.flatMap((each: Trigger | undefined) => (each === undefined ? [] : namesOf(each)));
}

/** Methods that ran another number of times, or with other values. */
function changedIn({ ours, theirs }: FlowDifference): readonly string[] {
  const [here, there] = [executionsIn(ours), executionsIn(theirs)];
  return [...new Set([...here.keys(), ...there.keys()])].filter(
    (name) => textOf(here.get(name)?.toSorted()) !== textOf(there.get(name)?.toSorted()),
  );
}

function executionsIn(outcome: Outcome | undefined): ReadonlyMap<string, readonly string[]> {
  const executions = new Map<string, string[]>();
  for (const [ran, ...values] of outcome?.ran ?? []) {
    const name = ran.replace(/_.*/, "");
    executions.set(name, [...(executions.get(name) ?? []), textOf([ran, ...values])]);
  }
  return executions;
}

/** Methods whose marks are in what differs: in the value, in the message, or in the state. */
function namedIn({ program, field, ours, theirs }: FlowDifference): readonly string[] {
  if (field === "state")
    return program.methods.filter(({ writes }) => writes !== undefined).map(({ name }) => name);
  const said = textOf([ours?.value, theirs?.value, ours?.message, theirs?.message]);
  const labels = program.methods.filter(({ emit = [], review }) =>
    [...emit, ...(review?.emit ?? [])].some((label) => said.includes(`"${label}"`)),
  );
  return [...said.matchAll(/m\d+/g)].map(([name]) => name).concat(labels.map(({ name }) => name));
}
