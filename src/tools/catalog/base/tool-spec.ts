// What a tool of the catalogue is made of: data, and functions without state.
import type * as z from "zod";
import type { JsonObject } from "../../../base/json.ts";
import type { RunServices } from "../../../events/run-services.ts";
import type { Effect } from "../../../journal/step-spec.ts";
import type { CatalogVariable, EffectClass, ToolGroup } from "./entry.ts";
import type { ToolRequest } from "./request.ts";
import type { ToolIo, ToolResponse } from "./tool-io.ts";

/** What every tool of the catalogue says of itself. */
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
  /** Who answers: named in failures, events and usage. */
  readonly service: string;
  readonly effectClass: EffectClass;
  /** What the model reads: what the tool does and when to use it. */
  readonly description: string | ((options: z.output<Options>) => string);
  readonly input: () => Input;
  /** JSON Schema of the arguments, in place of `input`, where a service says what they are. */
  readonly parameters?: JsonObject;
  readonly options: () => Options;
  readonly env?: readonly (CatalogVariable & { readonly option?: Key })[];
  /** The hosts that requests and secrets may go to. A function adds those that options or plain variables name. */
  readonly hosts?:
    | readonly string[]
    | ((
        options: z.output<Options>,
        valueOf: (name: string) => string | undefined,
      ) => readonly string[]);
  readonly bindings?: readonly string[];
  /** Throws where a run's services lack what the tool needs, with these options: such a run does not begin. */
  readonly check?: (services: RunServices, options: Readonly<Record<string, unknown>>) => void;
  readonly hostOptions?: readonly string[];
  /** Objects among the options whose fields count as options, such as CrewAI's `qdrant_config`. */
  readonly optionGroups?: readonly string[];
  readonly codeOptions?: readonly string[];
  /** Arguments that an option of the same name, in camelCase, fixes. */
  readonly fixable?: readonly Fixed[];
  /** Other names of arguments, and of options that a call may change. */
  readonly takes?: Readonly<Record<string, string>>;
  /** Whether the text was written by others, and may try to give orders. @default true for class R with hosts */
  readonly untrusted?: boolean;
  /** Characters of the text. @default 32_000 */
  readonly maxChars?: number;
  /** Of one request, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number;
  /** Of the whole call, in milliseconds; calls that wait durably have none. @default 600_000 */
  readonly callTimeoutMs?: number;
  /** Between two requests of one run to the service, in milliseconds. @default none */
  readonly minIntervalMs?: number;
  /** Words of an answer that say that a quota is used up, whatever the status. */
  readonly quota?: RegExp;
  /** @default idempotent, and "once" for tools that act outside */
  readonly effect?: Effect;
  /** Whether results may be reused for equal input, in crews with `cache: true`. @default true, for tools that read */
  readonly cache?: boolean;
  /** Two equal calls in a row are two calls. @default false */
  readonly allowRepeat?: boolean;
};

/** A tool that makes several requests, or none. */
export type RunSpec<
  Input extends z.ZodObject,
  Options extends z.ZodObject,
  Fixed extends string = string,
  Key extends string = string,
> = ToolSpec<Input, Options, Fixed, Key> & {
  /**
   * Does the work. A text is the result, `toolResult()` more than that; anything else is data, which the model gets as JSON. Throws
   * `serviceFailure()` for what cannot be done.
   */
  readonly run: (input: z.output<Input>, options: z.output<Options>, io: ToolIo) => unknown;
};

/** A tool that makes one request. */
export type RequestSpec<
  Input extends z.ZodObject,
  Options extends z.ZodObject,
  Answer extends z.ZodType,
  Fixed extends string,
  Key extends string,
> = ToolSpec<Input, Options, Fixed, Key> & {
  readonly request: (input: z.output<Input>, options: z.output<Options>, io: ToolIo) => ToolRequest;
  /** What an answer must look like: any other is the failure `bad_response`. */
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
