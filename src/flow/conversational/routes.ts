// Choice of a turn's route.
//
//   RT1. The choice of the user's own code comes first, else the router's choice. Then follow the intent of the message
//        in this turn, then the answer from the history, if a model finds it there, then `converse`. The previous turn
//        has no influence.
//   RT2. A model is a router if a router is configured, or if methods listen to their own routes and there are no
//        default intents.
//   RT3. A router without a model returns `defaultIntent`; a failing one, or one that names no offered route,
//        `fallbackIntent`.
//   RT4. A router chooses from its `routes`, or without any from the labels with listeners; `converse` and `end` are
//        always offered, as in CrewAI.
import { fill, type Prompts } from "../../agent/prompts/prompts.ts";
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import { namesIn } from "../condition.ts";
import { labelsFrom, type FlowDefinition } from "../flow-definition.ts";
import { chooseLabel } from "./choose-label.ts";
import {
  ANSWER_FROM_HISTORY,
  CONVERSE,
  END,
  type ConversationConfig,
  type RouterConfig,
} from "./conversation-config.ts";
import type { ConversationMessage } from "./conversation-state.ts";
import { historyFor, recentText } from "./messages.ts";

/** The routes of a flow; they are collected once for each flow. */
export type Routes = {
  /** Labels with listeners but without another router. */
  readonly custom: readonly string[];
  /** All labels: a result equal to one of these is no reply. */
  readonly labels: ReadonlySet<string>;
  /** Describes the purpose of a route for models. */
  readonly described: (route: string) => string;
};

const BUILT_IN = {
  [CONVERSE]: "routeConverse",
  [END]: "routeEnd",
  [ANSWER_FROM_HISTORY]: "routeAnswerFromHistory",
} as const;

export function routesOf(
  { methods }: FlowDefinition,
  config: ConversationConfig,
  { conversation: texts }: Prompts,
): Routes {
  const entries = Object.entries(methods);
  const returned = new Set(entries.flatMap(([, method]) => labelsFrom(method) ?? []));
  const handlers = new Map<string, string | undefined>();
  for (const [name, { start, listen, description }] of entries)
    for (const condition of [start === true ? undefined : start, listen])
      for (const label of condition === undefined ? [] : namesIn(condition))
        if (name !== label && !Object.hasOwn(methods, label) && !handlers.has(label))
          handlers.set(label, description);
  const {
    routes = [],
    routeDescriptions = {},
    defaultIntent,
    fallbackIntent,
  } = config.router ?? {};
  const labels = [...handlers.keys(), ...returned, ...routes, ...(config.defaultIntents ?? [])];
  const more = [...Object.keys(BUILT_IN), defaultIntent, fallbackIntent];
  return {
    custom: [...handlers.keys()].filter(
      (label) => !returned.has(label) && !Object.hasOwn(BUILT_IN, label),
    ),
    labels: new Set([...labels, ...more.filter((label) => label !== undefined)]),
    described: (route) => {
      if (Object.hasOwn(routeDescriptions, route)) return routeDescriptions[route] ?? "";
      const builtIn = Object.hasOwn(BUILT_IN, route)
        ? BUILT_IN[route as keyof typeof BUILT_IN]
        : undefined;
      return builtIn === undefined ? (handlers.get(route) ?? "") : texts[builtIn];
    },
  };
}

/** Data for a model's classification of a message. */
export type Sorting = {
  readonly config: ConversationConfig;
  readonly routes: Routes;
  readonly prompts: Prompts;
  /** The last one is the user's. */
  readonly messages: readonly ConversationMessage[];
};

/** Returns the model for the classification into intents; undefined without one. */
export function intentModel(
  { intentLlm, llm }: ConversationConfig,
  override?: ModelSpec,
): ModelSpec | undefined {
  return override ?? intentLlm ?? llm;
}

/** Asks a model for the intent of the latest message; null if it names none. */
export async function classified(
  place: RunScope,
  sorting: Sorting,
  { intents, llm }: { readonly intents: readonly string[]; readonly llm: ModelSpec },
): Promise<string | null> {
  const system = sorting.prompts.conversation.classifier;
  return (await sorted(place, sorting, { labels: intents, llm, system })) ?? null;
}

/** Asks a model for the route; returns null if there is no model to ask (RT2, RT3). */
export async function routed(place: RunScope, sorting: Sorting): Promise<string | null> {
  const { config, routes, prompts } = sorting;
  const router = config.router ?? automatic(config, routes);
  if (router === undefined) return null;
  const { defaultIntent = CONVERSE, fallbackIntent = CONVERSE } = router;
  const llm = router.llm ?? intentModel(config);
  if (llm === undefined) return defaultIntent;
  const label = await sorted(place, sorting, {
    labels: onOffer(sorting, router),
    llm,
    system: router.prompt ?? prompts.conversation.router,
    ...(router.intentField === undefined ? undefined : { field: router.intentField }),
    ...(router.responseFormat === undefined ? undefined : { format: router.responseFormat }),
  });
  return label ?? (fallbackIntent === "" ? defaultIntent : fallbackIntent);
}

/** Returns the routes offered to a router (RT4). */
function onOffer({ config, routes }: Sorting, router: RouterConfig): readonly string[] {
  if (router.routes !== undefined && router.routes.length > 0)
    return [...new Set([...router.routes, CONVERSE, END])];
  const fromHistory = config.answerFromHistoryLlm === undefined ? [] : [ANSWER_FROM_HISTORY];
  return [...routes.custom, CONVERSE, END, ...fromHistory];
}

/** True if a model finds the latest message already answered in the history. */
export async function isAnswered(
  place: RunScope,
  { prompts, messages }: Pick<Sorting, "prompts" | "messages">,
  llm: ModelSpec,
): Promise<boolean> {
  const said = await chooseLabel(place, {
    model: place.model(llm),
    system: prompts.conversation.answerable,
    user: question(prompts, messages, ""),
    labels: ["yes", "no"],
    field: "answerable",
    prompts,
  });
  return said === "yes";
}

/** Checks a route returned by user code. Throws `invalid_input` for any other value. */
export function routeFrom(value: unknown, where: string): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value;
  throw new EngineError(
    "invalid_input",
    `${where} must return a route (a string) or null, got ${preview(value)}`,
  );
}

function automatic(
  { defaultIntents }: ConversationConfig,
  { custom }: Routes,
): RouterConfig | undefined {
  return custom.length > 0 && defaultIntents === undefined ? {} : undefined;
}

function sorted(
  place: RunScope,
  { routes, prompts, messages }: Sorting,
  asked: {
    readonly labels: readonly string[];
    readonly llm: ModelSpec;
    readonly system: string;
    readonly field?: string;
    readonly format?: RouterConfig["responseFormat"];
  },
): Promise<string | undefined> {
  const { labels, llm, system, field = "intent", format } = asked;
  const catalogue = labels.map((label) => {
    const text = routes.described(label);
    return text === "" ? `- ${label}` : `- ${label}: ${text}`;
  });
  return chooseLabel(place, {
    model: place.model(llm),
    system,
    user: question(prompts, messages, catalogue.join("\n")),
    labels,
    field,
    format,
    prompts,
  });
}

function question(
  { conversation }: Prompts,
  messages: readonly ConversationMessage[],
  catalogue: string,
): string {
  const values = {
    routes: catalogue,
    history: recentText(messages),
    message: historyFor(messages.slice(-1))[0]?.content as string,
  };
  return fill(catalogue === "" ? conversation.answerableQuestion : conversation.question, values);
}
