// Lessons: suggestions from people's feedback that agents follow in every task.
//
//   LE1. A run reads its crew's training once, as a step; a crew without `trained` reads nothing. A training named by
//        the start of the run is read at the start instead. It changes no steps, so a fork can receive it in the middle
//        of a run.
//   LE2. An agent gets the lessons stored under its role from the definition, before placeholders are filled.
import { fill } from "../../agent/prompts/prompts.ts";
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { CrewOptions } from "../crew-options.ts";
import type { RunnableCrew, Lessons } from "../runnable-crew.ts";
import type { Training } from "./training.ts";

/** True if there may be lessons for a crew, which then waits for them. */
export function hasLessons({ services }: RunScope, { options }: RunnableCrew): boolean {
  return options.trained !== undefined || services.overrides?.trained !== undefined;
}

/** The crew with its lessons. Throws `invalid_definition` if it names a training and the run has no store of trainings. */
export async function withLessons(scope: RunScope, crew: RunnableCrew): Promise<RunnableCrew> {
  const { trained: named } = scope.services.overrides ?? {};
  if (named !== undefined && crew.lessons === undefined) {
    const own = await withOwnLessons(scope, crew);
    return { ...own, lessons: lessonsOf(named as unknown as Training) };
  }
  return withOwnLessons(scope, crew);
}

async function withOwnLessons(scope: RunScope, crew: RunnableCrew): Promise<RunnableCrew> {
  const { trained } = crew.options;
  if (trained === undefined || trained === false || crew.lessons !== undefined) return crew;
  if (typeof trained === "object") return { ...crew, lessons: lessonsOf(trained) };
  const name = trainingName(crew);
  const { trained: store } = scope.services;
  if (store === undefined)
    throw new EngineError(
      "invalid_definition",
      `crew "${crew.name}" was trained as "${name}", and this deployment stores no trainings: pass a store to the run, or the training itself to the crew`,
    );
  const training = await scope.at("trained").step<Training | null>({
    kind: "effect",
    run: async () => (await store.get(name)) ?? null,
  });
  return training === null ? crew : { ...crew, lessons: lessonsOf(training) };
}

/** The default name under which trainings of this crew are stored. */
export function trainingName({
  name,
  options: { trained },
}: {
  readonly name: string;
  readonly options: CrewOptions;
}): string {
  if (typeof trained === "object") return trained.name;
  return typeof trained === "string" ? trained : name;
}

/** Throws `invalid_definition` for an invalid value of `trained`. */
export function checkTrained(trained: unknown, owner: string): void {
  if (trained === undefined || typeof trained === "boolean") return;
  if (typeof trained === "string" && trained.trim() !== "") return;
  const { agents } = (trained ?? {}) as Partial<Training>;
  const isTraining =
    typeof agents === "object" &&
    agents !== null &&
    Object.values(agents).every((agent) =>
      Array.isArray((agent as { suggestions?: unknown })?.suggestions),
    );
  if (isTraining) return;
  throw new EngineError(
    "invalid_definition",
    `${owner}: trained must be a boolean, a non-empty name, or the result of train(), got ${preview(trained)}`,
  );
}

function lessonsOf({ agents }: Training): Lessons {
  return {
    textFor: ({ role }, { training }) => {
      const suggestions = Object.hasOwn(agents, role) ? agents[role]?.suggestions : undefined;
      if (suggestions === undefined || suggestions.length === 0) return undefined;
      return fill(training.suggestions, { suggestions: bullets(suggestions) });
    },
  };
}

/** Formats the points as a list, one on each line. */
export function bullets(points: readonly string[]): string {
  return points.map((point) => `- ${point.trim().replaceAll("\n", "\n  ")}`).join("\n");
}
