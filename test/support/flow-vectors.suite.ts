// The vectors of flows as a suite that takes how a flow is run.
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/base/json.ts";
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
  readonly params?: { readonly _0: JsonValue };
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
      const ended = told("method_execution_finished").map(({ methodName }) => methodName);
      expect({ status, error }).toEqual(
        vector.fails === undefined
          ? { status: "completed", error: undefined }
          : { status: "failed", error: expect.stringMatching(vector.fails) as string },
      );
      if (vector.fires !== undefined) expect(inGroups(fired, vector.fires)).toBe(vector.fires);
      if (vector.count !== undefined) expect(fired).toHaveLength(vector.count);
      if (vector.ended !== undefined) expect(ended.join(" ")).toBe(vector.ended);
      if (vector.value !== undefined) expect(value).toEqual(vector.value);
      if (vector.state !== undefined) expect(state).toMatchObject(vector.state);
      for (const [name, woken] of Object.entries(vector.received ?? {}))
        expect(began.find(({ methodName }) => methodName === name)?.params).toEqual({ _0: woken });
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
