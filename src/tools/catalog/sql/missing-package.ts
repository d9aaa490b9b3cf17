import { EngineError } from "../../../base/error.ts";

/** Creates the error of a tool without its database driver. */
export function missingPackage(name: string, cause: unknown): EngineError {
  return new EngineError(
    "invalid_definition",
    `this database needs the package ${name}, which is not installed: npm install ${name}`,
    { cause },
  );
}
