import type * as z from "zod";
import { optionNames, type KnownOptions } from "../base/unknown-options.ts";
import type { FlowMethod, FlowOptions } from "./flow-options.ts";

/** Options of `defineFlow()`, and replacements for CrewAI options it does not have. */
export const FLOW_OPTIONS: KnownOptions = {
  method: "defineFlow()",
  code: "invalid_definition",
  known: optionNames<FlowOptions<z.ZodType<object>>>({
    name: true,
    description: true,
    state: true,
    initial: true,
    methods: true,
    maxMethodCalls: true,
    persist: true,
    persistence: true,
    hooks: true,
    inputProvider: true,
    suppressFlowEvents: true,
    compat: true,
    memory: true,
    conversational: true,
    prompts: true,
  }),
  advice: {
    checkpoint: "leave it out: every finished step is stored",
    deferTraceFinalization: "leave it out: no data is sent to third parties",
    initialState: "write initial, and state for its schema",
    stream: "leave it out: the flow has the method stream()",
    tracing: "leave it out: the events of a run have everything",
  },
};

/** Options of a method of `defineFlow()`. */
export const METHOD_OPTIONS: KnownOptions = {
  method: "a method of defineFlow()",
  code: "invalid_definition",
  known: optionNames<FlowMethod<object>>({
    run: true,
    description: true,
    start: true,
    listen: true,
    router: true,
    emit: true,
    humanFeedback: true,
    persist: true,
    do: true,
  }),
};
