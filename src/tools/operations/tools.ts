import * as z from "zod";
import { operation, type Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { findRegistered, pageOfRegistered } from "../../parts/registered.ts";
import { pageQuery } from "../../parts/schemas.ts";
import type { EnvVar } from "../env-vars.ts";
import type { CatalogListing, ToolCatalog } from "../tool-catalog.ts";
import { sanitizeToolName } from "../../wire/tool-name.ts";
import type { Tool } from "../tool.ts";
import { shape, type ViewOf } from "../../parts/shape.ts";
import { objectOf } from "../../parts/shapes.ts";

export const toolShape = shape("Tool", () =>
  z.strictObject({
    name: z.string().describe("In definitions"),
    otherNames: z.array(z.string()),
    modelName: z.string().describe("What models see"),
    description: z.string(),
    group: z.string().describe("`registered`, or what tools of the catalogue are listed by"),
    service: z.string().optional(),
    effect: z.enum(["reads", "writes", "acts"]).optional(),
    needsApproval: z.boolean(),
    variables: z.array(
      z.strictObject({
        name: z.string(),
        description: z.string(),
        required: z.boolean().optional(),
        default: z.string().optional(),
        oneOf: z.string().optional().describe("A group of which one must be set"),
        isSet: z.boolean(),
      }),
    ),
    missingBindings: z.array(z.string()),
    isReady: z.boolean().describe("Whether its variables are set and its bindings are there"),
    parameters: objectOf().describe("JSON Schema of the arguments"),
    options: objectOf()
      .optional()
      .describe("JSON Schema of the options that a definition may give"),
  }),
);

/** Tool available to definitions, in the API. */
export type ToolView = ViewOf<typeof toolShape>;

/** Operations of `/tools`: the tools available to stored definitions. */
export function toolOperations(
  {
    tools,
    catalogs,
  }: { readonly tools: readonly Tool[]; readonly catalogs: readonly ToolCatalog[] },
  host: PartHost,
): readonly Operation[] {
  let views: Readonly<Record<string, ToolView>> | undefined;
  const all = (): Readonly<Record<string, ToolView>> =>
    (views ??= Object.fromEntries(
      [
        ...catalogs.flatMap((catalog) => catalog.list()).map((listing) => listed(listing, host)),
        ...tools.map((tool) => registered(tool, host)),
      ].map((view) => [view.name, view]),
    ));
  return [
    operation({
      group: "Tools",
      id: "listTools",
      method: "get",
      path: "/tools",
      scope: "read",
      summary: "List tools",
      description:
        "What stored definitions can name: tools of the deployed code, and those of the catalogue, with the variables and bindings that each needs.",
      query: pageQuery,
      answers: { 200: { description: "A page of tools", list: toolShape } },
      problems: [400],
      handle: ({ query }) => ({
        status: 200,
        json: pageOfRegistered(all(), query, (_, view) => view),
      }),
    }),
    operation({
      group: "Tools",
      id: "getTool",
      method: "get",
      path: "/tools/{name}",
      scope: "read",
      summary: "Show a tool",
      answers: { 200: { description: "The tool", shape: toolShape } },
      problems: [404],
      // Getters, as listing a catalogue costs more than a start may.
      sample: {
        get values() {
          return { name: Object.keys(all())[0] ?? "search" };
        },
        get needs() {
          return Object.keys(all()).length > 0 ? undefined : "a tool in the app's code";
        },
      },
      handle: ({ params: { name = "" } }) => ({
        status: 200,
        json: findRegistered(all(), name, "tool"),
      }),
    }),
  ];
}

function registered(tool: Tool, host: PartHost): ToolView {
  const { safeName, description, parameters, needsApproval, service, actsOutside } = tool;
  const variables = withState(tool.envVars ?? [], host);
  return {
    name: safeName,
    otherNames: [],
    modelName: safeName,
    description,
    group: "registered",
    ...(service === undefined ? undefined : { service }),
    ...(actsOutside === true ? { effect: "acts" as const } : undefined),
    needsApproval: needsApproval !== undefined && needsApproval !== false,
    variables,
    missingBindings: [],
    isReady: areThere(variables),
    parameters,
  };
}

function listed(listing: CatalogListing, host: PartHost): ToolView {
  const { className, names, displayName, variables, bindings, ...rest } = listing;
  const states = withState(variables, host);
  const env = host.env as unknown as Readonly<Record<string, unknown>>;
  const missingBindings = bindings.filter((name) => env[name] === undefined);
  return {
    name: className,
    otherNames: names,
    modelName: sanitizeToolName(displayName),
    ...rest,
    needsApproval: listing.effect === "acts",
    variables: states,
    missingBindings,
    isReady: missingBindings.length === 0 && areThere(states),
  };
}

function withState(variables: readonly EnvVar[], host: PartHost): ToolView["variables"] {
  return variables.map((variable) => ({
    ...variable,
    isSet: (host.variables[variable.name] ?? "").trim() !== "",
  }));
}

function areThere(variables: ToolView["variables"]): boolean {
  return variables.every(({ oneOf, required = oneOf === undefined, isSet, default: fallback }) => {
    const isHere = isSet || fallback !== undefined;
    if (oneOf === undefined || isHere) return isHere || !required;
    return variables.some((other) => other.oneOf === oneOf && other.isSet);
  });
}
