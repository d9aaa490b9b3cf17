// Names of ours that an upstream's name may have without a row: the same one in camelCase, of the same owner.
import { unreachable } from "../../../src/base/error.ts";
import { camelCase } from "../../../src/base/camel-case.ts";
import { PACKAGE_ENTRIES } from "../../support/package-entries.ts";
import type { UpstreamName } from "./upstream-name.ts";

export function guessNames({ kind, of, name }: UpstreamName): readonly string[] {
  const camel = camelCase(name.replace(/_$/, ""));
  switch (kind) {
    case "field":
    case "parameter":
      return [`${of}.${camel}`];
    case "method":
      return [`${of}#${camel}`];
    case "event":
      return [`event ${name}`];
    case "export":
      return Object.keys(PACKAGE_ENTRIES).flatMap((entry) => [
        `${entry}#${name}`,
        `${entry}#${camel}`,
      ]);
    case "command":
      return [`$ ${name}`];
    case "option":
      return [`$ ${of} ${name}`];
    case "tool":
      return [`tool ${name}`];
    default:
      return unreachable(kind);
  }
}
