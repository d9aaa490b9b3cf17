import type { JsonObject, JsonValue } from "../base/json.ts";
import type * as z from "zod";
import type { Crew } from "../crew/crew.ts";
import type { Task } from "../crew/tasks/task.ts";
import type { CurrentOf } from "../parts/versions.ts";
import type { StateOf } from "./flow-like.ts";

/** Inputs and outputs of an app's definitions as JSON clients see them; dates, for example, are texts. */
export type AppApi<Crews, Flows, Agents, Talks> = {
  readonly crews: {
    readonly [Name in keyof Known<Crews>]: {
      readonly inputs: InputsOf<CurrentOf<Crews[Name & keyof Crews]>>;
      readonly output: ObjectOf<CurrentOf<Crews[Name & keyof Crews]>>;
    };
  };
  readonly flows: {
    readonly [Name in keyof Known<Flows>]: {
      readonly inputs: Partial<AsJson<StateOf<CurrentOf<Flows[Name & keyof Flows]>>>>;
      readonly state: AsJson<StateOf<CurrentOf<Flows[Name & keyof Flows]>>>;
      readonly result: unknown;
    };
  };
  readonly agents: {
    readonly [Name in keyof Known<Agents>]: {
      readonly inputs: JsonObject;
      readonly output: unknown;
    };
  };
  readonly conversations: {
    readonly [Name in keyof Known<Talks>]: {
      readonly inputs: JsonObject;
      readonly result: unknown;
    };
  };
};

/** Definitions with known names; empty if any name is possible. */
type Known<Definitions> = string extends keyof Definitions ? object : Definitions;

/** Inputs of a crew's zod schema, plus the placeholders of its texts. Any JSON without such a schema. */
type InputsOf<Definition> =
  Definition extends Crew<readonly Task[], infer Schema>
    ? Schema extends z.ZodType
      ? z.input<Schema> extends infer Inputs extends object
        ? AsJson<Inputs> & JsonObject
        : JsonObject
      : JsonObject
    : JsonObject;

/** Type of the last task's object; unknown without a schema. */
type ObjectOf<Definition> =
  Definition extends Crew<infer Tasks, infer Schema>
    ? Crew<Tasks, Schema> extends { kickoff(): Promise<{ readonly object?: infer Result }> }
      ? unknown extends Result
        ? unknown
        : AsJson<NonNullable<Result>>
      : unknown
    : unknown;

/** Type of a value after a round trip through JSON. */
type AsJson<Value> = Value extends JsonValue
  ? Value
  : Value extends { toJSON(): infer Text }
    ? Text
    : Value extends object
      ? { readonly [Name in keyof Value]: AsJson<Value[Name]> }
      : Value;
