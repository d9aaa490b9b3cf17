import * as z from "zod";
import { camelCase } from "../../../base/camel-case.ts";
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import type { Tool } from "../../tool.ts";
import { catalogTool, entryOf } from "../base/catalog-tool.ts";
import type { RunSpec } from "../base/tool-spec.ts";
import type { CatalogTool, KeyOptions, OptionsInput } from "../base/entry.ts";
import { executeAction, PLATFORM } from "./crewai-platform.ts";

const options = () =>
  z.object({
    actionName: z.string().min(1),
    actionSchema: z.record(z.string(), z.json()).optional(),
  });

const SPEC: RunSpec<z.ZodObject, ReturnType<typeof options>, never, "enterpriseActionToken"> = {
  ...PLATFORM,
  className: "EnterpriseActionTool",
  displayName: "Enterprise action",
  description: "Performs an action of an app that is connected to an account of CrewAI.",
  input: () => z.looseObject({}),
  options,
  run: (input, { actionName: name }, io) => executeAction(io, { name, input: input as JsonObject }),
};

const entry = entryOf(SPEC, (settings) => {
  const named = Object.entries(settings).find(([name]) => camelCase(name) === "actionSchema");
  const parameters = parametersOf(named?.[1]);
  return catalogTool({ ...SPEC, parameters: parameters ?? { type: "object" } }).entry.make(
    settings,
  );
});

/** One action of a connected app, by its name and the schema of its arguments. */
export const enterpriseAction: CatalogTool<
  ReturnType<typeof options>,
  KeyOptions<"enterpriseActionToken">
> = Object.assign(
  (settings: OptionsInput<ReturnType<typeof options>> & KeyOptions<"enterpriseActionToken"> = {}) =>
    entry.make(settings).tool as Tool,
  { entry },
);

/** Returns the arguments, nested in OpenAI's function format or alone. */
function parametersOf(schema: unknown): JsonObject | undefined {
  if (!isJsonObject(schema)) return undefined;
  const { function: described } = schema;
  const { parameters } = isJsonObject(described) ? described : schema;
  return isJsonObject(parameters) ? parameters : undefined;
}
