// What of Vue the example uses: Vue itself is not installed here.
declare module "vue" {
  export type MaybeRefOrGetter<Value> = Value | { readonly value: Value } | (() => Value);
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as Vue has it
  export function shallowRef<Value>(): { value: Value | undefined };
  export function toValue<Value>(source: MaybeRefOrGetter<Value>): Value;
  export function watch<Value>(
    source: () => Value,
    changed: (value: Value) => void,
    options?: { readonly immediate?: boolean },
  ): () => void;
  export function onScopeDispose(leave: () => void): void;
}
