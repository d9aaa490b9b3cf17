// What the tools of Oxylabs have in common.
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
  /** What Oxylabs calls that which is read: `google_search`. */
  readonly source: string;
  /** Its arguments, under the names that Oxylabs has for them. */
  readonly input: () => Input;
};

/** A tool that has Oxylabs read one source. */
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

/** Arguments whose address, if they have one, is one that others can read. */
function withPublicUrl<Arguments extends { readonly url?: string }>(
  input: Arguments,
  io: ToolIo,
): Arguments {
  return input.url === undefined ? input : { ...input, url: publicAddress(input.url, io) };
}
