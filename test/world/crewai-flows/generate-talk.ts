// Random conversations: a flow with routes, and turns in which models name a route, or cannot.
import type { Random } from "../support/random.ts";
import type { Method, Talk, Turn } from "./flow-program.ts";

const ROUTES = ["r1", "r2", "r3"] as const;
const BUILT_IN = ["converse", "end"] as const;

export type TalkFlow = { readonly methods: readonly Method[]; readonly talk: Talk };

export function talkFlow(random: Random): TalkFlow {
  const routes = ROUTES.slice(0, random.below(ROUTES.length + 1));
  const labels = [...routes, ...BUILT_IN];
  const intents = random.chance(0.3) ? labels.filter(() => random.chance(0.6)) : [];
  const intentLlm = intents.length > 0 || random.chance(0.5);
  const talk: Talk = {
    ...(random.chance(0.75) ? { llm: true } : {}),
    ...(intentLlm ? { intentLlm } : {}),
    ...(intents.length > 0 ? { defaultIntents: intents } : {}),
    ...(random.chance(0.4) ? { router: routerOf(random, labels) } : {}),
    ...(random.chance(0.3)
      ? { visible: random.pick<"all" | readonly string[]>(["all", ["ada"], ["bob"]]) }
      : {}),
    turns: Array.from({ length: 1 + random.below(4) }, (_, at) =>
      turnOf(random, { at, labels, mayAsk: intentLlm }),
    ),
  };
  return { methods: methodsOf(random, routes), talk };
}

function methodsOf(random: Random, routes: readonly string[]): readonly Method[] {
  const handlers = routes.map((listen, index): Method => handler(random, `m${index}`, listen));
  const [first] = handlers;
  const later =
    first !== undefined && random.chance(0.4)
      ? [handler(random, `m${handlers.length}`, first.name)]
      : [];
  return [...handlers, ...later];
}

function handler(random: Random, name: string, listen: string): Method {
  const reply = random.pick(["return", "return", "say", "private", "public"] as const);
  return {
    name,
    delay: 1,
    listen,
    reply,
    ...(random.chance(0.4) ? { takes: true } : {}),
    ...(random.chance(0.1) ? { none: true } : {}),
    ...(random.chance(0.05) ? { fail: [1] } : {}),
  };
}

function routerOf(random: Random, labels: readonly string[]): NonNullable<Talk["router"]> {
  return {
    ...(random.chance(0.4) ? { routes: labels.filter(() => random.chance(0.7)) } : {}),
    ...(random.chance(0.4) ? { defaultIntent: random.pick(labels) } : {}),
    ...(random.chance(0.4) ? { fallbackIntent: random.pick([...labels, ""]) } : {}),
  };
}

function turnOf(
  random: Random,
  {
    at,
    labels,
    mayAsk,
  }: { readonly at: number; readonly labels: readonly string[]; readonly mayAsk: boolean },
): Turn {
  const intents = labels.filter(() => random.chance(0.5));
  return {
    message: random.chance(0.9) ? `hello ${at}` : random.pick(labels),
    ...(random.chance(0.8) ? { label: random.pick([...labels, "elsewhere"]) } : {}),
    ...(mayAsk && intents.length > 0 && random.chance(0.15) ? { intents } : {}),
  };
}
