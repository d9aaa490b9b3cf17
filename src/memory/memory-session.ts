// A memory in use by the agents and flows of one drive of a run.
//
//   MK1. What is remembered goes into the prompt before the work, as data, with the warning that it may not be all.
//   MK2. A memory that cannot be asked or written harms no work: an event reports it, and the run goes on.
//   MK3. Statements are drawn from an answer, and saved, beside the run; a recall waits for all saves before it.
//   MK5. An answer that is none is not saved: what `offline/demo` says when it found nothing in its input.
//   MK4. A memory with a root keeps what each agent learned below that root, at `agent/<role>`.
//   - What models are asked for a memory counts for the run, not for the task: a recorded recall is not gone through again.
import { cut, MAX_EVENT_TEXT } from "../base/cut.ts";
import { errorMessage } from "../base/error.ts";
import type { RunScope } from "../events/run-scope.ts";
import { isNoAnswer } from "../llm/offline/no-answer.ts";
import { UsageMeter, type ModelCaller } from "../model-calls/model-call.ts";
import type { Tool } from "../tools/tool.ts";
import { memoryModelFor, type MemoryModel } from "./memory-model.ts";
import { joinScopePaths, sanitizeScopeName } from "./memory-path.ts";
import { fillMemoryPrompt } from "./memory-prompts.ts";
import { memoryTools } from "./memory-tools.ts";
import type { AnswerReport, MemorySession, MemoryView, RecallQuestion } from "./memory-view.ts";
import { MEMORY_LIMITS } from "./memory-work.ts";
import { MemoryWrites } from "./memory-writes.ts";

/** Of an answer that statements are drawn from, in characters. */
const MAX_REPORT_TEXT = 60_000;

/** An answer of the text form that hands the work on is none that is worth remembering. */
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

  #for(caller: ModelCaller, scope: RunScope): MemoryView {
    return this.#view.inRun({ scope, writes: this.#writes, model: modelFor(caller) });
  }

  /** Rule MK4. */
  #rootFor(role: string): string | undefined {
    const { rootScope } = this.#view;
    if (rootScope === undefined) return undefined;
    const own = `agent/${sanitizeScopeName(role)}`;
    return rootScope.endsWith(`/${own}`) ? rootScope : joinScopePaths(rootScope, own);
  }
}

/** The caller's model, with its usage counted apart from the caller's. */
function modelFor({ model, budget, limiter, hooks }: ModelCaller): MemoryModel {
  return memoryModelFor({ model, budget, limiter, hooks, meter: new UsageMeter() });
}
