import type * as z from "zod";
import type { ToolSource } from "../../tool-source.ts";
import type { EnvVar } from "../../env-vars.ts";
import type { NeedsApproval } from "../../tool-context.ts";
import type { Tool } from "../../tool.ts";
import type { ToolFailurePolicy } from "../../tool-failure.ts";

/** Effect of a tool: R reads, W writes into the run's workspace, X acts outside of the run. */
export type EffectClass = "R" | "W" | "X";

/** Group of a tool in lists. */
export type ToolGroup =
  | "search"
  | "web"
  | "documents"
  | "files"
  | "databases"
  | "vision"
  | "code"
  | "automation"
  | "messages"
  | "everyday";

/** Variable or secret of a tool, and its place in requests. */
export type CatalogVariable = EnvVar & {
  /**
   * Place in each request to the tool's own hosts: a header, after `prefix`; the query; or the password of basic
   * authentication, with the user from another variable. @default nowhere
   */
  readonly send?:
    | { readonly header: string; readonly prefix?: string }
    | { readonly query: string }
    | { readonly basicUser: string };
  /** Subset of the tool's hosts it is sent to. @default all */
  readonly hosts?: readonly string[];
  /** Option replacing the variable, in camelCase. @default none */
  readonly option?: string;
  /** Set for a plain setting, not a secret: stored definitions may contain it. @default false */
  readonly isPlain?: boolean;
};

/** Tool of the catalogue, for lists, docs and definitions. Reading it runs no code of the tool. */
export type CatalogEntry = {
  /** Its class in CrewAI, or its own name: `SerperDevTool`. */
  readonly className: string;
  /** Further names for definitions, such as AG2's. */
  readonly otherNames: readonly string[];
  /** Name shown to models, once it is sanitised. */
  readonly displayName: string;
  readonly description: string;
  readonly group: ToolGroup;
  /** Name of the outside service: `Serper`. */
  readonly service: string;
  readonly effectClass: EffectClass;
  readonly variables: readonly CatalogVariable[];
  /** Hosts its secrets are sent to: `api.example.com`, `*.example.com`. */
  readonly hosts: readonly string[];
  /** Required bindings of the Worker, such as `BROWSER`. */
  readonly bindings: readonly string[];
  /** Options with the name of a host, in camelCase. */
  readonly hostOptions: readonly string[];
  /** Object options whose fields count as options, in camelCase. */
  readonly optionGroups: readonly string[];
  /**
   * Options forbidden in stored definitions, in camelCase, because they name variables of the deployment in their own
   * ways.
   */
  readonly codeOptions: readonly string[];
  /** Schema of the model's arguments. */
  readonly input: () => z.ZodObject;
  /** Schema of the tool's own options, by names in camelCase. */
  readonly options: () => z.ZodObject;
  /**
   * Creates the tool. Names of options are in snake_case or camelCase. Fails with `invalid_definition` for invalid
   * options.
   */
  readonly make: (options?: Readonly<Record<string, unknown>>) => MadeTool;
};

export type MadeTool = {
  /** One tool, or a source of several known at the start of a run. */
  readonly tool: Tool | ToolSource;
  /** Options without effect. */
  readonly warnings: readonly string[];
};

/** Options of every tool of the catalogue. */
export type SharedToolOptions = {
  /** Replaces the name shown to models. */
  readonly name?: string;
  /** Replaces the description shown to models. */
  readonly description?: string;
  readonly resultAsAnswer?: boolean;
  readonly maxUsageCount?: number;
  /** Allows reuse of a result for equal input, in crews with `cache: true`. */
  readonly cache?: boolean;
  readonly needsApproval?: NeedsApproval;
  readonly allowRepeat?: boolean;
  readonly toolFailurePolicy?: ToolFailurePolicy;
  readonly maxResultCharacters?: number;
  /** Time limit of one request, in milliseconds. @default the tool's, mostly 30_000 */
  readonly timeoutMs?: number;
  /**
   * Time for which later calls with the same arguments, in any run, reuse a result of a reading tool, in seconds: up to
   * 30 days. @default 0
   */
  readonly cacheSeconds?: number;
  /** Price of one credit of the service, in US dollars. It converts credits into money counted for `maxCostUsd`. */
  readonly prices?: { readonly credit: number };
  /** `browser` sends the name of a browser, for services and pages that reject other clients. */
  readonly userAgent?: string;
  /** Further headers of its requests. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** Reference to a variable of the deployment with an option's value. */
export type FromEnv = { readonly env: string };

/** Options of a tool in code. Each may be the name of a variable instead. */
export type OptionsInput<Options extends z.ZodObject> = SharedToolOptions & {
  readonly [
    Name in keyof z.input<Options> as [z.input<Options>[Name]] extends [never] ? never : Name
  ]?: z.input<Options>[Name] | FromEnv;
};

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** Options with fixed values for arguments of the same name, in camelCase. */
export type FixedOptions<Input extends z.ZodObject, Fixed extends string> = {
  readonly [Name in Fixed as CamelCase<Name>]?:
    | z.input<Input>[Name & keyof z.input<Input>]
    | FromEnv;
};

/** Options replacing variables. */
export type KeyOptions<Key extends string> = {
  readonly [Name in string extends Key ? "apiKey" : Key]?: string | FromEnv;
};

/** Factory of a catalogue tool, called with options. */
export type CatalogTool<
  Options extends z.ZodObject = z.ZodObject,
  Further extends object = object,
> = ((options?: OptionsInput<Options> & Further) => Tool) & { readonly entry: CatalogEntry };

/** Source of several tools of the catalogue, known at the start of a run. */
export type CatalogToolSource<
  Options extends z.ZodObject = z.ZodObject,
  Further extends object = object,
> = ((options?: OptionsInput<Options> & Further) => ToolSource) & { readonly entry: CatalogEntry };
