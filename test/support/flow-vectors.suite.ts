// The vectors of flows as a suite that takes how a flow is run.
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import type { RunEvent } from "../../src/events/run-event.ts";
import { FLOW_VECTORS, type FlowVector } from "./flow-vectors.ts";

export type PlayedFlow = {
  readonly status: string;
  readonly output?: unknown;
  /** The message of the run's error, or of the refusal to start it. */
  readonly error?: string | undefined;
  readonly events: readonly RunEvent[];
};

/** Runs a vector's flow to its end, with its inputs and what people answer. */
export type PlayFlow = (vector: FlowVector) => Promise<PlayedFlow>;

type Told = RunEvent & {
  readonly methodName: string;
  readonly params?: JsonObject;
};

export function flowVectors(where: string, play: PlayFlow): void {
  describe(`the vectors of flows, ${where}`, () => {
    it.each(FLOW_VECTORS)("$id: $says", async (vector) => {
      const { status, output, error, events } = await play(vector);
      const { value, state } = (output ?? {}) as { value?: JsonValue; state?: object };
      const told = (type: RunEvent["type"]) =>
        events.filter((event) => event.type === type) as Told[];
      const began = told("method_execution_started");
      const fired = began.map(({ methodName }) => methodName);
      const wokenWith = ([name]: [string, unknown]) =>
        [name, began.find(({ methodName }) => methodName === name)?.params?.["_0"]] as const;
      const { fires = fired.join(" "), fails, ended, count, state: wanted, received = {} } = vector;
      const finished = told("method_execution_finished").map(({ methodName }) => methodName);
      expect({
        status,
        error,
        fires: inGroups(fired, fires),
        ended: finished.join(" "),
        count: fired.length,
        value,
        state,
        received: Object.fromEntries(Object.entries(received).map(wokenWith)),
      }).toMatchObject({
        status: fails === undefined ? "completed" : "failed",
        error: fails?.exec(error ?? "")?.input,
        fires,
        received,
        ...(ended === undefined ? undefined : { ended }),
        ...(count === undefined ? undefined : { count }),
        ...(vector.value === undefined ? undefined : { value: vector.value }),
        ...(wanted === undefined ? undefined : { state: wanted }),
      });
    });
  });
}

/** Names as a vector writes them: those that it joins, in its order if they are the same ones. */
function inGroups(fired: readonly string[], expected: string): string {
  let at = 0;
  const groups = expected.split(" ").map((group) => {
    const names = group.split("|");
    const here = fired.slice(at, (at += names.length));
    return here.toSorted().join() === names.toSorted().join() ? group : here.join("|");
  });
  return [...groups, ...fired.slice(at)].join(" ");
}
