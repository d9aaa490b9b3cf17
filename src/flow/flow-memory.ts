// What flows remember: `remember`, `recall` and `extractMemories` of their methods, and lessons of people's feedback.
//
//   FM1. It is the flow's own memory, or one that the deployment makes for it at `/flow/<name>`. The code comes along with either.
//   FM2. What a method saves is saved when the method has ended: a finished method replays as one row.
import { memoryGiven, memoryKitOf } from "../agent/agent-sources.ts";
import type { FlowMemory, MemoryGiven } from "../agent/memory-kit.ts";
import { EngineError } from "../base/error.ts";
import type { LessonStore } from "../base/lesson-store.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { MemoryView } from "../memory/memory-view.ts";

type Remembering = {
  readonly definition: { readonly name: string };
  readonly memory?: MemoryGiven | undefined;
};

/** The memory of one method's execution, found when it is first used. */
export class MethodMemory {
  readonly #scope: RunScope;
  readonly #flow: Remembering;
  #memory: FlowMemory | undefined;

  constructor(scope: RunScope, flow: Remembering) {
    this.#scope = scope;
    this.#flow = flow;
  }

  /** Throws `invalid_definition` where there is none to be had. */
  get(): FlowMemory {
    if (this.#memory === undefined) {
      const view = viewOf(this.#scope, this.#flow, this.#flow.memory ?? true);
      if (view === undefined)
        throw new EngineError(
          "invalid_definition",
          `flow "${this.#flow.definition.name}" was defined without memory (memory: false)`,
        );
      this.#memory = memoryKitOf(view).inFlow(view, this.#scope);
    }
    return this.#memory;
  }

  async drain(): Promise<void> {
    await this.#memory?.drain();
  }
}

/** The scope of a flow's run, with a place for lessons where the deployment has none: the flow's memory, if there is one. */
export function learningScope(scope: RunScope, flow: Remembering): RunScope {
  const { services } = scope;
  const { memory = services.memory?.create !== undefined } = flow;
  if (services.lessons !== undefined || memory === false) return scope;
  let lessons: LessonStore | undefined;
  return scope.offering({
    get lessons() {
      if (lessons === undefined) {
        const view = viewOf(scope, flow, memory);
        if (view !== undefined) lessons = memoryKitOf(view).lessons(view);
      }
      return lessons as LessonStore;
    },
  });
}

function viewOf(
  scope: RunScope,
  { definition: { name } }: Remembering,
  memory: MemoryGiven,
): MemoryView | undefined {
  return memoryGiven(scope, memory, { label: `flow "${name}"`, path: ["flow", name] });
}
