// The tools of `mcp()`: those for runs, those of the options, and one for each exposed subject.
//
//   ML1. Names are sanitized, and stable for the same app: a taken name gets `_2`.
import { toParameters } from "../../../tools/json-schema.ts";
import type { JsonObject } from "../../../base/json.ts";
import { isJsonObject } from "../../../base/json.ts";
import { uniqueToolNames } from "../../../wire/tool-name.ts";
import type { Tool } from "../../../tools/tool.ts";
import { EngineError } from "../../../base/error.ts";
import type { ExposedSubject } from "../../exposed-subject.ts";
import type { Exposure } from "../../exposure.ts";
import { toolEntry, type McpToolOptions } from "./mcp-options.ts";
import { argumentsSchema, resultSchema } from "./tool-schema.ts";
import { RUN_TOOLS, type RunToolName } from "./run-tools.ts";
import { TOOL_KIND } from "./tool-run.ts";

/** A tool in the form for clients. */
export type ListedTool = {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: Readonly<Record<string, string | boolean>>;
};

/** Target of a tool's call: a start, or a query of a run. */
export type FoundTool = ListedTool &
  (
    | { readonly kind: "run-tool"; readonly runTool: RunToolName }
    | {
        readonly kind: "start";
        readonly exposed: ExposedSubject;
        readonly task: "never" | "optional" | "required";
        /** True for a tool of the options: its arguments are its input, unchanged. */
        readonly isOwn: boolean;
      }
  );

/** The tools of a deployment. */
export class ToolList {
  readonly #exposure: Exposure;
  readonly #own: readonly McpToolOptions[];

  constructor(exposure: Exposure, tools: ReadonlyArray<Tool | McpToolOptions>) {
    this.#exposure = exposure;
    this.#own = tools.map(toolEntry);
  }

  /** Lists all tools of a tenant, in a stable order. */
  async all(tenant: string): Promise<readonly FoundTool[]> {
    const subjects = await this.#exposure.list(tenant);
    if (subjects.length + this.#own.length === 0) return [];
    const found = [
      ...RUN_TOOLS.map((each) => ({ ...each, kind: "run-tool" as const, runTool: each.name })),
      ...this.#own.map(ownTool),
      ...subjects.map(subjectTool),
    ];
    const names = uniqueToolNames(found.map(({ name }) => name));
    return found.map((each, index) => ({ ...each, name: names[index] ?? each.name }));
  }

  /** Returns undefined for an unknown name. */
  async find(tenant: string, name: string): Promise<FoundTool | undefined> {
    return (await this.all(tenant)).find((each) => each.name === name);
  }

  /** Returns the listed schema of a tool of the options; undefined for all others. */
  ownSchema(name: string): JsonObject | undefined {
    const names = uniqueToolNames([
      ...RUN_TOOLS.map((each) => each.name),
      ...this.#own.map(({ tool }) => tool.name),
    ]);
    return this.#own[names.indexOf(name) - RUN_TOOLS.length]?.tool.parameters;
  }

  /** Returns a tool of the options by its own name. Fails with `not_found` for a tool no longer in the deployment. */
  own(name: string): Tool {
    const entry = this.#own.find(({ tool }) => tool.name === name);
    if (entry !== undefined) return entry.tool;
    throw new EngineError("not_found", `the tool "${name}" is not in mcp({ tools }) any more`);
  }
}

/** Returns a tool without the server's internal fields. */
export function listed({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: FoundTool): ListedTool {
  return {
    name,
    ...(title === undefined ? undefined : { title }),
    description,
    inputSchema,
    ...(outputSchema === undefined ? undefined : { outputSchema }),
    ...(annotations === undefined ? undefined : { annotations }),
  };
}

function ownTool({ tool, title, outputSchema, annotations, task }: McpToolOptions): FoundTool {
  const { name, description, parameters, effect } = tool;
  const output = resultSchema(outputSchema ?? shapeOf(tool));
  const hints = { readOnlyHint: effect === "pure", idempotentHint: effect !== "once" };
  return {
    kind: "start",
    name,
    ...(title === undefined ? undefined : { title }),
    description,
    inputSchema: parameters,
    ...(output === undefined ? undefined : { outputSchema: output }),
    annotations: annotations ?? hints,
    exposed: {
      publicName: name,
      kind: TOOL_KIND,
      name,
      subject: {
        requiredInputs: [],
        start: (inputs) => ({ kind: TOOL_KIND, name, inputs }),
      },
      info: { description, inputSchema: parameters, skills: [] },
      options: {},
    },
    task: task ?? "never",
    isOwn: true,
  };
}

function subjectTool(exposed: ExposedSubject): FoundTool {
  const { publicName, info } = exposed;
  const output = resultSchema(info.outputSchema);
  return {
    kind: "start",
    name: publicName,
    ...(publicName === exposed.name ? { title: publicName } : undefined),
    description: describe(exposed),
    inputSchema: argumentsSchema(exposed),
    ...(output === undefined ? undefined : { outputSchema: output }),
    exposed,
    task: "optional",
    isOwn: false,
  };
}

const MAX_SKILLS = 8;

/** Returns the description with the skills. */
function describe({ info: { description, skills } }: ExposedSubject): string {
  const lines = skills
    .slice(0, MAX_SKILLS)
    .filter((skill) => skill.description !== description)
    .map((skill) => `- ${skill.name}: ${skill.description}`);
  return [description, ...lines].join("\n");
}

/** Returns the schema of a tool's result, if it is an object. */
function shapeOf({ resultSchema: schema }: Tool): JsonObject | undefined {
  if (schema === undefined) return undefined;
  try {
    const shape = toParameters(schema);
    return isJsonObject(shape) ? shape : undefined;
  } catch {
    return undefined;
  }
}
