// Training: a crew does its tasks several times, a person gives feedback on each answer, and a model turns the feedback
// into suggestions for each agent's later work.
//
//   TG1. A finished iteration is one row with the answers of its tasks by agent and task.
//   TG2. An agent's prompts contain all earlier feedback on its answers, from this iteration and those before it.
//   TG3. An iteration in which a task has no answer, no feedback or no better answer fails the training with an error
//        about this task; the store stays unchanged.
//   TG4. The last step stores the whole training at once.
//   TG5. Agents do their tasks themselves, so feedback reaches the agent behind the answer. A manager still delegates,
//        and the feedback on a hierarchical crew is for the manager.
import { workerModel } from "../../agent/worker-model.ts";
import * as z from "zod";
import type { Agent } from "../../agent/description/agent.ts";
import type { TrainedAnswer } from "../../agent/loop/human-input.ts";
import { checkJudges } from "../../model-calls/judgement.ts";
import { fill, mergePrompts, type Prompts } from "../../agent/prompts/prompts.ts";
import { askStructured, outputShape } from "../../agent/loop/structured-output.ts";
import { snakeKeys } from "../../base/camel-case.ts";
import { EngineError, errorMessage } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { keySegment } from "../../journal/step-key.ts";
import { UsageMeter } from "../../model-calls/usage-meter.ts";
import { hooksBeside } from "../crew-hooks.ts";
import type { DoneTask, CrewIteration } from "./crew-iteration.ts";
import { bullets } from "./lessons.ts";
import { runCrew } from "../run-crew.ts";
import type { RunnableCrew, Lessons } from "../runnable-crew.ts";
import type { TrainedAgent, Training } from "./training.ts";

export type TrainingPlan = {
  readonly iterations: number;
  /** The name under which the training is stored. */
  readonly name: string;
  readonly inputs: JsonObject;
};

/** The answers and the feedback of one task in one iteration. */
type TrainingEntry = TrainedAnswer & {
  /** The agent's role as the definition writes it. */
  readonly role: string;
  readonly task: string;
  readonly iteration: number;
};

/** Reads CrewAI's names, and those in camelCase as well. */
const lessonSchema = z.preprocess(
  snakeKeys,
  z.object({
    suggestions: z.array(z.string().min(1)).min(1),
    quality: z.number().min(0).max(10),
    final_summary: z.string(),
  }),
);
const LESSON = outputShape(lessonSchema);

/** Trains a crew at `scope` and returns the training. */
export async function trainCrew(
  scope: RunScope,
  crew: RunnableCrew,
  plan: TrainingPlan,
): Promise<Training> {
  const { iterations, name, inputs } = plan;
  const crewName = crew.name;
  const named = { crewName, nIterations: iterations, filename: name };
  const inner = scope.open("crew_train_started", { ...named, inputs });
  try {
    for (const agent of learners(crew))
      checkJudges(workerModel(scope, agent.llm), "learn from feedback");
    const entries: TrainingEntry[] = [];
    for (let iteration = 1; iteration <= iterations; iteration++) {
      const place = inner.at(`iteration:${iteration}`);
      const done = await place.group("group", async (inside) => {
        const current = new TrainingIteration(iteration, entries);
        await runCrew(inside, { ...crew, lessons: current, iteration: current }, inputs);
        return { entries: current.entries };
      });
      checkComplete(done.entries);
      entries.push(...done.entries);
    }
    const training = { name, agents: await learn(inner, crew, entries) };
    const { trained } = inner.services;
    if (trained !== undefined)
      await inner.at("save").step({
        kind: "effect",
        run: async () => {
          await trained.put(training);
          return null;
        },
      });
    scope.emit("crew_train_completed", named);
    return training;
  } catch (error) {
    scope.emit("crew_train_failed", { crewName, error: errorMessage(error) });
    throw error;
  }
}

/** Collects people's feedback in one iteration and adds it to the prompts of the agents. */
class TrainingIteration implements CrewIteration, Lessons {
  readonly kind = "training";
  readonly entries: TrainingEntry[] = [];
  readonly #iteration: number;
  readonly #earlier: readonly TrainingEntry[];

  constructor(iteration: number, earlier: readonly TrainingEntry[]) {
    this.#iteration = iteration;
    this.#earlier = earlier;
  }

  taskCompleted({ agent: { role }, output: { name: task, trained } }: DoneTask): void {
    if (trained === undefined) return;
    this.entries.push({ role, task, iteration: this.#iteration, ...trained });
  }

  textFor({ role }: Pick<Agent, "role">, { training }: Prompts): string | undefined {
    const said = [...this.#earlier, ...this.entries].filter((entry) => entry.role === role);
    if (said.length === 0) return undefined;
    const feedback = bullets(said.map(({ humanFeedback }) => humanFeedback));
    return fill(training.feedback, { feedback });
  }
}

/** Throws `invalid_input` and names the missing fields of the first incomplete answer. */
function checkComplete(entries: readonly TrainingEntry[]): void {
  const fields = ["initialOutput", "humanFeedback", "improvedOutput"] as const;
  for (const entry of entries) {
    const missing = fields.filter((field) => entry[field].trim() === "");
    if (missing.length === 0) continue;
    throw new EngineError(
      "invalid_input",
      `training needs an answer, feedback on it and a better answer: iteration ${entry.iteration} of task "${entry.task}" has no ${missing.join(" and no ")}`,
    );
  }
}

function learners({ manager, agents }: RunnableCrew): readonly Agent[] {
  return manager === undefined ? agents : [manager, ...agents];
}

async function learn(
  scope: RunScope,
  crew: RunnableCrew,
  entries: readonly TrainingEntry[],
): Promise<Record<string, TrainedAgent>> {
  const learned: Record<string, TrainedAgent> = {};
  const everybody = learners(crew);
  for (const role of new Set(entries.map((entry) => entry.role))) {
    const agent = everybody.find((each) => each.role === role);
    const own = entries.filter((entry) => entry.role === role);
    learned[role] = await scope
      .atNext(`learn:${keySegment(role)}`)
      .group("group", (place) => lessonOf(place, { crew, agent, role, entries: own }));
  }
  return learned;
}

async function lessonOf(
  scope: RunScope,
  {
    crew,
    agent,
    role,
    entries,
  }: {
    readonly crew: RunnableCrew;
    readonly agent: Agent | undefined;
    readonly role: string;
    readonly entries: readonly TrainingEntry[];
  },
): Promise<TrainedAgent> {
  const { maxCostUsd, maxTokens } = crew.options;
  const prompts = mergePrompts(agent?.prompts ?? {}, crew.prompts);
  const { evaluator, evaluation, iteration: template } = prompts.training;
  const iterations = entries.map(({ iteration, task, ...answer }) =>
    fill(template, {
      iteration: String(iteration),
      task,
      initial_output: answer.initialOutput,
      human_feedback: answer.humanFeedback,
      improved_output: answer.improvedOutput,
    }),
  );
  scope.emit("task_evaluation", { evaluationType: "training_data_evaluation", agentRole: role });
  const lesson = await askStructured(
    scope,
    { system: evaluator, user: fill(evaluation, { role, iterations: iterations.join("\n\n") }) },
    {
      shape: LESSON,
      work: {
        model: workerModel(scope, agent?.llm),
        prompts,
        budget: { maxCostUsd, maxTokens },
        meter: new UsageMeter(),
        hooks: hooksBeside(scope, crew),
      },
    },
  );
  const { suggestions, quality, final_summary: finalSummary } = lessonSchema.parse(lesson);
  return { suggestions, quality, finalSummary };
}
