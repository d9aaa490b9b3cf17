// Events of a tool's own: a name and data, emitted by its code while it works.
//
//   TEV1. The place of the emitting code and the name are an event's key, with its number among equal ones. A call that
//         runs again after a crash or a wait emits the same events, and each is stored once.
//   TEV2. Data is JSON, stored whole. Data without a JSON form or above the limit fails with its path or its length.
//   TEV3. An ended or aborted call emits nothing.
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { toJson } from "../base/recorded.ts";
import { RunScope } from "../events/run-scope.ts";
import { keySegment } from "../journal/step-key.ts";
import type { ToolCaller, ToolContext } from "./tool-context.ts";

const NAME = /^[\p{L}\p{N}_.:-][\p{L}\p{M}\p{N}_.:-]{0,127}$/u;
/** Maximum length of an event's data, in characters of JSON. */
const MAX_DATA = 65_536;
/** Maximum number of events of one execution of a call. */
const MAX_EVENTS = 1000;

/** The call whose code emits. */
export type EmittingCall = Pick<ToolCaller, "agentRole"> & {
  readonly taskName: ToolCaller["taskName"] | undefined;
  readonly toolName: string;
  /** True once the call has ended. */
  readonly isOver: () => boolean;
};

/** Returns `emit` of a tool's context, for one execution of its call at `scope`. */
export function customEvents(scope: RunScope, call: EmittingCall): ToolContext["emit"] {
  const { toolName, agentRole, taskName, isOver } = call;
  let count = 0;
  return (name, data) => {
    if (isOver()) return;
    const checked = checkedData(name, data);
    if (++count > MAX_EVENTS)
      throw new EngineError(
        "limit_exceeded",
        `tool "${toolName}" emits more than ${MAX_EVENTS} events in one call`,
      );
    const current = RunScope.current();
    const place = current?.runId === scope.runId ? current : scope;
    place.atNext(`event:${keySegment(name)}`).emit("custom_event_emitted", {
      name,
      ...(checked === undefined ? undefined : { data: checked }),
      toolName,
      agentRole,
      ...(taskName === undefined ? undefined : { taskName }),
    });
  };
}

function checkedData(name: unknown, data: unknown) {
  if (typeof name !== "string" || !NAME.test(name))
    throw new EngineError(
      "invalid_input",
      `an event's name has 1 to 128 letters, digits, or characters of "_.:-", got ${preview(name)}`,
    );
  if (data === undefined) return undefined;
  const json = toJson(data, `the data of event "${name}"`);
  const { length } = JSON.stringify(json);
  if (length <= MAX_DATA) return json;
  throw new EngineError(
    "limit_exceeded",
    `event "${name}": its data has ${length} characters of JSON, at most ${MAX_DATA} are allowed`,
  );
}
