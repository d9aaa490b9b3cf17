/**
 * Paths of the fields of a value that a type does not have, such as `/json/owner`; never without any. The compiler finds
 * such fields itself in literals alone, and not in values that a function returns.
 */
export type ExtraField<Value, Type, Path extends string = "", Depth extends readonly 0[] = []> =
  IsTaken<Value, Type, Depth> extends true
    ? never
    : Value extends Whole
      ? never
      : Value extends readonly (infer Item)[]
        ? ExtraField<Item, ItemOf<Type>, `${Path}/*`, [...Depth, 0]>
        : Value extends object
          ? ValuesOf<{
              [Key in NamedKey<Value>]-?: Key extends KeysOf<Type>
                ? ExtraField<Value[Key], FieldOf<Type, Key>, `${Path}/${Key}`, [...Depth, 0]>
                : `${Path}/${Key}`;
            }>
          : never;

/** Values without fields of their own. */
type Whole = string | number | boolean | bigint | null | undefined | Response;

/** So many levels are compared, because types may contain themselves. */
type Deepest = [0, 0, 0, 0, 0, 0, 0, 0];

type IsTaken<Value, Type, Depth> =
  IsSame<Value, Type> extends true
    ? true
    : unknown extends Type
      ? true
      : [Type] extends [never]
        ? true
        : Depth extends Deepest
          ? true
          : false;

/** Types that are assignable to each other may differ in optional fields; these functions then differ. */
type IsSame<One, Other> =
  (<T>(value: T) => T extends One ? 1 : 2) extends <T>(value: T) => T extends Other ? 1 : 2
    ? true
    : false;

type NamedKey<Type> = keyof {
  [Key in keyof Type as Key extends string ? (string extends Key ? never : Key) : never]: 0;
} &
  keyof Type &
  string;
type ValuesOf<Type> = Type[keyof Type];
type KeysOf<Type> = Type extends unknown ? keyof Type : never;
type FieldOf<Type, Key> = Type extends unknown
  ? Key extends keyof Type
    ? Type[Key]
    : never
  : never;
type ItemOf<Type> = Type extends readonly (infer Item)[] ? Item : never;
