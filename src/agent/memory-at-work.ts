// Memories in the work of agents. Nobody imports this but the memories themselves (`MemoryView.kit`).
//
//   MK1. What is remembered goes before the work into its prompt, as data, with the warning that it may not be all.
//   MK2. A memory that cannot be asked or written harms no work: an event tells it, and the run goes on.
//   MK3. Statements are drawn from an answer, and saved, beside the run; a recall waits for all saves before it.
//   MK4. A memory with a root keeps what each agent learned below that root, at `agent/<role>`.
//   MK5. What models are asked for a memory counts for the run, not for the task: a recorded recall is not gone through again.
import { cut, MAX_EVENT_TEXT } from "../base/cut.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import type { RunScope } from "../events/run-scope.ts";
import { joinScopePaths, sanitizeScopeName } from "../memory/memory-path.ts";
import { fillMemoryPrompt } from "../memory/memory-prompts.ts";
import { MemoryScope } from "../memory/memory-scope.ts";
import type { MemoryView, RememberOptions } from "../memory/memory-view.ts";
import { MEMORY_LIMITS } from "../memory/memory-work.ts";
import { MemoryWrites } from "../memory/memory-writes.ts";
import { UnifiedMemory } from "../memory/unified-memory.ts";
import type { Tool } from "../tools/tool.ts";
import type {
  AgentMemory,
  AnswerReport,
  FlowMemory,
  MemoryKit,
  RecallQuestion,
  RememberingFlow,
} from "./memory-kit.ts";
import { notKept } from "./agent-sources.ts";
import { memoryGiven } from "./memory-given.ts";
import { sourcesAtWork } from "./sources-at-work.ts";
import { memoryLessons } from "./memory-lessons.ts";
import { memoryModelFor } from "./memory-model.ts";
import { memoryTools } from "./memory-tools.ts";
import { UsageMeter, type ModelCaller } from "../model-calls/model-call.ts";
import { fill } from "./prompts.ts";

/** Of an answer that statements are drawn from, in characters. */
const MAX_REPORT_TEXT = 60_000;

/** An answer of the text form that hands the work on is none that is worth remembering. */
const DELEGATION =
  /^\s*Action:\s*(delegate[ _]work[ _]to[ _]coworker|ask[ _]question[ _]to[ _]coworker)\b/im;

export const memoryKit: MemoryKit = {
  sources: sourcesAtWork,
  open: (view) => new MemoryAtWork(view),
  inFlow: (scope, flow) => {
    const writes = new MemoryWrites();
    const memory = flowMemory(scope, flow).inRun({ scope, writes });
    const remember = (content: string | readonly string[], options?: RememberOptions) =>
      typeof content === "string"
        ? memory.remember(content, options)
        : memory.rememberMany(content, options);
    return {
      remember: remember as FlowMemory["remember"],
      recall: (query, options) => memory.recall(query, options),
      extractMemories: (content) => memory.extractMemories(content),
      drain: () => writes.drain(),
    };
  },
  lessons: (scope, flow) => memoryLessons(flowMemory(scope, flow)),
  reset: async (view) => {
    if (view.readOnly)
      throw new EngineError(
        "conflict",
        "this memory is read-only: reset it where it may be written",
      );
    if (view instanceof MemoryScope) return view.reset();
    if (view instanceof UnifiedMemory)
      return view.rootScope === undefined ? view.resetAll() : view.reset();
    throw new EngineError(
      "conflict",
      "a slice of a memory cannot be reset: reset its scopes one by one",
    );
  },
};

function flowMemory(scope: RunScope, { name, memory }: RememberingFlow): MemoryView {
  const label = `flow "${name}"`;
  const view = memoryGiven(scope, memory, { label, path: ["flow", name] });
  if (view === undefined) throw notKept(label, "memory");
  return view;
}

class MemoryAtWork implements AgentMemory {
  readonly #view: MemoryView;
  readonly #writes = new MemoryWrites();

  constructor(view: MemoryView) {
    this.#view = view;
  }

  async recall(place: RunScope, question: RecallQuestion): Promise<string> {
    const { query, limit, prompts, taskName, caller } = question;
    const about = taskName === undefined ? {} : { taskId: taskName };
    const startedAtMs = place.clock.now();
    const inner = place.open("memory_retrieval_started", about);
    try {
      const asked = query.slice(0, MEMORY_LIMITS.maxQueryLength);
      const matches = await this.#at(inner, caller).recall(asked, { limit });
      const memoryContent = matches.map((match) => match.format()).join("\n");
      place.emit("memory_retrieval_completed", {
        ...about,
        memoryContent: cut(memoryContent, MAX_EVENT_TEXT),
        retrievalTimeMs: place.clock.now() - startedAtMs,
      });
      return memoryContent === "" ? "" : fill(prompts.slices.memory, { memory: memoryContent });
    } catch (error) {
      place.emit("memory_retrieval_failed", { ...about, error: errorMessage(error) });
      return "";
    }
  }

  tools(caller: ModelCaller, role: string): readonly Tool[] {
    const model = memoryModelFor(uncounted(caller));
    return memoryTools(this.#view, { model, rootScope: this.#rootFor(role) });
  }

  save(place: RunScope, caller: ModelCaller, report: AnswerReport): void {
    const { description, role, expectedOutput, output } = report;
    if (this.#view.readOnly || output.trim() === "" || DELEGATION.test(output)) return;
    const { taskReport, answerReport } = this.#view.prompts;
    const template = expectedOutput === undefined ? answerReport : taskReport;
    const text = fillMemoryPrompt(template, {
      description: cut(description, MAX_REPORT_TEXT),
      agent: role,
      expected_output: expectedOutput ?? "",
      output: cut(output, MAX_REPORT_TEXT),
    });
    const view = this.#at(place, caller);
    void this.#writes.add(async () => {
      try {
        const statements = await view.extractMemories(text);
        const about = { agentRole: role, rootScope: this.#rootFor(role) };
        await view.rememberMany(statements, about); // begins after this, as it comes later
      } catch (error) {
        place.emit("memory_save_failed", { agentRole: role, error: errorMessage(error) });
      }
    });
  }

  drain(): Promise<void> {
    return this.#writes.drain();
  }

  #at(scope: RunScope, caller: ModelCaller): MemoryView {
    const model = memoryModelFor(uncounted(caller));
    return this.#view.inRun({ scope, writes: this.#writes, model });
  }

  /** MK4 */
  #rootFor(role: string): string | undefined {
    const { rootScope } = this.#view;
    if (rootScope === undefined) return undefined;
    const own = `agent/${sanitizeScopeName(role)}`;
    return rootScope.endsWith(`/${own}`) ? rootScope : joinScopePaths(rootScope, own);
  }
}

/** MK5 */
function uncounted(caller: ModelCaller): ModelCaller {
  return {
    model: caller.model,
    budget: caller.budget,
    limiter: caller.limiter,
    hooks: caller.hooks,
    meter: new UsageMeter(),
  };
}
