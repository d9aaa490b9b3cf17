// Where the parts of a crew are looked up: a class, or a script.
import { openAt, type OpenPlace } from "./open-places.ts";
import type { Assignment, Definition, PythonNode, PythonSource } from "./python-source.ts";
import type { PythonCall, PythonValue } from "./python-values.ts";

/** A piece of Python, and the file that it stands in. */
export type Place = { readonly source: PythonSource; readonly node: PythonNode };

/** What makes an agent, a task or a crew. */
export type Method = Definition & { readonly source: PythonSource };

/** What names stand for, the nearest first. */
export type Scope = readonly (readonly Assignment[])[];

export type Returned = { readonly call: PythonCall; readonly scope: Scope };

export interface CrewScope extends PlaceList {
  readonly methods: ReadonlyMap<string, Method>;
  /** What is assigned to a name of the crew itself. */
  field(name: string): PythonValue | undefined;
  /** The call that a method returns, and what its names stand for. */
  returned(method: Method): Returned | undefined;
  /** What a method of this name returns. */
  made(name: string): Returned | undefined;
  /** What a name stands for. */
  resolved(value: PythonValue, scope: Scope): PythonValue;
  /** The name of the method that a value is made by. */
  partName(value: PythonValue): string | undefined;
}

/** The places that are left, in the order in which they were found. */
export class PlaceList {
  readonly open: OpenPlace[] = [];

  leave({ source, node }: Place, why: string): void {
    const place = openAt(source, node, why);
    const isKnown = this.open.some(
      ({ file, line, text }) => file === place.file && line === place.line && text === place.text,
    );
    if (!isKnown) this.open.push(place);
  }

  /** A method of which the first line is shown. */
  leaveMethod({ source, node }: Place, why: string): void {
    const text = source.textOf(node).split("\n")[0] ?? "";
    this.open.push({ ...openAt(source, node, why), text });
  }

  /** A value that must not be shown. */
  leaveSecret({ source, node }: Place, name: string): void {
    const why = `\`${name}\` is a secret: set it as a variable of the Worker`;
    this.open.push({ ...openAt(source, node, why), text: "(hidden)" });
  }
}
