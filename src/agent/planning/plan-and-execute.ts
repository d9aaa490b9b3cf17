// Plan and execute: a plan is made, its steps are carried out, and their results become the answer.
//
//   PE1. A step may begin once all its dependencies are completed or failed. Steps that may begin together run at once.
//   PE2. After a single step the effort decides:
//          low, medium: a failure with a request for a new plan brings one; any other failure is ignored.
//          high: every failure, and every request for a new plan, brings one; a reached goal ends the plan; pending
//          steps are reworded as proposed.
//        After several steps at once a new plan follows if two of them failed or gave an error, or if the last mentions
//        one.
//   PE3. A new plan replaces the pending steps, at most `maxReplans` times. Steps in a cycle of dependencies bring one
//        too.
//   PE4. The last step's result is the answer if it can stand alone; else one model call makes the answer from all
//        results.
//   PE5. Steps are no groups of the journal: their counters (tokens, uses of tools) cover all of them, so replay goes
//        through their calls one by one, as in any conversation.
import { asObject } from "../../model-calls/answer-shape.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { toolBox } from "../../tools/tool-box.ts";
import type { Tool } from "../../tools/tool.ts";
import { changedWork, type AgentWork } from "../agent-work.ts";
import type { Todo } from "../work-notes.ts";
import { withAttachments } from "../prompts/first-messages.ts";
import { fill } from "../prompts/prompts.ts";
import { createPlan, planText, type Plan, type PlannedStep } from "./create-plan.ts";
import { heuristicObservation, observe, type EndedStep, type Observation } from "./observe.ts";
import { isModelTrouble, type PlanHands, type Planner } from "./planner.ts";
import { resultEntry, runStep } from "./run-step.ts";
import { todoLines } from "./todo-text.ts";

/**
 * Does a piece of work by a plan and returns its answer. For a plan without steps it returns the work to do without a plan,
 * with the plan's text in the prompt.
 */
export async function planAndExecute(
  scope: RunScope,
  work: AgentWork,
  hands: PlanHands,
): Promise<string | AgentWork> {
  const config = work.agent.planningConfig;
  if (config === undefined) return work;
  const place = scope.at("plan");
  if (work.notes !== undefined) {
    // Left by a failed execution.
    delete work.notes.todos;
    delete work.notes.replanCount;
    delete work.notes.lastReplanReason;
  }
  const model = config.llm === undefined ? work.model : scope.model(config.llm);
  const thinker = changedWork(work, { model, decides: "plan work" });
  const planner: Planner = { work, thinker, config, hands };
  const plan = await createPlan(place, planner, {
    description: work.prompt,
    firstNumber: 1,
    doneNumbers: [],
  });
  if (plan.failed) return work;
  if (work.notes !== undefined) work.notes.plan = planText(plan);
  if (!plan.ready || plan.steps.length === 0) {
    const prompt = fill(work.prompts.planning.planForTask, {
      task: work.prompt,
      plan: planText(plan),
    });
    return changedWork(work, { prompt });
  }
  return new PlanRun(place, planner, plan).run();
}

type PlanItem = { step: PlannedStep; status: Todo["status"]; result?: string };

type Verdict =
  | { readonly kind: "continue" }
  | { readonly kind: "finish" }
  | { readonly kind: "replan"; readonly reason: string };

const CONTINUE: Verdict = { kind: "continue" };

/** Ended step with its judgement. */
type ObservedStep = { readonly step: EndedStep; readonly observation: Observation };

class PlanRun {
  readonly #place: RunScope;
  readonly #planner: Planner;
  readonly #toolUses: Map<Tool, number>;
  #items: PlanItem[];
  #replans = 0;

  constructor(place: RunScope, planner: Planner, plan: Plan) {
    this.#place = place;
    this.#planner = planner;
    this.#toolUses = planner.work.toolUses ?? new Map();
    this.#items = plan.steps.map((step) => ({ step, status: "pending" }));
  }

