// Decorators of a crew class. Each marks a method that makes one member of the crew.
//
//   PP1. A member is made once per instance, on first access.
//   PP2. Members keep the order of their methods in the class.
import type { Agent } from "../agent/description/agent.ts";
import type { OutputSchema } from "../agent/loop/structured-output.ts";
import type { JsonObject } from "../base/json.ts";
import { EngineError } from "../base/error.ts";
import { Crew } from "../crew/crew.ts";
import type { CrewOutput } from "../crew/tasks/task-output.ts";
import type { Task } from "../crew/tasks/task.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import type { Tool } from "../tools/tool.ts";

/** Type of the marked method, for each decorator. */
export type CrewParts = {
  agent: () => Agent;
  task: () => Task;
  llm: () => ModelSpec;
  tool: () => Tool;
  output: () => OutputSchema;
  callback: (...args: never[]) => unknown;
  beforeKickoff: (inputs: JsonObject) => JsonObject | Promise<JsonObject>;
  afterKickoff: (output: CrewOutput) => CrewOutput | Promise<CrewOutput>;
};

export type PartKind = keyof CrewParts;
type DecoratedMethod = {
  readonly kind: PartKind;
  readonly name: string;
  readonly method: Method;
};

const parts = new WeakMap<object, DecoratedMethod[]>();

/** Returns a crew object's methods of one kind, by name, in the order of the class. */
export function partsOf<Kind extends PartKind>(
  owner: object,
  kind: Kind,
): ReadonlyMap<string, CrewParts[Kind]> {
  const found = (parts.get(owner) ?? []).filter((part) => part.kind === kind);
  return new Map(found.map(({ name, method }) => [name, method as CrewParts[Kind]]));
}

type Method = (...args: never[]) => unknown;
type Decorator<Kind extends PartKind> = <Decorated extends CrewParts[Kind]>(
  method: Decorated,
  context: ClassMethodDecoratorContext,
) => Decorated;

/** Makes an agent. YAML tasks find it by the method's name. */
export const agent: Decorator<"agent"> = factory("agent");
/** Makes a task. YAML tasks find it by the method's name, in their `context`. */
export const task: Decorator<"task"> = factory("task");
/** Makes a model. YAML agents find it by the method's name, as their `llm`. */
export const llm: Decorator<"llm"> = factory("llm");
/** Makes a tool. YAML agents and tasks find it by the method's name. */
export const tool: Decorator<"tool"> = factory("tool");
/** Makes an output schema. YAML tasks find it by the method's name, as their `output_json` or `output_pydantic`. */
export const output: Decorator<"output"> = factory("output");
/** Marks a method that YAML can name in place of a function: `callback`, `step_callback`, `condition`, `guardrail`. */
export const callback: Decorator<"callback"> = mark("callback");
/** Marks a method that receives the inputs of each run and returns the inputs to use. */
export const beforeKickoff: Decorator<"beforeKickoff"> = mark("beforeKickoff");
/** Marks a method that receives the output of each run and returns the output to use. */
export const afterKickoff: Decorator<"afterKickoff"> = mark("afterKickoff");

/**
 * Makes the crew. It gets the class's name unless it has one, and the kickoff methods of the class. Made once per
 * instance.
 */
export function crew<Decorated extends () => Crew>(method: Decorated): Decorated {
  return once(function (this: object): Crew {
    return withClass(method.call(this), this);
  }) as unknown as Decorated;
}

function factory<Kind extends PartKind>(kind: Kind): Decorator<Kind> {
  return (method, context) =>
    register(kind, once(method as () => unknown), context) as typeof method;
}

function mark<Kind extends PartKind>(kind: Kind): Decorator<Kind> {
  return (method, context) => register(kind, method, context) as typeof method;
}

function register(kind: PartKind, method: Method, context: ClassMethodDecoratorContext): Method {
  const name = String(context.name);
  if (context.static || context.private) {
    const got = context.static ? "static" : "private";
    throw new EngineError(
      "invalid_definition",
      `@${kind} needs a public method of the instance, got ${got} ${name}`,
    );
  }
  context.addInitializer(function () {
    const owner = this as object;
    const part: DecoratedMethod = { kind, name, method: method.bind(owner) };
    const own = parts.get(owner);
    if (own === undefined) parts.set(owner, [part]);
    else own.push(part);
  });
  return method;
}

/** Wraps a method so that it runs once per instance. */
function once<This extends object, Made>(method: (this: This) => Made): (this: This) => Made {
  const made = new WeakMap<object, { readonly value: Made }>();
  return function (this: This): Made {
    let known = made.get(this);
    if (known === undefined) made.set(this, (known = { value: method.call(this) }));
    return known.value;
  };
}

function withClass(made: Crew, owner: object): Crew {
  const { options } = made;
  return new Crew({
    ...options,
    name: options.name ?? owner.constructor.name,
    beforeKickoff: [...(options.beforeKickoff ?? []), ...partsOf(owner, "beforeKickoff").values()],
    afterKickoff: [...(options.afterKickoff ?? []), ...partsOf(owner, "afterKickoff").values()],
  });
}
