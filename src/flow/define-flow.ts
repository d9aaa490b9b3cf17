// Flows without decorators: a plain object of methods.
import type * as z from "zod";
import { mergePrompts } from "../agent/prompts/prompts.ts";
import type { JsonValue } from "../base/json.ts";
import { refuseUnknownOptions } from "../base/unknown-options.ts";
import { BuiltFlow } from "./built-flow.ts";
import { FLOW_OPTIONS, METHOD_OPTIONS } from "./flow-option-names.ts";
import { configField } from "./flow-definition.ts";
import type { FlowOptions } from "./flow-options.ts";
import { MethodContext } from "./method-context.ts";
import type { MethodCall } from "./method-call.ts";

/** Defines a flow without decorators. Throws `invalid_definition` and names the method and its fault. */
export function defineFlow<Schema extends z.ZodType<object> = z.ZodType<Record<string, JsonValue>>>(
  options: FlowOptions<Schema>,
): BuiltFlow<z.output<Schema>> {
  refuseUnknownOptions(options, FLOW_OPTIONS);
  const { name, description, state, initial = {}, methods, persist, prompts = {} } = options;
  for (const method of Object.values(methods)) refuseUnknownOptions(method, METHOD_OPTIONS);
  const definitions = Object.fromEntries(
    Object.entries(methods).map(([method, { run: _run, ...definition }]) => [method, definition]),
  );
  const flow = {
    definition: {
      name,
      ...(description === undefined ? undefined : { description }),
      methods: definitions,
      ...(persist === undefined ? undefined : { persist }),
      ...configField(options),
    },
    persistence: options.persistence,
    hooks: options.hooks,
    inputProvider: options.inputProvider,
    memory: options.memory,
    schema: state,
    initial,
    prompts: mergePrompts(prompts),
    run: (method: string, call: MethodCall) => methods[method]?.run(new MethodContext(call)),
  };
  const { conversational } = options;
  const owns = (method: string): boolean => Object.hasOwn(methods, method);
  return new BuiltFlow(flow, { conversational, owns });
}
