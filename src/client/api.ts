import type { JsonObject, JsonValue } from "../base/json.ts";
import type { KickoffOptions } from "./start-options.ts";

/**
 * Startable subjects of a Worker, as types of their inputs and outputs. `edgecrew types` writes such a type, and
 * `ApiOf<typeof app>` of `edgecrew/worker` reads it from the code.
 */
export type Api = {
  readonly crews: Readonly<Record<string, { readonly inputs: object; readonly output: unknown }>>;
  readonly flows: Readonly<
    Record<
      string,
      {
        readonly inputs: object;
        readonly state: object;
        readonly result: unknown;
        readonly turns?: true;
      }
    >
  >;
  readonly agents: Readonly<Record<string, { readonly inputs: object; readonly output: unknown }>>;
  readonly conversations: Readonly<
    Record<string, { readonly inputs: object; readonly result: unknown }>
  >;
};

/** Types for a Worker with an unknown API. */
export type AnyApi = {
  readonly crews: object;
  readonly flows: object;
  readonly agents: object;
  readonly conversations: object;
};

/** A known name, for suggestions in editors, or any other: stored definitions have no types. */
export type NameOf<Section> = (keyof Section & string) | (string & {});

/** Options of a kickoff, with the inputs of the named definition. Optional if no input is required. */
export type StartArguments<Section, Name extends string, Options = KickoffOptions> =
  Section extends Readonly<Record<Name, { readonly inputs: infer Inputs extends object }>>
    ? Record<string, never> extends Inputs
      ? [options?: Omit<Options, "inputs"> & { readonly inputs?: Inputs }]
      : [options: Omit<Options, "inputs"> & { readonly inputs: Inputs }]
    : [options?: Options];

/** Output of a crew's run. */
export type CrewResult<Section, Name extends string> =
  Section extends Readonly<Record<Name, { readonly output: infer Output }>>
    ? {
        readonly raw: string;
        readonly tasks: readonly JsonObject[];
      } & (unknown extends Output ? { readonly object?: JsonValue } : { readonly object: Output })
    : JsonValue;

/** Output of a flow's run. */
export type FlowResult<Section, Name extends string> =
  Section extends Readonly<
    Record<Name, { readonly state: infer State; readonly result: infer Result }>
  >
    ? {
        readonly value: unknown extends Result ? JsonValue : Result;
        readonly state: State & { readonly id: string };
      }
    : JsonValue;

/** Output of an agent's run. */
export type AgentResult<Section, Name extends string> =
  Section extends Readonly<Record<Name, { readonly output: infer Output }>>
    ? { readonly raw: string } & (unknown extends Output
        ? { readonly object?: JsonValue }
        : { readonly object: Output })
    : JsonValue;
