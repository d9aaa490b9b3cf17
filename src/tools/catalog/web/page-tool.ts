import type * as z from "zod";
import { toolResult, type ToolResult } from "../../tool-result.ts";
import type { Tool } from "../../tool.ts";
import { catalogTool, entryOf } from "../base/catalog-tool.ts";
import type { RunSpec } from "../base/tool-spec.ts";
import type { CatalogTool, FixedOptions, MadeTool, OptionsInput } from "../base/entry.ts";
import { cookieVariables } from "./page-options.ts";

/** Creates a page-reading tool. In addition to its own variables, it reads the one named in its option `cookies`. */
export function pageTool<
  Input extends z.ZodObject,
  Options extends z.ZodObject,
  const Fixed extends string = never,
>(spec: RunSpec<Input, Options, Fixed>): CatalogTool<Options, FixedOptions<Input, Fixed>> {
  const make = (options: Readonly<Record<string, unknown>>): MadeTool => {
    const env = [...(spec.env ?? []), ...cookieVariables(options)];
    return catalogTool({ ...spec, env }).entry.make(options);
  };
  const entry = entryOf({ ...spec, codeOptions: ["cookies", ...(spec.codeOptions ?? [])] }, make);
  const tool = (options: OptionsInput<Options> & Partial<FixedOptions<Input, Fixed>> = {}): Tool =>
    entry.make(options).tool as Tool;
  return Object.assign(tool, { entry });
}

/** Returns a page's text as a result, with its author for the untrusted mark and its source for citations. */
export function pageResult(
  text: string,
  { url, title }: { readonly url: URL; readonly title?: string | undefined },
): ToolResult {
  return toolResult({
    text,
    sources: [{ url: url.href, ...(title === undefined ? undefined : { title }) }],
    untrusted: [url.host],
  });
}
