// Places of `Crew(…)` outside of classes with `@CrewBase`, with the functions around them.
import { definitionsAround } from "./crew-frames.ts";
import type { Definition, PythonNode, PythonSource } from "./python-source.ts";

export type CrewSite = {
  readonly source: PythonSource;
  /** The call of `Crew`. */
  readonly call: PythonNode;
  /** The name that it is assigned to, if any. */
  readonly assigned: string | undefined;
  /** Definitions around it, the outermost first. */
  readonly around: readonly Definition[];
};

/** More crews than any hand-written file has. */
const MAX_SITES = 50;

export function crewSites(source: PythonSource): readonly CrewSite[] {
  const sites: CrewSite[] = [];
  source.root.cursor().iterate(({ node, name }) => {
    if (name !== "CallExpression" || sites.length >= MAX_SITES) return;
    const callee = node.firstChild;
    if (callee === null || source.textOf(callee).split(".").at(-1) !== "Crew") return;
    const around = definitionsAround(source, node);
    const isOfClass = around.some(({ decorators }) =>
      decorators.some((each) => each.name === "CrewBase"),
    );
    // `Crew` as a method of another object is no crew.
    if (isOfClass || !/^(\w+\.)?Crew$/.test(source.textOf(callee))) return;
    sites.push({ source, call: node, assigned: assignedName(source, node), around });
  });
  return sites;
}

function assignedName(source: PythonSource, { parent }: PythonNode): string | undefined {
  if (parent?.name !== "AssignStatement" || parent.firstChild === null) return undefined;
  const name = source.textOf(parent.firstChild);
  return /^(self\.)?\w+$/.test(name) ? name.replace(/^self\./, "") : undefined;
}
