import type * as z from "zod";
import type { ToolSource } from "../../tool-source.ts";
import type { EnvVar } from "../../env-vars.ts";
import type { NeedsApproval, Tool } from "../../tool.ts";
import type { ToolFailurePolicy } from "../../tool-failure.ts";

/** What a tool does to the world: it reads, it writes into the run's workspace, it acts outside of the run. */
export type EffectClass = "R" | "W" | "X";

/** What tools are listed by. */
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

/** A variable or secret that a tool reads, and where its requests have it. */
export type CatalogVariable = EnvVar & {
  /**
   * Put into each request to the tool's own hosts: into a header, behind `prefix`, into the query, or as the password of basic
   * authentication, with the user that another variable holds. @default nowhere
   */
  readonly send?:
    | { readonly header: string; readonly prefix?: string }
    | { readonly query: string }
    | { readonly basicUser: string };
  /** Those of the tool's hosts that it is sent to. @default all */
  readonly hosts?: readonly string[];
  /** The option that can give it instead, in camelCase. @default none */
  readonly option?: string;
  /** A plain setting, no secret: it may stand in stored definitions. @default false */
  readonly isPlain?: boolean;
};

/** A tool of the catalogue, as lists, docs and definitions see it. Reading it runs nothing of the tool. */
export type CatalogEntry = {
  /** Its class in CrewAI, or its own name: `SerperDevTool`. */
  readonly className: string;
  /** Further names that definitions may use, such as AG2's. */
  readonly otherNames: readonly string[];
  /** The name that models see, once it is sanitised. */
  readonly displayName: string;
  readonly description: string;
  readonly group: ToolGroup;
  /** Who answers: `Serper`. */
  readonly service: string;
  readonly effectClass: EffectClass;
  readonly variables: readonly CatalogVariable[];
  /** The hosts that its secrets are sent to: `api.example.com`, `*.example.com`. */
  readonly hosts: readonly string[];
  /** Bindings of the Worker that it needs, such as `BROWSER`. */
  readonly bindings: readonly string[];
  /** Options that name a host, in camelCase. */
  readonly hostOptions: readonly string[];
  /** Objects among the options whose fields count as options, in camelCase. */
  readonly optionGroups: readonly string[];
  /** Options that stored definitions cannot set, in camelCase: those that name variables of the deployment in ways of their own. */
  readonly codeOptions: readonly string[];
  /** Schema of the arguments that a model writes. */
  readonly input: () => z.ZodObject;
  /** Schema of the options of its own, by names in camelCase. */
  readonly options: () => z.ZodObject;
  /** Makes the tool. Names of options in snake_case or camelCase. Throws `invalid_definition` for options that cannot be. */
  readonly make: (options?: Readonly<Record<string, unknown>>) => MadeTool;
};

export type MadeTool = {
  /** One tool, or a source of several that are known when a run begins. */
  readonly tool: Tool | ToolSource;
  /** Options that have no effect. */
  readonly warnings: readonly string[];
};

/** Options that every tool of the catalogue has. */
export type SharedToolOptions = {
  /** Replaces the name that models see. */
  readonly name?: string;
  /** Replaces the description that models see. */
  readonly description?: string;
  readonly resultAsAnswer?: boolean;
  readonly maxUsageCount?: number;
  /** Whether a result may be reused for equal input, in crews with `cache: true`. */
  readonly cache?: boolean;
  readonly needsApproval?: NeedsApproval;
  readonly allowRepeat?: boolean;
  readonly toolFailurePolicy?: ToolFailurePolicy;
  readonly maxResultCharacters?: number;
  /** Time limit of one request, in milliseconds. @default the tool's, mostly 30_000 */
  readonly timeoutMs?: number;
  /**
   * For how long a result of a tool that reads is given to later calls with the same arguments, of whatever run, in seconds: up to 30
   * days. @default 0
   */
  readonly cacheSeconds?: number;
  /** What one credit of the service costs, in US dollars: turns credits into money that counts for `maxCostUsd`. */
  readonly prices?: { readonly credit: number };
  /** `browser` sends the name of a browser, for services and pages that refuse others. */
  readonly userAgent?: string;
  /** Further headers of its requests. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** An option's value that a variable of the deployment holds. */
export type FromEnv = { readonly env: string };

/** Options of a tool in code: each may be the name of a variable instead. */
export type OptionsInput<Options extends z.ZodObject> = SharedToolOptions & {
  readonly [
    Name in keyof z.input<Options> as [z.input<Options>[Name]] extends [never] ? never : Name
  ]?: z.input<Options>[Name] | FromEnv;
};

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** Options that fix arguments of the same name, in camelCase. */
export type FixedOptions<Input extends z.ZodObject, Fixed extends string> = {
  readonly [Name in Fixed as CamelCase<Name>]?:
    | z.input<Input>[Name & keyof z.input<Input>]
    | FromEnv;
};

/** Options that stand in for variables. */
export type KeyOptions<Key extends string> = {
  readonly [Name in string extends Key ? "apiKey" : Key]?: string | FromEnv;
};

/** A tool of the catalogue: called with options it makes the tool. */
export type CatalogTool<
  Options extends z.ZodObject = z.ZodObject,
  Further extends object = object,
> = ((options?: OptionsInput<Options> & Further) => Tool) & { readonly entry: CatalogEntry };

/** Several tools of the catalogue that are known when a run begins. */
export type CatalogToolSource<
  Options extends z.ZodObject = z.ZodObject,
  Further extends object = object,
> = ((options?: OptionsInput<Options> & Further) => ToolSource) & { readonly entry: CatalogEntry };
