// Memory in use by the agents and flows of one drive of a run.
//
//   MK1. Recalled memories go into the prompt before the work, as data, with a warning that they may be incomplete.
//   MK2. A memory failure does not fail the run: an event reports it, and the run continues.
//   MK3. Statements are extracted from an answer and saved beside the run. A recall waits for all earlier saves.
//   MK5. The answer of `offline/demo` without a match in its input is not saved.
//   MK4. A memory with a root stores the memories of each agent below the root, at `agent/<role>`. A person's memory is
//        one for all agents.
//   - Model calls of a memory count for the run, not for the task, as a replay skips a recorded recall.
import { cut, MAX_EVENT_TEXT } from "../base/cut.ts";
import { errorMessage } from "../base/error.ts";
import type { RunScope } from "../events/run-scope.ts";
import { isNoAnswer } from "../llm/offline/no-answer.ts";
import type { ModelCaller } from "../model-calls/model-caller.ts";
import { UsageMeter } from "../model-calls/usage-meter.ts";
import type { Tool } from "../tools/tool.ts";
import type { ToolMemory } from "../tools/tool-memory.ts";
import { memoryModelFor, type MemoryModel } from "./memory-model.ts";
import { joinScopePaths, sanitizeScopeName, storedScopePath } from "./memory-path.ts";
import { fillMemoryPrompt } from "./memory-prompts.ts";
import { memoryTools } from "./memory-tools.ts";
import { toolMemory } from "./tool-memory.ts";
import type { AnswerReport, MemorySession, MemoryView, RecallQuestion } from "./memory-view.ts";
import { MEMORY_LIMITS } from "./memory-work.ts";
import { MemoryWrites } from "./memory-writes.ts";

/** Maximum length of an answer for extraction, in characters. */
const MAX_REPORT_TEXT = 60_000;

/** Length of a task as the context of its statements, in characters. */
const MAX_CONTEXT = 600;

/** Matches a text-form answer that delegates the work. It is not worth remembering. */
const DELEGATION =
  /^\s*Action:\s*(delegate[ _]work[ _]to[ _]coworker|ask[ _]question[ _]to[ _]coworker)\b/im;

export function memorySession(view: MemoryView): MemorySession {
  return new OpenMemory(view);
}

class OpenMemory implements MemorySession {
  readonly #view: MemoryView;
  readonly #writes = new MemoryWrites();

  constructor(view: MemoryView) {
    this.#view = view;
  }

  at(place: RunScope): MemoryView {
    return this.#view.inRun({ scope: place, writes: this.#writes });
  }

  async recall(place: RunScope, question: RecallQuestion): Promise<string> {
    const { query, limit, taskName, caller } = question;
    const about = taskName === undefined ? {} : { taskId: taskName };
    const startedAtMs = place.clock.now();
    const inner = place.open("memory_retrieval_started", about);
    try {
      const text = query.slice(0, MEMORY_LIMITS.maxQueryLength);
      const matches = await this.#for(caller, inner).recall(text, { limit });
      const memoryContent = matches.map((match) => match.format()).join("\n");
      place.emit("memory_retrieval_completed", {
        ...about,
        memoryContent: cut(memoryContent, MAX_EVENT_TEXT),
        retrievalTimeMs: place.clock.now() - startedAtMs,
      });
      return memoryContent;
    } catch (error) {
      place.emit("memory_retrieval_failed", { ...about, error: errorMessage(error) });
      return "";
    }
  }

  tools(caller: ModelCaller, role: string): readonly Tool[] {
    return memoryTools(this.#view, { model: modelFor(caller), rootScope: this.#rootFor(role) });
  }

  toolMemory(caller: ModelCaller, role: string): ToolMemory {
    const rootScope = this.#rootFor(role);
    return toolMemory(this.#view, { agentRole: role, rootScope, model: modelFor(caller) });
  }

  save(place: RunScope, caller: ModelCaller, report: AnswerReport): void {
    const { description, role, expectedOutput, output } = report;
    if (this.#view.readOnly || output.trim() === "" || DELEGATION.test(output)) return;
    if (isNoAnswer(output)) return;
    const { taskReport, answerReport } = this.#view.prompts;
    const template = expectedOutput === undefined ? answerReport : taskReport;
    const text = fillMemoryPrompt(template, {
      description: cut(description, MAX_REPORT_TEXT),
      agent: role,
      expected_output: expectedOutput ?? "",
      output: cut(output, MAX_REPORT_TEXT),
    });
    const view = this.#for(caller, place);
    void this.#writes.add(async () => {
      try {
        const statements = await view.extractMemories(text);
        const about = {
          agentRole: role,
          rootScope: this.#rootFor(role),
          conversation: place.runId,
          context: description.slice(0, MAX_CONTEXT).toWellFormed(),
        };
        await view.rememberMany(statements, about); // begins after this save, as a later one
      } catch (error) {
        place.emit("memory_save_failed", { agentRole: role, error: errorMessage(error) });
      }
    });
  }

  drain(): Promise<void> {
    return this.#writes.drain();
  }

  #for(caller: ModelCaller, scope: RunScope): MemoryView {
    return this.#view.inRun({ scope, writes: this.#writes, model: modelFor(caller) });
  }

  /** Root for an agent's memories (MK4). */
  #rootFor(role: string): string | undefined {
    const { rootScope, source } = this.#view;
    if (rootScope === undefined || source !== undefined) return undefined;
    const own = `agent/${sanitizeScopeName(role)}`;
    const path = rootScope.endsWith(`/${own}`) ? rootScope : joinScopePaths(rootScope, own);
    return storedScopePath(path);
  }
}

/** The caller's model, with its usage counted apart from the caller's. */
function modelFor({ model, budget, limiter, hooks }: ModelCaller): MemoryModel {
  return memoryModelFor({ model, budget, limiter, hooks, meter: new UsageMeter() });
}
