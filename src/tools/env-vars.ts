// Required variables and secrets of tools. A missing one is reported before the run starts, not during it.
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import type { RunServices } from "../events/run-services.ts";

/** Variable or secret of the deployment that a tool reads from `context.env`. */
export type EnvVar = {
  readonly name: string;
  /** Meaning and origin of the variable, for the message if it is missing. */
  readonly description: string;
  /** @default true, unless there is a default or `oneOf` */
  readonly required?: boolean;
  readonly default?: string;
  /** Name of a group of variables, at least one of which must be set. */
  readonly oneOf?: string;
};

type Declaring = { readonly name: string; readonly envVars?: readonly EnvVar[] };

declare module "../events/run-services.ts" {
  interface RunServices {
    /** Variables and secrets that tools may declare. Absent if they are unknown; then they are not checked. */
    readonly variables?: Readonly<Record<string, string | undefined>>;
  }
}

/** Fails with `invalid_definition` for invalid declarations. */
export function checkEnvVars(envVars: readonly EnvVar[], toolName: string): void {
  for (const [index, { name, description }] of envVars.entries()) {
    if (typeof name === "string" && /^[A-Za-z_]\w*$/.test(name) && typeof description === "string")
      continue;
    throw new EngineError(
      "invalid_definition",
      `tool "${toolName}": envVars[${index}] must have a name of letters, digits and _ and a description, got ${preview(envVars[index])}`,
    );
  }
}

/**
 * Returns the variables declared by a tool, by name, without surrounding blanks. Fails with `invalid_definition` and
 * the names of required variables that are missing or blank. If the deployment's variables are unknown, none counts as
 * missing.
 */
export function envOf(
  tool: Declaring,
  variables: RunServices["variables"],
): Readonly<Record<string, string>> {
  if (tool.envVars === undefined) return NO_VARIABLES;
  const { env, missing } = read(tool.envVars, variables);
  if (missing.length > 0) throw lacking([{ tool, missing }]);
  return env;
}

/** Rejects tools with missing required variables, all in one error. */
export function requireEnvVars(
  tools: readonly Declaring[],
  variables: RunServices["variables"],
): void {
  const all = [...new Set(tools)].flatMap((tool) => {
    const { missing } = read(tool.envVars ?? [], variables);
    return missing.length === 0 ? [] : [{ tool, missing }];
  });
  if (all.length > 0) throw lacking(all);
}

function read(
  envVars: readonly EnvVar[],
  variables: RunServices["variables"],
): { readonly env: Readonly<Record<string, string>>; readonly missing: readonly string[] } {
  const env: Record<string, string> = {};
  const missing: string[] = [];
  for (const { name, description, oneOf, required = !oneOf, default: fallback } of envVars) {
    const own = variables?.[name]?.trim() ?? "";
    const value = own === "" ? fallback : own;
    if (value !== undefined) env[name] = value;
    else if (required && variables !== undefined) missing.push(`${name} (${description})`);
  }
  const groups = Map.groupBy(envVars, ({ oneOf }) => oneOf);
  for (const [group, members] of groups)
    if (group !== undefined && variables !== undefined && !members.some(({ name }) => name in env))
      missing.push(`one of ${members.map(({ name }) => name).join(", ")}`);
  return { env, missing };
}

function lacking(
  all: readonly { readonly tool: Declaring; readonly missing: readonly string[] }[],
): EngineError {
  const each = all.map(
    ({ tool, missing }, index) =>
      `tool "${tool.name}" needs ${index === 0 ? "variables that this deployment does not set: " : ""}${missing.join(", ")}`,
  );
  return new EngineError("invalid_definition", each.join("; "));
}

const NO_VARIABLES: Readonly<Record<string, string>> = Object.freeze({});
