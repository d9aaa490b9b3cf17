// Shapes: the schemas of answers as values, of which the document and the types of answers are made.
import type * as z from "zod";
import type { JsonValue } from "../base/json.ts";
import type { ExtraField } from "./extra-field.ts";

declare const VIEW: unique symbol;

/** A named schema of answers. `View` is the type of its values. */
export type Shape<View = unknown, Schema extends z.ZodType = z.ZodType> = {
  /** Its name in the API document. */
  readonly name: string;
  /** Created at the first call: only the document, and shapes around this one, need it. */
  readonly schema: () => Schema;
  /** Shapes inside it: they are components of the document, too, and name the objects that both have. */
  readonly inside: readonly Shape[];
  /** For types alone. */
  readonly [VIEW]?: View;
};

/** The values of a shape. */
export type ViewOf<AnyShape> = AnyShape extends Shape<infer View> ? View : never;

/** Defines a shape: `ViewOf<typeof it>` is the type of its values. */
export function shape<Schema extends z.ZodType>(
  name: string,
  make: () => Schema,
  inside: readonly Shape[] = [],
): Shape<Answered<z.output<Schema>>, Schema> {
  let schema: Schema | undefined;
  return { name, schema: () => (schema ??= make()), inside };
}

/**
 * Defines the shape of a type that other code owns: `shapeOf<Run>()("Run", () => …)`. Schema and type must have the same
 * fields; `z.unknown()` stands for any.
 */
export function shapeOf<View>() {
  return <Schema extends z.ZodType>(
    name: string,
    make: () => Schema & Agreement<View, Answered<z.output<Schema>>>,
    inside?: readonly Shape[],
  ): Shape<View, Schema> => shape<Schema>(name, make, inside) as unknown as Shape<View, Schema>;
}

type Plain = string | number | boolean | bigint | null | undefined;

declare const OWNED: unique symbol;
/** A value whose type other code owns. Only `ViewOf` reads it. */
export type Owned<Type> = { readonly [OWNED]: Type };

/** Values of a schema as answers have them: read-only. */
export type Answered<Value> = [JsonValue] extends [Value]
  ? Value
  : Value extends Owned<infer Type>
    ? Type
    : Value extends Plain
      ? Value
      : Value extends object
        ? { readonly [Key in keyof Value]: Answered<Value[Key]> }
        : Value;

type Agreement<View, Schema> = [ExtraField<View, Schema>] extends [never]
  ? [ExtraField<Schema, View>] extends [never]
    ? [View] extends [Schema]
      ? [Known<Schema>] extends [WithAbsent<View>]
        ? unknown
        : {
            readonly "values of the schema that the type does not allow": Refused<
              Known<Schema>,
              WithAbsent<View>
            >;
          }
      : { readonly "values of the type that the schema does not allow": Refused<View, Schema> }
    : { readonly "fields that the type does not have": ExtraField<Schema, View> }
  : { readonly "fields that the schema does not have": ExtraField<View, Schema> };

/** Names of the fields that another type does not allow. */
type Refused<Value, Type> = {
  [Key in keyof Value]-?: [Value[Key]] extends [Type[Key & keyof Type]] ? never : Key;
}[keyof Value];

/** The type without its unknown values, which any other type allows. */
type Known<Value> = unknown extends Value
  ? never
  : Value extends Plain
    ? Value
    : string extends keyof Value
      ? unknown extends Value[keyof Value]
        ? never
        : Value
      : { readonly [Key in keyof Value]: Known<Value[Key]> };

/** The type, whose absent fields may also be undefined: those of a schema may. */
type WithAbsent<Value> = [JsonValue] extends [Value]
  ? Value
  : Value extends Plain
    ? Value
    : string extends keyof Value
      ? Value
      : { readonly [Key in keyof Value]: WithAbsent<Value[Key]> | OrUndefined<Value, Key> };

type OrUndefined<Value, Key extends keyof Value> =
  Partial<Pick<Value, Key>> extends Pick<Value, Key> ? undefined : never;
