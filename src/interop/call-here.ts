// Calls of our tools by code of another framework.
//
//   TCF1. Within a run a call is a step of it; elsewhere it is a run of its own in this process. Both have the tool's
//         time limit, retries and events, and check its input.
//   TCF2. If the other framework gives up a call, the call is cancelled.
import { EngineError } from "../base/error.ts";
import { toBase64 } from "../base/bytes.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { RunScope } from "../events/run-scope.ts";
import type { RunServices } from "../events/run-services.ts";
import { workspaceOf } from "../files/workspace.ts";
import { LocalRun } from "../runtime/handle/local-run.ts";
import { callTool } from "../tools/call-tool.ts";
import { failureText } from "../tools/tool-failure.ts";
import type { ResultImage } from "../tools/tool-result.ts";
import type { Tool } from "../tools/tool.ts";

/** The caller, and the services for calls outside of a run. */
export type CallHereOptions = {
  /** Name in events, and `agentRole` for the tool. */
  readonly caller: string;
  readonly signal?: AbortSignal | undefined;
  /** Services for calls outside of a run. @default the environment's variables alone */
  readonly services?: RunServices | undefined;
};

/** Result of a tool. */
export type CalledTool = {
  /** Text for a model. */
  readonly text: string;
  /** The result as data, if it is more than the text. */
  readonly value?: JsonValue;
  /** Images in base64. */
  readonly images: ReadonlyArray<{ readonly data: string; readonly mediaType: string }>;
};

/**
 * Calls a tool. Throws `invalid_input` for invalid input, and `tool_failed` with the tool's own message if it fails.
 */
export function callHere(
  tool: Tool,
  input: unknown,
  { caller, signal, services }: CallHereOptions,
): Promise<CalledTool> {
  if (!isJsonObject(input))
    throw new EngineError("invalid_input", `the input of tool "${tool.name}" must be an object`);
  const scope = RunScope.current();
  if (scope !== undefined)
    return called(scope.atNext(`tool:${tool.safeName}`), { tool, input, caller });
  const run = new LocalRun<CalledTool>(
    { kind: "tool", name: tool.safeName, inputs: input },
    {
      tasks: [],
      run: (place) => called(place.at(`tool:${tool.safeName}`), { tool, input, caller }),
    },
    services === undefined ? {} : { services },
  );
  const cancel = (): void => void run.cancel("the caller gave up").catch(() => undefined);
  if (signal?.aborted === true) cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  return run.outputUnattended().finally(() => signal?.removeEventListener("abort", cancel));
}

type Call = { readonly tool: Tool; readonly input: JsonObject; readonly caller: string };

async function called(place: RunScope, { tool, input, caller }: Call): Promise<CalledTool> {
  const outcome = await callTool(place, {
    tool,
    input,
    caller: { agentRole: caller },
    keepsValue: true,
  });
  if (outcome.kind === "failure") {
    const { error, failure } = outcome;
    throw error ?? new EngineError("tool_failed", failureText(failure), { retryable: false });
  }
  const { text, value, extras } = outcome;
  return {
    text,
    ...(value === undefined || value === text ? undefined : { value }),
    images: await imagesOf(place, extras?.images ?? []),
  };
}

async function imagesOf(
  place: RunScope,
  images: readonly ResultImage[],
): Promise<CalledTool["images"]> {
  const found = images.map(async (image) => {
    if ("data" in image) return [image];
    if (!("path" in image)) return [];
    const file = await workspaceOf(place).read(image.path);
    if (file === undefined) return [];
    return [{ data: toBase64(file.content), mediaType: image.mediaType }];
  });
  return (await Promise.all(found)).flat();
}
