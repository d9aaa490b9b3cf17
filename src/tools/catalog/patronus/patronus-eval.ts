import * as z from "zod";
import { badResponse } from "../base/service-failure.ts";
import { serviceTools } from "../base/service-tools.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { evaluate, PATRONUS, PATRONUS_HOSTS, PATRONUS_KEY } from "./patronus.ts";

const SERVICE = "Patronus AI";
/** Maximum length of the criteria shown to a model, in characters. */
const MAX_CRITERIA = 6_000;

const evaluators = () =>
  z.looseObject({
    evaluators: z.array(z.looseObject({ id: z.string(), deprecated: z.boolean().default(false) })),
  });

const criteria = () =>
  z.looseObject({
    evaluator_criteria: z.array(
      z.looseObject({
        name: z.string(),
        evaluator_family: z.string(),
        description: z.string().nullish(),
        config: z
          .looseObject({ pass_criteria: z.string().nullish() })
          .nullish()
          .transform((config) => config ?? {}),
      }),
    ),
  });

const asked = () =>
  z.looseObject({
    evaluators: z
      .array(
        z.looseObject({
          evaluator: z.string(),
          criteria: z.string().optional(),
          name: z.string().optional(),
        }),
      )
      .min(1),
  });

/** Evaluators of Patronus AI, chosen by the agent. The agent gets the list at the start of its run. */
export const patronusEval = serviceTools({
  className: "PatronusEvalTool",
  displayName: "Patronus Evaluation Tool",
  group: "automation",
  service: SERVICE,
  effectClass: "R",
  description: "Has evaluators judge what a model did with its input.",
  options: () => z.object({}),
  env: [PATRONUS_KEY],
  hosts: PATRONUS_HOSTS,
  list: async (_, io) => {
    const text = { type: "string" };
    const known = await knownCriteria(io);
    return [
      {
        name: "Patronus Evaluation Tool",
        description:
          "Has evaluators judge what a model did with its input. Choose those that fit, with a criterion that they have.",
        reads: true,
        parameters: {
          type: "object",
          properties: {
            evaluated_model_input: { ...text, description: "What the model was asked" },
            evaluated_model_output: { ...text, description: "What it answered" },
            evaluated_model_retrieved_context: {
              ...text,
              description: "What it was given to know",
            },
            evaluators: {
              type: "array",
              description: `Who judges, and by what:\n${known}`,
              items: {
                type: "object",
                properties: { evaluator: text, criteria: text },
                required: ["evaluator", "criteria"],
              },
            },
          },
          required: ["evaluated_model_input", "evaluated_model_output", "evaluators"],
        },
      },
    ];
  },
  call: async ({ input }, io) => {
    const { evaluators: chosen, ...work } = asked().parse(input);
    return evaluate(io, {
      ...work,
      evaluators: chosen.map(({ evaluator, criteria: criterion, name }) => ({
        evaluator: evaluator.toLowerCase(),
        criteria: name ?? criterion,
      })),
    });
  },
});

/** Returns a line for each criterion of a currently offered evaluator. */
async function knownCriteria(io: ToolIo): Promise<string> {
  const [who, what] = await Promise.all([
    io.send({ url: `${PATRONUS}/evaluators` }),
    io.send({ url: `${PATRONUS}/evaluator-criteria` }),
  ]);
  const offered = evaluators().safeParse(who.body).data;
  const known = criteria().safeParse(what.body).data;
  if (offered === undefined || known === undefined) throw badResponse(SERVICE);
  const gone = new Set(
    offered.evaluators.filter(({ deprecated }) => deprecated).map(({ id }) => id),
  );
  const lines: string[] = [];
  let length = 0;
  for (const { name, evaluator_family: family, description, config } of known.evaluator_criteria) {
    const means = config.pass_criteria ?? description ?? "";
    if (means === "" || gone.has(family)) continue;
    const line = `${family} ${name}: ${means.replaceAll(/\s+/g, " ").slice(0, 300)}`;
    length += line.length + 1;
    if (length > MAX_CRITERIA) break;
    lines.push(line);
  }
  return lines.join("\n");
}
