// A Python crew as data, for a file beside its YAML.
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { CodeNames } from "./crew-arguments.ts";
import type { OpenPlace } from "./open-places.ts";
import type { PythonSource } from "./python-source.ts";
import type { TakenCode } from "./unread-code.ts";

/** Contents of a crew's code. */
export type CrewClass = {
  readonly className: string;
  readonly source: PythonSource;
  /** Files with its methods. */
  readonly files: ReadonlySet<string>;
  /** Path from the class, or CrewAI's default. */
  readonly agentsFile: string;
  readonly tasksFile: string;
  /** Agents by the name of their method, in the order of the crew. */
  readonly agents: ReadonlyMap<string, Part>;
  /** Tasks by the name of their method, in the order of the crew. */
  readonly tasks: ReadonlyMap<string, Part>;
  readonly crew: JsonObject;
  /** Tools and models made by methods, by the names of the methods. The YAML may use these names. */
  readonly tools: ReadonlyMap<string, JsonValue>;
  readonly models: ReadonlyMap<string, JsonValue>;
  /** Names of required code. */
  readonly uses: CodeNames;
  readonly methods: { readonly all: number; readonly whole: number };
  readonly open: readonly OpenPlace[];
  /** Code without an effect here. */
  readonly leftOut: readonly OpenPlace[];
  /** Functions and assignments that were read, as keys of `codeKey`. */
  readonly taken: TakenCode;
};

/** YAML key of an agent or task, and the fields added by the code. */
export type Part = { readonly config: string | undefined; readonly fields: JsonObject };
