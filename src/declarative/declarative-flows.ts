import type { DeclarativeFlows } from "../flow/declarative-flows.ts";
import { flowPart } from "../flow/flow-part.ts";
import { asStored, makeFlow, named } from "./flow-from-declaration.ts";
import { filesSource } from "./flow-source.ts";
import { readDeclaration } from "./read-declaration.ts";

/** Lets an app take flows as data, over HTTP: `defineApp({ declarativeFlows: declarativeFlows() })`. */
export function declarativeFlows(): DeclarativeFlows {
  return {
    part: flowPart,
    read(input, { name, registry }) {
      const declaration = readDeclaration(named(input, name));
      return { declaration: asStored(declaration), flow: makeFlow(declaration, registry) };
    },
    project: filesSource,
  };
}
