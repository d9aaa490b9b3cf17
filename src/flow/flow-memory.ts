// What flows remember: `remember`, `recall` and `extractMemories` of their methods, and lessons of people's feedback.
//
//   FM1. It is the flow's own memory, or one that the deployment makes for it at `/flow/<name>`. The code comes along with either.
//   FM2. What a method saves is saved when the method has ended: a finished method replays as one row.
import { kitIn, notKept } from "../agent/agent-sources.ts";
import type { FlowMemory, MemoryGiven, MemoryKit } from "../agent/memory-kit.ts";
import { EngineError } from "../base/error.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { LessonStore } from "./lesson-store.ts";

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

  get isUsed(): boolean {
    return this.#memory !== undefined;
  }

  /** Throws `invalid_definition` where there is none to be had. */
  get(): FlowMemory {
    if (this.#memory !== undefined) return this.#memory;
    const { memory = true, definition } = this.#flow;
    const label = `flow "${definition.name}"`;
    if (memory === false)
      throw new EngineError("invalid_definition", `${label} was defined with memory: false`);
    const kit = kitOf(this.#scope, memory);
    if (kit === undefined) throw notKept(label, "memory");
    return (this.#memory = kit.inFlow(this.#scope, { name: definition.name, memory }));
  }

  async drain(): Promise<void> {
    await this.#memory?.drain();
  }
}

/** The scope of a flow's run, with a place for lessons where the deployment has none: the flow's memory, if there is one. */
export function learningScope(
  scope: RunScope,
  { definition, memory = true }: Remembering,
): RunScope {
  if (memory === false || scope.services.lessons !== undefined) return scope;
  const kit = kitOf(scope, memory);
  if (kit === undefined) return scope;
  let lessons: LessonStore | undefined;
  return scope.offering({
    get lessons() {
      return (lessons ??= kit.lessons(scope, { name: definition.name, memory }));
    },
  });
}

function kitOf({ services }: RunScope, memory: Exclude<MemoryGiven, false>): MemoryKit | undefined {
  return (kitIn(memory) ?? services.memory?.kit) as MemoryKit | undefined;
}
