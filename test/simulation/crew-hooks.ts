// Hooks of simulated crews: what they make of what models and tasks give, as data.
import * as fc from "fast-check";
import { HookAborted, on, type Hook } from "../../src/hooks/hook.ts";
import { joinKey } from "../../src/journal/step-key.ts";
import type { HookOutside } from "./flow-hooks.ts";

export type CrewHooks = {
  /** Whether what models are asked and what they say is changed. */
  readonly model: boolean;
  /** Whether what tasks give is changed. */
  readonly task: boolean;
  /** The task, counted round and round, that never begins. */
  readonly refuses: number | null;
};

const REFUSAL = "no such task";

export function hooksOfCrew(
  { model, task, refuses }: CrewHooks,
  tasks: number,
  outside: HookOutside,
): readonly Hook[] {
  const ran = ({ path, point }: { readonly path: string; readonly point: string }): void =>
    outside.hooksRun(joinKey(path, `hook:${point}`));
  const ofModels = [
    on("pre_model_call", (context) => {
      ran(context);
      context.messages = [...context.messages, { role: "user", content: "And so on." }];
    }),
    on("post_model_call", (context) => {
      ran(context);
      return `${context.response}!`;
    }),
  ];
  const ofTasks = on("post_step", (context) => {
    ran(context);
    if (context.kind === "task") context.payload.raw += "?";
  });
  const refusing = on("pre_step", (context) => {
    ran(context);
    if (refuses !== null && context.stepName === `t${refuses % tasks}`)
      throw new HookAborted(REFUSAL);
  });
  return [...(model ? ofModels : []), ...(task ? [ofTasks] : []), refusing];
}

/** What a task gives whose model says this. */
export function hookedText({ model, task }: CrewHooks, said: string): string {
  return `${said}${model ? "!" : ""}${task ? "?" : ""}`;
}

export function mayRefuse(
  { refuses }: CrewHooks,
  { code, message }: { readonly code: string; readonly message: string },
): boolean {
  return refuses !== null && code === "hook_aborted" && message.includes(REFUSAL);
}

export const crewHooks: fc.Arbitrary<CrewHooks | null> = fc.option(
  fc.record({
    model: fc.boolean(),
    task: fc.boolean(),
    refuses: fc.option(fc.nat({ max: 2 }), { freq: 6 }),
  }),
  { freq: 2 },
);
