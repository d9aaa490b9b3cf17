// The decorators of flow classes. They only mark methods; the engine reads the marks.
import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import { EngineError } from "../base/error.ts";
import { isJsonObject } from "../base/json.ts";
import type { Condition } from "./condition.ts";
import type { Conversational } from "./conversational/conversational-decorator.ts";
import type { FeedbackDefinition } from "./feedback.ts";
import type { MethodDefinition } from "./flow-definition.ts";

type Method = (...args: never[]) => unknown;
type FlowClass = abstract new (...args: never[]) => object;
type Context = ClassMethodDecoratorContext;
/** A condition as decorators take it: methods by name, or as `(flow) => flow.method`. */
export type Trigger = Condition | ((flow: never) => Method);

const marks = new WeakMap<object, Map<string, MethodDefinition>>();
/** Flow classes with persistence for all methods. */
const persisting = new WeakSet<object>();
/** Conversational flow classes. */
const conversing = new WeakMap<object, Conversational>();

/** Returns the marks of a flow object's methods, in the order of the class. */
export function methodsOf(flow: object): Readonly<Record<string, MethodDefinition>> {
  return Object.fromEntries(marks.get(flow) ?? []);
}

/** Runs the method when the flow starts; with a condition, when a router returns the label. */
export function start(condition?: Trigger) {
  return (_: Method, context: Context): void =>
    mark(context, (flow) => ({
      start: condition === undefined ? true : resolved(condition, flow),
    }));
}

/** The method runs when another method has ended or a router has returned a label. */
export function listen(condition: Trigger) {
  return (_: Method, context: Context): void =>
    mark(context, (flow) => ({ listen: resolved(condition, flow) }));
}

const ROUTER = definitionOptions<{ emit?: readonly string[] }>("router()", {
  emit: true,
});

/** Runs the method like `listen`; its result is a label for other methods. `emit` names the possible labels. */
export function router(condition?: Trigger, options: { readonly emit?: readonly string[] } = {}) {
  refuseUnknownOptions(options, ROUTER);
  return (_: Method, context: Context): void =>
    mark(context, (flow) => ({
      router: true,
      ...(condition === undefined ? undefined : { listen: resolved(condition, flow) }),
      ...(options.emit === undefined ? undefined : { emit: options.emit }),
    }));
}

/** A person reviews the method's output. With `emit` the method is a router for those labels. */
export function humanFeedback(definition: FeedbackDefinition) {
  return (_: Method, context: Context): void =>
    mark(context, () => ({ humanFeedback: definition }));
}

/** Saves the state when the method has ended; on a class after each method, and the flow is restored by `inputs.id`. */
export function persist() {
  return (target: Method | FlowClass, context: Context | ClassDecoratorContext): void => {
    if (context.kind === "class") persisting.add(target);
    else mark(context, () => ({ persist: true }));
  };
}

/** True if the class of a flow, or a base class, persists. */
export function isPersisting(flow: object): boolean {
  return classesOf(flow).some((each) => persisting.has(each));
}

/** Marks a class of flows as conversational. */
export function markConversing(flowClass: object, conversational: Conversational): void {
  conversing.set(flowClass, conversational);
}

/** Returns the conversational settings of a flow's class or its nearest base class; undefined without any. */
export function conversingAs(flow: object): Conversational | undefined {
  const nearest = classesOf(flow).find((each) => conversing.has(each));
  return nearest === undefined ? undefined : conversing.get(nearest);
}

/** Returns the class of a flow, then its base classes. */
function classesOf(flow: object): readonly object[] {
  const classes: object[] = [];
  for (let owner: unknown = flow.constructor; typeof owner === "function";) {
    classes.push(owner);
    owner = Object.getPrototypeOf(owner) as unknown;
  }
  return classes;
}

function mark(context: Context, definition: (flow: object) => MethodDefinition): void {
  const name = String(context.name);
  if (context.static || context.private)
    throw new EngineError(
      "invalid_definition",
      `a flow's method must be a public method of the instance, got ${context.static ? "static" : "private"} ${name}`,
    );
  context.addInitializer(function () {
    const flow = this as object;
    const methods = marks.get(flow) ?? new Map<string, MethodDefinition>();
    marks.set(flow, methods.set(name, { ...methods.get(name), ...definition(flow) }));
  });
}

function resolved(condition: Trigger, flow: object): Condition {
  if (typeof condition !== "function") return condition;
  const method = condition(flow as never);
  const name = typeof method === "function" ? nameOf(flow, method) : undefined;
  if (name !== undefined) return name;
  throw new EngineError(
    "invalid_definition",
    "a trigger such as (flow) => flow.method must return a method of the flow",
  );
}

/** Finds the name by identity and not by `method.name`, which minifiers change. */
function nameOf(flow: object, method: Method): string | undefined {
  for (let owner: unknown = flow; isJsonObject(owner); owner = Object.getPrototypeOf(owner)) {
    const found = Object.getOwnPropertyNames(owner).find(
      (key) => Object.getOwnPropertyDescriptor(owner, key)?.value === method,
    );
    if (found !== undefined) return found;
  }
  return undefined;
}
