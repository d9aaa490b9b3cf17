// Tools offered by a service. The list is requested at the start of a run and recorded.
//
//   TSV1. A run asks a service once for its tools and uses the answer permanently. For five minutes, other runs with
//         the same key reuse it.
//   TSV2. If the service cannot list its tools, the run ends before the first model call.
import * as z from "zod";
import { cut } from "../../../base/cut.ts";
import { EngineError } from "../../../base/error.ts";
import type { JsonObject } from "../../../base/json.ts";
import { sha256Hex } from "../../../base/sha256.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import { envOf } from "../../env-vars.ts";
import { failureText, isToolFailure } from "../../tool-failure.ts";
import { ToolResult, toolResult } from "../../tool-result.ts";
import type { ToolSource, ToolSourceOwner } from "../../tool-source.ts";
import { toolContext, type Tool } from "../../tool.ts";
import { catalogTool, entryOf } from "./catalog-tool.ts";
import type { ToolSpec } from "./tool-spec.ts";
import type { CatalogToolSource, KeyOptions, OptionsInput } from "./entry.ts";
import { REQUEST_RETRY } from "./request-retry.ts";
import { badResponse } from "./service-failure.ts";
import type { ToolIo } from "./tool-io.ts";

/** Tool in the service's description. */
export type OfferedTool = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object. */
  readonly parameters: JsonObject;
  /** True for a tool that only reads. @default what the tools of the service do */
  readonly reads?: boolean;
  /** Data of the tool for its calls, beside its name. */
  readonly about?: Readonly<Record<string, string>>;
};

export type ServiceToolsSpec<Options extends z.ZodObject, Key extends string> = Omit<
  ToolSpec<z.ZodObject, Options, never, Key>,
  "input" | "parameters" | "fixable"
> & {
  /** Lists the tools. Throws `serviceFailure()`. */
  readonly list: (options: z.output<Options>, io: ToolIo) => Promise<readonly OfferedTool[]>;
  /** Calls one of the tools. */
  readonly call: (
    call: {
      readonly offered: OfferedTool;
      readonly input: JsonObject;
      readonly options: z.output<Options>;
    },
    io: ToolIo,
  ) => unknown;
};

const MAX_DESCRIPTION = 1024;
const KEPT_MS = 300_000;
const MAX_KEPT = 100;

/** Lists from services, by a digest of caller and request. */
const kept = new Map<string, { readonly atMs: number; readonly found: readonly OfferedTool[] }>();

/** Creates a source of a service's tools. */
export function serviceTools<Options extends z.ZodObject, const Key extends string = string>(
  spec: ServiceToolsSpec<Options, Key>,
): CatalogToolSource<Options, KeyOptions<Key>> {
  const { list, call, ...rest } = spec;
  const none = { ...rest, input: () => z.object({}) };
  const asking = catalogTool({
    ...none,
    effectClass: "R",
    run: async (_, options, io) => {
      const found = await list(options, io);
      return toolResult({ text: "", data: found });
    },
  });
  const entry = entryOf<z.ZodObject, Options>(none, (options) => {
    const { tool, warnings } = asking.entry.make(options);
    const source: ToolSource = {
      name: spec.className,
      open: async (place, owner) => {
        const found = await offeredIn(place, owner, { asking: tool as Tool, options, spec });
        return found.map((offered) => toolOf(offered, options));
      },
    };
    return { tool: source, warnings };
  });

  function toolOf(offered: OfferedTool, options: Readonly<Record<string, unknown>>): Tool {
    const { name: _, description: __, ...own } = options;
    const effectClass = offered.reads === true ? "R" : spec.effectClass;
    const made = (parameters: JsonObject): Tool =>
      catalogTool({
        ...none,
        effectClass,
        displayName: offered.name,
        description: cut(offered.description.trim() || offered.name, MAX_DESCRIPTION),
        parameters,
        run: (input, each, io) => call({ offered, input: input, options: each }, io),
      }).entry.make(own).tool as Tool;
    try {
      return made(offered.parameters);
    } catch (error) {
      if (!EngineError.is(error) || error.code !== "invalid_definition") throw error;
      return made({ type: "object" });
    }
  }

  const make = (options: OptionsInput<Options> & KeyOptions<Key> = {}): ToolSource =>
    entry.make(options).tool as ToolSource;
  return Object.assign(make, { entry });
}

/**
 * Returns the recorded list of the service's tools. Fails with `invalid_definition` for missing variables, or with the
 * service's failure.
 */
function offeredIn(
  place: RunScope,
  { agentRole }: ToolSourceOwner,
  {
    asking,
    options,
    spec,
  }: {
    readonly asking: Tool;
    readonly options: Readonly<Record<string, unknown>>;
    readonly spec: { readonly className: string; readonly service: string };
  },
): Promise<readonly OfferedTool[]> {
  const env = envOf(asking, place.services.variables);
  return place.at("list").step<readonly OfferedTool[]>({
    kind: "tool",
    label: `${spec.service}: tools`,
    effect: "idempotent",
    retry: REQUEST_RETRY,
    timeoutMs: asking.timeoutMs,
    run: async (step, inside) => {
      const key = sha256Hex(JSON.stringify([spec.className, options, env]));
      const known = kept.get(key);
      const nowMs = place.clock.now();
      if (known !== undefined && nowMs - known.atMs < KEPT_MS) return known.found;
      const context = toolContext(step, inside, {
        agentRole,
        env,
        toolName: asking.safeName,
        isOver: () => false,
      });
      const result = await inside.run(() => asking.call({}, context));
      if (isToolFailure(result)) {
        const { retryable, retryAfterMs } = result;
        const message = `the tools of ${spec.service} are not known: ${failureText(result)}`;
        throw new EngineError("tool_failed", message, { retryable, retryAfterMs });
      }
      const found = result instanceof ToolResult ? result.fields.data : undefined;
      if (found === undefined) throw badResponse(spec.service, "more tools than fit");
      kept.delete(key);
      kept.set(key, { atMs: nowMs, found: found as unknown as readonly OfferedTool[] });
      for (const oldest of kept.keys()) if (kept.size > MAX_KEPT) kept.delete(oldest);
      return found as unknown as readonly OfferedTool[];
    },
  });
}
