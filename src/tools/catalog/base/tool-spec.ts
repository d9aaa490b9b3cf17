// Specification of a catalogue tool: data and stateless functions.
import type * as z from "zod";
import type { JsonObject } from "../../../base/json.ts";
import type { RunServices } from "../../../events/run-services.ts";
import type { Effect } from "../../../journal/step-spec.ts";
import type { CatalogVariable, EffectClass, ToolGroup } from "./entry.ts";
import type { ToolRequest } from "./request.ts";
import type { ToolIo, ToolResponse } from "./tool-io.ts";

/** Properties of every tool of the catalogue. */
export type ToolSpec<
  Input extends z.ZodObject,
  Options extends z.ZodObject,
  Fixed extends string = string,
  Key extends string = string,
> = {
  readonly className: string;
  readonly otherNames?: readonly string[];
  readonly displayName: string;
  readonly group: ToolGroup;
  /** Name of the outside service, used in failures, events and usage. */
  readonly service: string;
  readonly effectClass: EffectClass;
  /** Description for the model: purpose of the tool and when to use it. */
  readonly description: string | ((options: z.output<Options>) => string);
  readonly input: () => Input;
  /** JSON Schema of the arguments in place of `input`, for services that define them. */
  readonly parameters?: JsonObject;
  readonly options: () => Options;
  readonly env?: readonly (CatalogVariable & { readonly option?: Key })[];
  /** Allowed hosts for requests and secrets. A function adds hosts from options or plain variables. */
  readonly hosts?:
    | readonly string[]
    | ((
        options: z.output<Options>,
        valueOf: (name: string) => string | undefined,
      ) => readonly string[]);
  readonly bindings?: readonly string[];
  /** Throws if a run's services lack a requirement of the tool with these options. Such a run does not start. */
  readonly check?: (services: RunServices, options: Readonly<Record<string, unknown>>) => void;
  readonly hostOptions?: readonly string[];
  /** Object options whose fields count as options, such as CrewAI's `qdrant_config`. */
  readonly optionGroups?: readonly string[];
  readonly codeOptions?: readonly string[];
  /** Arguments that an option of the same name, in camelCase, can fix. */
  readonly fixable?: readonly Fixed[];
  /** Alternative names of arguments and of options a call may change. */
  readonly takes?: Readonly<Record<string, string>>;
  /** True if others wrote the text, which may contain instructions. @default true for class R with hosts */
  readonly untrusted?: boolean;
  /** Maximum length of the text, in characters. @default 32_000 */
  readonly maxChars?: number;
  /** Timeout of one request, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number;
  /** Timeout of the whole call, in milliseconds; calls with durable waits have none. @default 600_000 */
  readonly callTimeoutMs?: number;
  /** Minimum interval between two requests of one run to the service, in milliseconds. @default none */
  readonly minIntervalMs?: number;
  /** Matches messages about an exhausted quota, with any status. */
  readonly quota?: RegExp;
  /** Effect of repeating a call. @default idempotent, and "once" for tools that act outside */
  readonly effect?: Effect;
  /** Allows reuse of results for equal input, in crews with `cache: true`. @default true, for tools that read */
  readonly cache?: boolean;
  /** Allows two equal calls in a row. @default false */
  readonly allowRepeat?: boolean;
};

/** Tool with any number of requests. */
export type RunSpec<
  Input extends z.ZodObject,
  Options extends z.ZodObject,
  Fixed extends string = string,
  Key extends string = string,
> = ToolSpec<Input, Options, Fixed, Key> & {
  /**
   * Does the work. Returns a text as the result, `toolResult()` for more than a text, or other data, which the model
   * gets as JSON. Throws `serviceFailure()` on failure.
   */
  readonly run: (input: z.output<Input>, options: z.output<Options>, io: ToolIo) => unknown;
};

/** Tool with exactly one request. */
export type RequestSpec<
  Input extends z.ZodObject,
  Options extends z.ZodObject,
  Answer extends z.ZodType,
  Fixed extends string,
  Key extends string,
> = ToolSpec<Input, Options, Fixed, Key> & {
  readonly request: (input: z.output<Input>, options: z.output<Options>, io: ToolIo) => ToolRequest;
  /** Schema of the response. Any other response is the failure `bad_response`. */
  readonly answer: () => Answer;
  readonly result: (
    answer: z.output<Answer>,
    call: {
      readonly input: z.output<Input>;
      readonly options: z.output<Options>;
      readonly response: ToolResponse;
      readonly io: ToolIo;
    },
  ) => unknown;
};
