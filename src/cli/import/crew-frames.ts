// Functions and classes around a place in a file, and the names that apply there.
import type { Evaluator } from "./evaluator.ts";
import { Frame, type Instance } from "./frame.ts";
import {
  definitionOf,
  type Definition,
  type PythonNode,
  type PythonSource,
} from "./python-source.ts";

/** The definitions around a place, the outermost first. */
export function definitionsAround(source: PythonSource, node: PythonNode): readonly Definition[] {
  const found: Definition[] = [];
  for (let here = node.parent; here !== null; here = here.parent) {
    if (here.name !== "ClassDefinition" && here.name !== "FunctionDefinition") continue;
    const whole = here.parent?.name === "DecoratedStatement" ? here.parent : here;
    const definition = definitionOf(source, whole);
    if (definition !== undefined) found.unshift(definition);
  }
  return found;
}

/** The names at a place in a file. Parameters of the functions around it are inputs. */
export function frameAround(
  source: PythonSource,
  around: readonly Definition[],
  evaluator: Evaluator,
): Frame {
  let frame = evaluator.fileFrame(source);
  let self: Instance | undefined;
  for (const definition of around) {
    const own = { source, definition };
    if (definition.kind === "class") self = evaluator.instanceOf(own, { key: definition.name });
    else
      frame = new Frame(source, definition.node, {
        parent: frame,
        self,
        bindings: evaluator.parameters(own),
      });
  }
  return frame;
}
