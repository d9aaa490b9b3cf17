import { EngineError } from "../../../base/error.ts";

/** The error of a tool whose driver is not installed. */
export function missingPackage(name: string, cause: unknown): EngineError {
  return new EngineError(
    "invalid_definition",
    `this database needs the package ${name}, which is not installed: npm install ${name}`,
    { cause },
  );
}
