/** Flows as data: `crewai.flow/v1`. */

/** Lets `defineApp` take flows over HTTP. */
export { declarativeFlows } from "./declarative-flows.ts";
/** A flow from YAML, JSON or an object. */
export { flowFromDeclaration, type DeclarationOptions } from "./flow-from-declaration.ts";
/** Guide for coding assistants that write flows. */
export { flowSkill } from "./flow-skill.ts";
/** Second argument of functions named by `call: code`. */
export type { CodeContext } from "./code-action.ts";
export type { FlowDeclaration } from "./declaration-schema.ts";
export type { FlowRegistry } from "../flow/flow-reader.ts";
export type { DeclarativeFlows } from "../flow/declarative-flows.ts";
