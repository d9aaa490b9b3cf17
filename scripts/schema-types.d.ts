// Types of zod that the client's declarations use: schemas with their inputs and outputs. They replace `zod` in the package
// edgecrew-client, which has no dependencies.

/** Output and input of a schema. */
export interface ZodType<Output = unknown, Input = Output, _Internals = unknown> {
  readonly _output: Output;
  readonly _input: Input;
}

export type output<Schema> = Schema extends { readonly _output: infer Output } ? Output : never;
export type input<Schema> = Schema extends { readonly _input: infer Input } ? Input : never;
export type { output as infer };

export declare namespace core {
  type $strict = { readonly rest: {} };
  type $strip = { readonly rest: {} };
  type $loose = { readonly rest: { [key: string]: unknown } };
  type $ZodTypeInternals<Output = unknown, Input = Output> = readonly [Output, Input];
}

/** An optional key. */
interface OptionalKey<In extends "in" | "both"> {
  readonly _optional: In;
}

type Flat<T> = { [Key in keyof T]: T[Key] };

type OptionalOutput<Shape> = {
  [Key in keyof Shape]: Shape[Key] extends OptionalKey<"both"> ? Key : never;
}[keyof Shape];

type OptionalInput<Shape> = {
  [Key in keyof Shape]: Shape[Key] extends OptionalKey<"in" | "both"> ? Key : never;
}[keyof Shape];

export interface ZodObject<
  Shape,
  Rest extends { readonly rest: object } = core.$strip,
> extends ZodType<
  Flat<
    { -readonly [Key in Exclude<keyof Shape, OptionalOutput<Shape>>]: output<Shape[Key]> } & {
      -readonly [Key in OptionalOutput<Shape>]?: output<Shape[Key]>;
    } & Rest["rest"]
  >,
  Flat<
    { -readonly [Key in Exclude<keyof Shape, OptionalInput<Shape>>]: input<Shape[Key]> } & {
      -readonly [Key in OptionalInput<Shape>]?: input<Shape[Key]>;
    } & Rest["rest"]
  >
> {}

export interface ZodOptional<Schema>
  extends ZodType<output<Schema> | undefined, input<Schema> | undefined>, OptionalKey<"both"> {}
export interface ZodExactOptional<Schema>
  extends ZodType<output<Schema>, input<Schema>>, OptionalKey<"both"> {}
export interface ZodDefault<Schema>
  extends
    ZodType<Exclude<output<Schema>, undefined>, input<Schema> | undefined>,
    OptionalKey<"in"> {}
export interface ZodNullable<Schema> extends ZodType<output<Schema> | null, input<Schema> | null> {}
export interface ZodArray<Schema> extends ZodType<Array<output<Schema>>, Array<input<Schema>>> {}
export interface ZodUnion<Schemas extends readonly unknown[]> extends ZodType<
  output<Schemas[number]>,
  input<Schemas[number]>
> {}
export interface ZodDiscriminatedUnion<
  Schemas extends readonly unknown[],
  _Discriminator extends string = string,
> extends ZodUnion<Schemas> {}
export interface ZodRecord<Key, Value> extends ZodType<
  Record<output<Key> & PropertyKey, output<Value>>,
  Record<input<Key> & PropertyKey, input<Value>>
> {}
export interface ZodPipe<From, To> extends ZodType<output<To>, input<From>> {}
export interface ZodTransform<Output, Input> extends ZodType<Output, Input> {}
export interface ZodEnum<Values> extends ZodType<Values[keyof Values]> {}
export interface ZodLiteral<Value> extends ZodType<Value> {}
export interface ZodString extends ZodType<string> {}
export interface ZodISODateTime extends ZodType<string> {}
export interface ZodNumber extends ZodType<number> {}
export interface ZodInt extends ZodType<number> {}
export interface ZodCoercedNumber<Input = unknown> extends ZodType<number, Input> {}
export interface ZodBoolean extends ZodType<boolean> {}
export interface ZodUnknown extends ZodType {}
type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export interface ZodJSONSchema extends ZodType<Json> {}
