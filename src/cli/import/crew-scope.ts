// Lookup of a crew's parts in a class or a script.
import { openAt, type OpenPlace } from "./open-places.ts";
import type { Assignment, Definition, PythonNode, PythonSource } from "./python-source.ts";
import type { PythonCall, PythonValue } from "./python-value.ts";

/** A piece of Python and its file. */
export type Place = { readonly source: PythonSource; readonly node: PythonNode };

/** Code of an agent, a task or a crew. */
export type Method = Definition & { readonly source: PythonSource };

/** Assignments of names, the nearest first. */
export type Scope = readonly (readonly Assignment[])[];

export type Returned = { readonly call: PythonCall; readonly scope: Scope };

export interface CrewScope extends PlaceList {
  readonly methods: ReadonlyMap<string, Method>;
  /** Returns the value of a name of the crew itself. */
  field(name: string): PythonValue | undefined;
  /** Returns the call in a method's `return`, with the values of its names. */
  returned(method: Method): Returned | undefined;
  /** Returns the result of a method with this name. */
  made(name: string): Returned | undefined;
  /** Returns the value of a name. */
  resolved(value: PythonValue, scope: Scope): PythonValue;
  /** Returns the name of the method that makes a value. */
  partName(value: PythonValue): string | undefined;
}

/** Open places, in the order of their discovery. */
export class PlaceList {
  readonly open: OpenPlace[] = [];
  /** Functions and assignments whose values were used, as keys of `codeKey`. */
  readonly used = new Set<string>();

  leave({ source, node }: Place, why: string): void {
    const place = openAt(source, node, why);
    const isKnown = this.open.some(
      ({ file, line, text }) => file === place.file && line === place.line && text === place.text,
    );
    if (!isKnown) this.open.push(place);
  }

  /** Adds an open place for a method, with its first line. */
  leaveMethod({ source, node }: Place, why: string): void {
    const text = source.textOf(node).split("\n")[0] ?? "";
    this.open.push({ ...openAt(source, node, why), text });
  }

  /** Adds an open place for a value that must stay hidden. */
  leaveSecret({ source, node }: Place, name: string): void {
    const why = `\`${name}\` is a secret: set it as a variable of the Worker`;
    this.open.push({ ...openAt(source, node, why), text: "(hidden)" });
  }
}