  async run(): Promise<string> {
    for (;;) {
      const pending = this.#items.filter(({ status }) => status === "pending");
      if (pending.length === 0) break;
      const verdict = await this.#next(pending);
      this.#note();
      if (verdict.kind === "finish") break;
      if (verdict.kind === "replan" && !(await this.#replan(verdict.reason))) break;
    }
    this.#note();
    return this.#answer();
  }

  #next(pending: readonly PlanItem[]): Promise<Verdict> | Verdict {
    const isOpen = new Set(pending.map(({ step }) => step.stepNumber));
    const ready = pending.filter(
      ({ step }) => !step.dependsOn.some((number) => isOpen.has(number)),
    );
    const [only] = ready;
    if (only === undefined) return { kind: "replan", reason: this.#planning.deadlock };
    return ready.length === 1 ? this.#one(only) : this.#several(ready);
  }

  async #one(item: PlanItem): Promise<Verdict> {
    const ended = await this.#perform(item);
    this.#settle(item, ended);
    const { success, needsFullReplan, goalAlreadyAchieved } = ended.observation;
    const isHigh = this.#planner.config.reasoningEffort === "high";
    if (isHigh && goalAlreadyAchieved) return this.#achieved();
    if (needsFullReplan && (isHigh || !success))
      return { kind: "replan", reason: this.#reasonOf(ended) };
    if (isHigh && !success) return { kind: "replan", reason: this.#reasonOf(ended) };
    if (isHigh) this.#refine([ended]);
    return CONTINUE;
  }

  async #several(items: readonly PlanItem[]): Promise<Verdict> {
    const all = await Promise.all(items.map((item) => this.#perform(item)));
    for (const [index, item] of items.entries()) {
      const ended = all[index];
      if (ended !== undefined) this.#settle(item, ended);
    }
    const isHigh = this.#planner.config.reasoningEffort === "high";
    if (isHigh && all.some(({ observation }) => observation.goalAlreadyAchieved))
      return this.#achieved();
    const failed = all.filter(({ observation }) => !observation.success).length;
    const errors = all.filter(({ step }) => step.result.startsWith("Error:")).length;
    const asked = /\b(?:re-?plan(?:ning)?|new plan)\b/i.test(all.at(-1)?.step.result ?? "");
    if (failed >= 2 || errors >= 2 || asked)
      return { kind: "replan", reason: this.#planning.manyFailures };
    if (isHigh) this.#refine(all);
    return CONTINUE;
  }

  /** Carries a step out and has it judged. */
  async #perform({ step }: PlanItem): Promise<ObservedStep> {
    const before = this.#todos.filter(
      ({ stepNumber, status }) => status !== "pending" && step.dependsOn.includes(stepNumber),
    );
    const todos = this.#todos;
    const around = { before, toolUses: this.#toolUses };
    const place = this.#place.at(`step:${step.stepNumber}`);
    const ended = await runStep(place, this.#planner, { step, around });
    const observation = this.#planner.config.observeSteps
      ? await observe(place.at("observation"), this.#planner, { step: ended, todos })
      : heuristicObservation(ended);
    return { step: ended, observation };
  }

  #settle(item: PlanItem, { step, observation }: ObservedStep): void {
    item.status = observation.success ? "completed" : "failed";
    item.result = step.result;
  }

  #achieved(): Verdict {
    const count = (wanted: Todo["status"]): number =>
      this.#items.filter(({ status }) => status === wanted).length;
    this.#place.emit("goal_achieved_early", {
      agentRole: this.#planner.work.identity.role,
      stepsRemaining: count("pending"),
      stepsCompleted: count("completed"),
    });
    return { kind: "finish" };
  }

  /** Rewords pending steps. The event belongs to the step whose judgement proposed the change. */
  #refine(all: readonly ObservedStep[]): void {
    for (const { step, observation } of all) {
      const refinements = observation.refinements.filter(({ stepNumber, newDescription }) => {
        const item = this.#items.find((each) => each.step.stepNumber === stepNumber);
        if (item?.status !== "pending") return false;
        item.step = { ...item.step, description: newDescription };
        return true;
      });
      if (refinements.length === 0) continue;
      this.#place.at(`step:${step.stepNumber}`).emit("plan_refinement", {
        agentRole: this.#planner.work.identity.role,
        refinedStepCount: refinements.length,
        refinements,
      });
    }
  }

  /** Makes a new plan for the remaining steps; false if no further plan is allowed or possible. */
  async #replan(reason: string): Promise<boolean> {
    const { work, config } = this.#planner;
    if (this.#replans >= config.maxReplans) return false;
    const count = ++this.#replans;
    if (work.notes !== undefined) {
      work.notes.replanCount = count;
      work.notes.lastReplanReason = reason;
    }
    const kept = this.#items.filter(({ status }) => status !== "pending");
    const done = this.#todos.filter(({ status }) => status === "completed");
    const place = this.#place.at(`replan:${count}`);
    place.emit("plan_replan_triggered", {
      agentRole: work.identity.role,
      replanReason: reason,
      replanCount: count,
      completedStepsPreserved: done.length,
    });
    const firstNumber = Math.max(0, ...kept.map(({ step }) => step.stepNumber)) + 1;
    const description = fill(this.#planning.replanEnhancement, {
      task: work.prompt,
      reason,
      completed: todoLines(done, this.#planning),
      failed: todoLines(
        this.#todos.filter(({ status }) => status === "failed"),
        this.#planning,
      ),
      attempt: String(count),
      next_number: String(firstNumber),
    });
    const doneNumbers = kept.map(({ step }) => step.stepNumber);
    const plan = await createPlan(place, this.#planner, { description, firstNumber, doneNumbers });
    if (plan.steps.length === 0) return false;
    this.#items = [...kept, ...plan.steps.map((step): PlanItem => ({ step, status: "pending" }))];
    if (work.notes !== undefined) work.notes.plan = planText(plan);
    return true;
  }

  async #answer(): Promise<string> {
    const { work } = this.#planner;
    const done = this.#todos.filter(({ result }) => result !== undefined);
    const last = done.at(-1);
    if (last?.result === undefined) return this.#planning.noResult;
    if (last.status === "completed" && work.answerSchema === undefined && standsAlone(last))
      return last.result;
    const results = done.map((todo) => resultEntry(todo, this.#planning)).join("\n");
    const schema =
      work.answerSchema !== undefined && work.model.capabilities.responseSchema
        ? { responseSchema: { name: "answer", schema: asObject(work.answerSchema) } }
        : undefined;
    try {
      const { text, finishReason } = await this.#planner.hands.ask(
        this.#place.at("synthesis"),
        work,
        {
          messages: [
            { role: "system", content: fill(this.#planning.synthesisSystem, work.identity) },
            ...(work.history ?? []),
            {
              role: "user",
              content: withAttachments(
                fill(this.#planning.synthesisPrompt, { task: work.prompt, results }),
                work.attachments,
              ),
            },
          ],
          ...schema,
        },
      );
      if (work.counters !== undefined) work.counters.finishReason = finishReason;
      const marker = work.prompts.slices.observation;
      return this.#planner.hands.readAnswer(text, { form: "none", marker });
    } catch (error) {
      if (!isModelTrouble(error) || this.#isOutOfTime()) throw error;
      return done.map(({ result = "" }) => result).join("\n\n");
    }
  }

  /** True after the deadline of the whole work. */
  #isOutOfTime(): boolean {
    const { deadlineAtMs } = this.#planner.work;
    return deadlineAtMs !== undefined && this.#place.at("timeout").now() >= deadlineAtMs;
  }

  #reasonOf({ step, observation }: ObservedStep): string {
    return (
      observation.replanReason ??
      fill(this.#planning.stepFailure, { step_number: String(step.stepNumber) })
    );
  }

  #note(): void {
    const { notes } = this.#planner.work;
    if (notes !== undefined) notes.todos = this.#todos;
  }

  get #todos(): readonly Todo[] {
    const box = toolBox(this.#planner.work.tools);
    return this.#items.map(({ step, status, result }) => ({
      stepNumber: step.stepNumber,
      description: step.description,
      ...(step.toolToUse === undefined
        ? undefined
        : { toolUsed: box.find(step.toolToUse)?.safeName ?? step.toolToUse }),
      status,
      ...(result === undefined ? undefined : { result }),
      dependsOn: step.dependsOn,
    }));
  }

  get #planning(): AgentWork["prompts"]["planning"] {
    return this.#planner.work.prompts.planning;
  }
}

/** True if a step's result can be the answer unchanged: prose of some length, made without a tool. */
function standsAlone({ result = "", toolUsed }: Todo): boolean {
  if (toolUsed !== undefined || result.startsWith("Error:")) return false;
  const words = result.split(/\s+/).filter((word) => word !== "").length;
  return /[.!?。！？]/.test(result) && (result.length >= 200 || words >= 30);
}
