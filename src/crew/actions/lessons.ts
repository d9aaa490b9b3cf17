// What agents follow beyond their task: what people taught them.
//
//   LE1. A run reads what its crew was taught once, as a step; a crew without `trained` reads nothing.
//   LE2. An agent gets what is kept under its role as the definition writes it, whatever inputs were put in.
import type { Agent } from "../../agent/description/agent.ts";
import { fill, type Prompts } from "../../agent/prompts/prompts.ts";
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { CrewOptions } from "../crew-options.ts";
import type { RunnableCrew } from "../prepare-crew.ts";
import type { Training } from "./training.ts";

export interface Lessons {
  /** What an agent is told at the end of its prompts. */
  textFor(agent: Agent, prompts: Prompts): string | undefined;
}

/** The crew with what it was taught. Throws `invalid_definition` where trainings are not kept. */
export async function withLessons(scope: RunScope, crew: RunnableCrew): Promise<RunnableCrew> {
  const { trained } = crew.options;
  if (trained === undefined || trained === false || crew.lessons !== undefined) return crew;
  if (typeof trained === "object") return { ...crew, lessons: lessonsOf(trained) };
  const name = trainingName(crew);
  const { trained: store } = scope.services;
  if (store === undefined)
    throw new EngineError(
      "invalid_definition",
      `crew "${crew.name}" was trained as "${name}", and trainings are not kept where it runs: give the run a store of them, or the crew the training itself`,
    );
  const training = await scope.at("trained").step<Training | null>({
    kind: "effect",
    run: async () => (await store.get(name)) ?? null,
  });
  return training === null ? crew : { ...crew, lessons: lessonsOf(training) };
}

/** What trainings of this crew are kept under, unless a name is given. */
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

/** Throws `invalid_definition` for what `trained` cannot be. */
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
    `${owner}: trained must be a boolean, a name that is not empty, or what train() gave, got ${preview(trained)}`,
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

/** One point a line. */
export function bullets(points: readonly string[]): string {
  return points.map((point) => `- ${point.trim().replaceAll("\n", "\n  ")}`).join("\n");
}
