// Memory of flows: `remember`, `recall` and `extractMemories` of their methods, and lessons of people's feedback.
//
//   - It is the flow's own memory, or one the deployment makes for it at `/flow/<name>`. The code comes along with
//     either.
//   FM2. Memories of a method are saved after it has ended: a finished method replays as one row.
import { memoryOf } from "../agent/description/owned-sources.ts";
import { EngineError } from "../base/error.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { LessonStore } from "./lesson-store.ts";
import type { MemoryMatch, MemoryRecord } from "../memory/memory-record.ts";
import type { MemoryOption } from "../memory/memory-service.ts";
import type {
  MemorySession,
  MemoryView,
  RecallOptions,
  RememberOptions,
} from "../memory/memory-view.ts";
import { memoryLessons } from "./memory-lessons.ts";

type Remembering = {
  readonly definition: { readonly name: string };
  readonly memory?: MemoryOption | undefined;
};

/** Access of a flow's method to the flow's memory. */
export class FlowMemory {
  readonly #session: MemorySession;
  readonly #view: MemoryView;
  readonly #conversation: string;

  constructor(scope: RunScope, memory: MemoryView) {
    this.#session = memory.openSession();
    this.#view = this.#session.at(scope);
    this.#conversation = scope.runId;
  }

  /**
   * Saves a single content and returns its record, or null for a read-only memory. A list is saved in the background,
   * before the method ends.
   */
  remember(content: string, options?: RememberOptions): Promise<MemoryRecord | null>;
  remember(contents: readonly string[], options?: RememberOptions): Promise<readonly []>;
  remember(
    content: string | readonly string[],
    options?: RememberOptions,
  ): Promise<MemoryRecord | null | readonly []> {
    const about = { conversation: this.#conversation, ...options };
    return typeof content === "string"
      ? this.#view.remember(content, about)
      : this.#view.rememberMany(content, about);
  }

  recall(query: string, options?: RecallOptions): Promise<readonly MemoryMatch[]> {
    return this.#view.recall(query, options);
  }

  /** Returns the separate statements in a text. */
  extractMemories(content: string): Promise<readonly string[]> {
    return this.#view.extractMemories(content);
  }

  drain(): Promise<void> {
    return this.#session.drain();
  }
}

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

  /** Throws `invalid_definition` if no memory is available. */
  get(): FlowMemory {
    return (this.#memory ??= new FlowMemory(this.#scope, flowMemory(this.#scope, this.#flow)));
  }

  async drain(): Promise<void> {
    await this.#memory?.drain();
  }
}

/**
 * Returns the scope of a flow's run. If the deployment has no lesson store, lessons go to the flow's memory, if there
 * is one.
 */
export function learningScope(scope: RunScope, flow: Remembering): RunScope {
  const { memory = true } = flow;
  const { services } = scope;
  const isOwn = typeof memory === "object" && "inRun" in memory;
  const isKept = memory !== false && services.memory?.create !== undefined;
  if (services.lessons !== undefined || (!isOwn && !isKept)) return scope;
  let lessons: LessonStore | undefined;
  return scope.offering({
    get lessons() {
      return (lessons ??= memoryLessons(flowMemory(scope, flow)));
    },
  });
}

function flowMemory(
  scope: RunScope,
  { definition: { name }, memory = true }: Remembering,
): MemoryView {
  const label = `flow "${name}"`;
  const view = memoryOf(scope, { label, path: ["flow", name], memory });
  if (view === undefined)
    throw new EngineError("invalid_definition", `${label} was defined with memory: false`);
  return view;
}
