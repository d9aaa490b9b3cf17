/** Common method behind all methods of a method class. */
export const CALL = Symbol("call");

/** Shape of `[CALL]`; each class declares its own parameters and result. */
type Caller = { [CALL](name: never, input: never): unknown };

/**
 * Creates a base class with a method for each key of a table. Each method passes its name and its arguments to `[CALL]`
 * of the subclass.
 *
 * The one cast is here because TypeScript cannot see methods defined in a loop.
 */
export function methodClass<Shape extends Caller>(
  table: Readonly<Record<Exclude<keyof Shape, typeof CALL>, unknown>>,
): abstract new () => Shape {
  abstract class MethodClass {
    abstract [CALL](name: string, input: readonly unknown[]): unknown;

    static {
      for (const name of Object.keys(table))
        Object.defineProperty(this.prototype, name, {
          configurable: true,
          writable: true,
          value(this: MethodClass, ...input: readonly unknown[]): unknown {
            return this[CALL](name, input);
          },
        });
    }
  }
  return MethodClass as abstract new () => Caller as abstract new () => Shape;
}
