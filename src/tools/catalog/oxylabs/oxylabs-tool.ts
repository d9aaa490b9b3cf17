// Shared code of the tools of Oxylabs.
import * as z from "zod";
import { snakeCase } from "../../../base/camel-case.ts";
import type { JsonValue } from "../../../base/json.ts";
import { toolResult } from "../../tool-result.ts";
import { httpTool } from "../base/catalog-tool.ts";
import type { CatalogVariable, ToolGroup } from "../base/entry.ts";
import { sourcesOf } from "../base/results.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { publicAddress } from "../web/page-argument.ts";

const USERNAME = {
  name: "OXYLABS_USERNAME",
  description: "the user of Oxylabs' API",
  option: "username",
} as const satisfies CatalogVariable;
const PASSWORD = {
  name: "OXYLABS_PASSWORD",
  description: "the password of Oxylabs' API",
  send: { basicUser: "OXYLABS_USERNAME" },
  option: "password",
} as const satisfies CatalogVariable;

type OxylabsSpec<Input extends z.ZodObject> = {
  readonly className: string;
  readonly displayName: string;
  readonly description: string;
  readonly group: ToolGroup;
  /** Oxylabs's name of the source: `google_search`. */
  readonly source: string;
  /** Arguments under Oxylabs's names. */
  readonly input: () => Input;
};

/** Creates a tool for reading one source through Oxylabs. */
export function oxylabsTool<Input extends z.ZodObject>({ source, ...spec }: OxylabsSpec<Input>) {
  return httpTool({
    ...spec,
    service: "Oxylabs",
    effectClass: "R",
    options: () => z.object({ config: z.record(z.string(), z.json()).default({}) }),
    env: [USERNAME, PASSWORD],
    hosts: ["realtime.oxylabs.io"],
    timeoutMs: 180_000,
    request: (input: z.output<Input>, { config }, io) => ({
      url: "https://realtime.oxylabs.io/v1/queries",
      body: {
        source,
        ...withPublicUrl(input as { readonly url?: string }, io),
        ...Object.fromEntries(
          Object.entries(config).map(([name, value]) => [snakeCase(name), value]),
        ),
      },
    }),
    answer: () =>
      z.looseObject({
        results: z.array(z.looseObject({ content: z.json(), url: z.string().optional() })).min(1),
      }),
    result: ({ results: [first] }) => {
      const content: JsonValue = first?.content ?? null;
      return toolResult({
        text: typeof content === "string" ? content : JSON.stringify(content, null, 1),
        data: content,
        sources: sourcesOf([{ url: first?.url }]),
      });
    },
  });
}

/** Returns the arguments after checking that their address, if any, is public. */
function withPublicUrl<Arguments extends { readonly url?: string }>(
  input: Arguments,
  io: ToolIo,
): Arguments {
  return input.url === undefined ? input : { ...input, url: publicAddress(input.url, io) };
}
