import { EngineError, errorMessage } from "../../base/error.ts";

/** Turns TypeScript into JavaScript, line by line. It removes types and checks no types. */
export type Transpile = (code: string) => { readonly js: string } | { readonly fault: string };

/** Loads the transpiler. Throws `invalid_definition` without its package `sucrase`. */
export async function typeScriptTranspiler(): Promise<Transpile> {
  const { transform } = await import("sucrase").catch((cause: unknown) => {
    throw new EngineError(
      "invalid_definition",
      "TypeScript is run with the package sucrase, which is not installed: npm install sucrase",
      { cause },
    );
  });
  return (code) => {
    try {
      return {
        js: transform(code, { transforms: ["typescript"], disableESTransforms: true }).code,
      };
    } catch (error) {
      return { fault: errorMessage(error) };
    }
  };
}
