// Lookup of a crew's parts in a class or a script.
import type { Frame } from "./frame.ts";
import { openAt, type OpenPlace } from "./open-places.ts";
import type { Definition, PythonNode, PythonSource } from "./python-source.ts";
import type { PythonCall, PythonValue } from "./python-value.ts";

/** A piece of Python and its file. */
export type Place = { readonly source: PythonSource; readonly node: PythonNode };

/** Code of an agent, a task or a crew. */
export type Method = Definition & { readonly source: PythonSource };

/** Names that apply in a method. */
export type Scope = { readonly frame: Frame };

export type Returned = { readonly call: PythonCall; readonly scope: Scope };

export interface CrewScope extends PlaceList {
  readonly methods: ReadonlyMap<string, Method>;
  /** Returns the value of a name of the crew itself. */
  field(name: string): PythonValue | undefined;
  /** Returns the call in a method's `return`, with the values of its names. */
  returned(method: Method): Returned | undefined;
  /** Returns the result of a method with this name. */
  made(name: string): Returned | undefined;
  /** Returns the value of a name, with the parts of the crew in it as they are. */
  resolved(value: PythonValue, scope: Scope): PythonValue;
  /** Returns a value with the values of all names in it. */
  evaluated(value: PythonValue, scope: Scope): PythonValue;
  /** Returns the name of the method that makes a value. */
  partName(value: PythonValue): string | undefined;
}

/** Adds a new place. */
function addPlace(places: OpenPlace[], place: OpenPlace): void {
  const isKnown = places.some(
    ({ file, line, text }) => file === place.file && line === place.line && text === place.text,
  );
  if (!isKnown) places.push(place);
}

/** Open places, in the order of their discovery. */
export class PlaceList {
  readonly open: OpenPlace[] = [];
  /** Code without an effect here, since CrewAI or Edgecrew does not need it. */
  readonly leftOut: OpenPlace[] = [];
  /** Functions and assignments whose values were used, as keys of `codeKey`. */
  readonly used = new Set<string>();

  leave({ source, node }: Place, why: string): void {
    addPlace(this.open, openAt(source, node, why));
  }

  /** Adds an open place. */
  add(place: OpenPlace): void {
    addPlace(this.open, place);
  }

  /** Adds a place without work. */
  pass({ source, node }: Place, why: string): void {
    addPlace(this.leftOut, openAt(source, node, why));
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
