import type { JsonObject, JsonValue } from "../base/json.ts";
import type { KickoffOptions } from "./crews-api.ts";

/**
 * What can be started on a Worker, as types: what each takes, and what it gives. `edgecrew types` writes one, and `ApiOf<typeof app>`
 * of `edgecrew/worker` reads one from the code.
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

/** Of a Worker of which nothing is known. */
export type AnyApi = {
  readonly crews: object;
  readonly flows: object;
  readonly agents: object;
  readonly conversations: object;
};

/** A name that is known, which editors offer, or any other: stored definitions have no types. */
export type NameOf<Section> = (keyof Section & string) | (string & {});

/** The options of a kickoff, with the inputs that the named definition takes. They may be left out where none is required. */
export type StartArguments<Section, Name extends string, Options = KickoffOptions> =
  Section extends Readonly<Record<Name, { readonly inputs: infer Inputs extends object }>>
    ? Record<string, never> extends Inputs
      ? [options?: Omit<Options, "inputs"> & { readonly inputs?: Inputs }]
      : [options: Omit<Options, "inputs"> & { readonly inputs: Inputs }]
    : [options?: Options];

/** What a run of a crew gives. */
export type CrewResult<Section, Name extends string> =
  Section extends Readonly<Record<Name, { readonly output: infer Output }>>
    ? {
        readonly raw: string;
        readonly tasks: readonly JsonObject[];
      } & (unknown extends Output ? { readonly object?: JsonValue } : { readonly object: Output })
    : JsonValue;

/** What a run of a flow gives. */
export type FlowResult<Section, Name extends string> =
  Section extends Readonly<
    Record<Name, { readonly state: infer State; readonly result: infer Result }>
  >
    ? {
        readonly value: unknown extends Result ? JsonValue : Result;
        readonly state: State & { readonly id: string };
      }
    : JsonValue;

/** What a run of an agent gives. */
export type AgentResult<Section, Name extends string> =
  Section extends Readonly<Record<Name, { readonly output: infer Output }>>
    ? { readonly raw: string } & (unknown extends Output
        ? { readonly object?: JsonValue }
        : { readonly object: Output })
    : JsonValue;
