import { unreachable } from "../../../src/base/error.ts";
import { readJsonLines } from "../support/json-lines.ts";

/** A public name of an upstream package. */
export type UpstreamName = {
  readonly kind:
    | "field"
    | "method"
    | "parameter"
    | "event"
    | "export"
    | "command"
    | "option"
    | "tool";
  /** The class, package or command that has it; empty where there is none. */
  readonly of: string;
  readonly name: string;
};

/** The name as rows write it: `Agent.max_iter`, `Crew.kickoff()`, `event flow_started`, `crewai.flow/or_`, `$ train --filename`. */
export function idOf({ kind, of, name }: UpstreamName): string {
  switch (kind) {
    case "field":
    case "parameter":
      return `${of}.${name}`;
    case "method":
      return `${of}.${name}()`;
    case "event":
      return `event ${name}`;
    case "export":
    case "tool":
      return `${of}/${name}`;
    case "command":
      return `$ ${name}`;
    case "option":
      return `$ ${of} ${name}`;
    default:
      return unreachable(kind);
  }
}

/** The names that one of the Python programs listed, and the version that it found. */
export function readNames(file: string): {
  readonly version: string;
  readonly names: readonly UpstreamName[];
} {
  const [head, ...names] = readJsonLines<UpstreamName & { readonly version?: string }>(file);
  if (head?.version === undefined) throw new Error(`${file} does not begin with a version`);
  if (names.length < 100) throw new Error(`${file} has only ${names.length} names`);
  return { version: head.version, names };
}
