import * as z from "zod";
import { entryOf } from "../base/catalog-tool.ts";
import type { CatalogToolSource, CatalogVariable, MadeTool } from "../base/entry.ts";
import { parseOptions, readOptions } from "../base/read-options.ts";
import { serverSource } from "../mcp/server-source.ts";

const CLASS = "MergeAgentHandlerTool";

const KEY: CatalogVariable = {
  name: "AGENT_HANDLER_API_KEY",
  description: "the key of Merge Agent Handler",
  option: "apiKey",
};

const options = z.object({
  toolPackId: z.string().min(1),
  registeredUserId: z.string().min(1),
  toolName: z.string().min(1).describe("The one tool that agents get").optional(),
  toolNames: z.array(z.string().min(1)).describe("The tools that agents get").optional(),
  baseUrl: z.url({ protocol: /^https$/ }).default("https://ah-api.merge.dev"),
});

const entry = entryOf(
  {
    className: CLASS,
    displayName: "Merge Agent Handler",
    group: "automation",
    service: "Merge Agent Handler",
    effectClass: "X",
    description:
      "Gives an agent tools of Linear, Slack, GitHub and other services, as Merge Agent Handler offers them to one of its users.",
    input: () => z.object({}),
    options: () => options,
    env: [KEY],
    hosts: ["ah-api.merge.dev"],
    hostOptions: ["baseUrl"],
  },
  (written) => make(written),
);

/** Tools of a pack of Merge Agent Handler, for one registered user. */
export const mergeAgentHandler: CatalogToolSource<typeof options> = Object.assign(
  (written: Parameters<CatalogToolSource<typeof options>>[0] = {}) =>
    entry.make(written).tool as never,
  { entry },
);

function make(written: Readonly<Record<string, unknown>>): MadeTool {
  const spec = { className: CLASS, variables: [KEY], schema: options };
  const read = readOptions(written, spec);
  const { secrets, references, shared, warnings } = read;
  const own = parseOptions({ ...read, references: {} }, spec, {}) as z.output<typeof options>;
  const { toolPackId, registeredUserId, toolName, toolNames, baseUrl } = own;
  const names = toolName === undefined ? toolNames : [toolName];
  const pack = encodeURIComponent(toolPackId);
  const user = encodeURIComponent(registeredUserId);
  const server = {
    url: `${baseUrl}/api/v1/tool-packs/${pack}/registered-users/${user}/mcp`,
    name: shared.name ?? "merge",
    auth: { token: secrets[KEY.name] ?? { env: references[`$${KEY.name}`] ?? KEY.name } },
    needsApproval: shared.needsApproval ?? true,
    ...(names === undefined ? undefined : { toolFilter: names }),
  };
  return {
    tool: serverSource(CLASS, { name: "merge", servers: [server as never] }),
    warnings,
  };
}
