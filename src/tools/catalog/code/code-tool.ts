import type * as z from "zod";
import type { ToolContext } from "../../tool-context.ts";
import type { Tool } from "../../tool.ts";
import { catalogTool, entryOf } from "../base/catalog-tool.ts";
import type { ToolSpec } from "../base/tool-spec.ts";
import type { CatalogTool, OptionsInput } from "../base/entry.ts";
import { parseOptions, readOptions } from "../base/read-options.ts";

type CodeToolSpec<Input extends z.ZodObject, Options extends z.ZodObject> = ToolSpec<
  Input,
  Options
> & {
  /** Creates the tool doing the work, from code. */
  readonly toolOf: (options: z.output<Options>) => Tool;
  /** Converts the arguments. @default as they are */
  readonly argumentsOf?: (input: z.output<Input>) => object;
};

/** Creates a code tool for definitions that uses the deployment's code runner. */
export function codeTool<Input extends z.ZodObject, Options extends z.ZodObject>({
  toolOf,
  argumentsOf = (input) => input,
  ...spec
}: CodeToolSpec<Input, Options>): CatalogTool<Options> {
  const { className, env: variables = [] } = spec;
  const entry = entryOf(spec, (settings) => {
    const optionsSpec = { className, variables, schema: spec.options() };
    const read = readOptions(settings, optionsSpec);
    const own = toolOf(parseOptions(read, optionsSpec, {}) as z.output<Options>);
    const { tool, warnings } = catalogTool({
      ...spec,
      run: (input: z.output<Input>, _, { context }: { readonly context: ToolContext }) =>
        own.call(argumentsOf(input) as never, context),
    }).entry.make(settings);
    const { effect, needsApproval, actsOutside, check, timeoutMs, retry } = own;
    const made: Tool = {
      ...(tool as Tool),
      effect,
      timeoutMs,
      retry,
      ...(actsOutside === undefined ? undefined : { actsOutside }),
      ...(check === undefined ? undefined : { check }),
      needsApproval: read.shared.needsApproval ?? needsApproval ?? false,
    };
    return { tool: made, warnings };
  });
  const make = (options: OptionsInput<Options> = {}): Tool => entry.make(options).tool as Tool;
  return Object.assign(make, { entry });
}
